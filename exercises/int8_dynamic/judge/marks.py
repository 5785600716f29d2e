"""The rungs of `int8_dynamic` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.int8_dynamic.ask import SIGNATURE
from formatlab_exercises.int8_dynamic.judge import rungs
from formatlab_exercises.int8_dynamic.judge.findings import PAGE
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate
from nbjudge.rungs import outcome


class Int8DynamicJudge(Judge):
    # Products left in float leave a tenth, a miss of size or agreement 65 %, an exception on some
    # BERTs 60 %.
    rungs = (
        gate("exists", 0.0, outcome.exists(SIGNATURE, f"{PAGE}#dynamic-and-static"), cap_some=0.0),
        gate("type", 0.2, rungs.is_model, title="returns a model", cap_some=0.6),
        gate("loads", 0.3, rungs.loads, cap_some=0.6, cap_all=0.1),
        RungSpec(
            "contract",
            0.2,
            rungs.keeps_signature,
            title="keeps the inputs, the outputs and the model that was given",
            cap_some=0.7,
            cap_all=0.7,
        ),
        RungSpec("structure", 0.5, rungs.multiplies_integers, cap_some=0.5, cap_all=0.1),
        RungSpec(
            "structure: at all",
            0.0,
            rungs.multiplies_some,
            title="multiplies integers in at least half of the products",
            cap_all=0.1,
            all_at=0.5,
        ),
        RungSpec(
            "numerics",
            0.3,
            rungs.means_the_same,
            title="gives each sentence the embedding that is nearest to its own",
            cap_all=0.1,
        ),
        RungSpec("quality", 0.5, rungs.is_small_and_close, cap_some=0.65, cap_all=0.65),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """What the float model itself computes: the reference answer has to agree with it as every
        other.
        """
        return rungs.digest(case)


JUDGE = Int8DynamicJudge()
