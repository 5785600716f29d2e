"""The rungs of `dropout` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

from typing import ClassVar

from autograder.contract import Case, RungSpec
from autograder.rungs import outcome
from exercises.dropout.ask import SIGNATURE
from exercises.dropout.judge import cases, rungs
from exercises.dropout.judge.misconceptions import PAGE
from exercises.shared.judge.surgery import SurgeryJudge

REWIRING = f"{PAGE}#rewiring"


class DropoutJudge(SurgeryJudge):
    # Weights: a crash or an invalid model on one edge case costs that rung; Dropouts left everywhere are worth 10 %, stand-ins 70 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, outcome.exists(SIGNATURE, REWIRING), cap_some=0.0, cap_all=0.0),
        RungSpec("type", 0.4, rungs.is_model, cap_all=0.0),
        RungSpec("loads", 0.8, rungs.loads, cap_some=0.7, cap_all=0.1),
        RungSpec("contract", 0.2, rungs.keeps_signature, cap_some=0.7, cap_all=0.7),
        RungSpec("structure", 1.0, rungs.removes_only_dropout, cap_all=0.1),
        RungSpec("numerics", 1.4, rungs.means_the_same, cap_all=0.1),
        RungSpec("quality", 0.2, rungs.is_clean, cap_all=0.7),
    )

    def public_cases(self) -> list[Case]:
        return cases.public_cases()

    def cases(self, seed: int) -> list[Case]:
        return cases.cases(seed)

    def pretrained_cases(self, seed: int) -> list[Case]:
        return [cases.pretrained_case(seed)]


JUDGE = DropoutJudge()
