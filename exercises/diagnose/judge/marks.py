"""The rungs of `diagnose` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.diagnose.ask import SIGNATURE
from formatlab_exercises.diagnose.judge import rungs
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known


class DiagnoseJudge(Judge):
    # `loads` needs three of four cases at their right part of the ladder, so a few diagnoses for
    # everything earn nothing. A kind of fault that is overlooked costs about a tenth: wrong cases
    # cost several times their share of a rung, so that guesses earn nothing.
    rungs = (
        gate("exists", 0, outcome.exists(SIGNATURE, rungs.READ), cap_some=0.7),
        gate("type", 0.375, rungs.is_diagnosis, title="returns one of the diagnoses", slip=20),
        gate("loads", 1.625, rungs.stops_at_the_right_part, slip=12, all_at=0.26),
        RungSpec(
            "structure",
            1.375,
            rungs.is_right(about_behaviour=False),
            cap_all=0.1,
            all_at=0.2,
            slip=16,
            title="names the fault of a file",
        ),
        RungSpec(
            "numerics",
            1.375,
            rungs.is_right(about_behaviour=True),
            cap_all=0.3,
            slip=16,
            title="names the fault of its behaviour",
        ),
        RungSpec(
            "quality",
            0.25,
            rungs.is_tidy,
            title="leaves the files as they were",
            cap_some=0.9,
            cap_all=0.9,
        ),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        return {
            "diagnosis": np.frombuffer(known(rungs.read(answer))["diagnosis"].encode(), np.uint8)
        }


JUDGE = DiagnoseJudge()
