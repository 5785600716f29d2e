"""The rungs of `overflow` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.overflow.ask import NAMES, SIGNATURE
from formatlab_exercises.overflow.judge import rungs
from formatlab_exercises.overflow.judge.misconceptions import OVERFLOW
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate
from nbjudge.rungs import outcome


class OverflowJudge(Judge):
    # A list that is wrong now and then keeps a part; one that is wrong on a third of the models keeps
    # a tenth.
    rungs = (
        gate("exists", 0.0, outcome.exists(SIGNATURE, OVERFLOW)),
        gate("type", 0.0, rungs.is_list_of_names),
        RungSpec("contract", 0.2, rungs.keeps_the_model, cap_some=0.7, cap_all=0.7),
        RungSpec("structure", 1.8, rungs.finds_the_overflow, cap_all=0.1, all_at=0.35, slip=2),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The names, as JSON."""
        return {"names": np.frombuffer(answer.files[NAMES], np.uint8)}


JUDGE = OverflowJudge()
