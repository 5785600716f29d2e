"""The rungs of `inspect` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.inspect.ask import SIGNATURE
from formatlab_exercises.inspect.judge import rungs
from formatlab_exercises.inspect.judge.misconceptions import PAGE
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known


class InspectJudge(Judge):
    # Most points stand at `loads`, so that constants earn nothing and one careless count, wherever
    # it shows, costs 30 %. Where neither part is right for nearly all models, a tenth is left.
    rungs = (
        gate("exists", 0, outcome.exists(SIGNATURE, f"{PAGE}#bytes"), cap_some=0.7),
        gate("type", 0, rungs.is_dict, title="returns a dict", cap_some=0.7),
        gate("loads", 1.65, rungs.describes_this_model, cap_some=0.4),
        RungSpec(
            "contract", 0.3, rungs.has_keys, title="has the asked keys", cap_some=0.7, cap_all=0.7
        ),
        RungSpec(
            "structure",
            0.45,
            rungs.is_right(*rungs.STRUCTURE),
            cap_some=0.7,
            cap_all=0.4,
            title="versions and operators are right",
        ),
        RungSpec(
            "numerics",
            0.45,
            rungs.is_right(*rungs.NUMERICS),
            cap_some=0.7,
            cap_all=0.4,
            title="parameters and bytes are right",
        ),
        RungSpec(
            "numerics: a part",
            0.0,
            rungs.is_right_in_part,
            title="has versions and operators, or parameters and bytes, right",
            cap_all=0.1,
        ),
        RungSpec("quality", 0.15, rungs.is_tidy, cap_some=0.9, cap_all=0.9),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        description = known(rungs.read(answer))["description"]
        counts = description["operators"]["counts"]
        numbers = {
            key: np.array([description[key]], np.int64)
            for key in rungs.DEFINITIONS
            if key != "operators"
        }
        names = np.frombuffer("\n".join(counts).encode(), np.uint8)
        return {
            **numbers,
            "operator_names": names,
            "operator_counts": np.array(list(counts.values()), np.int64),
        }


JUDGE = InspectJudge()
