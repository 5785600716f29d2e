"""The rungs of `gemm` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

from typing import ClassVar

from autograder.contract import Case, RungSpec
from autograder.rungs import outcome
from exercises.gemm.ask import SIGNATURE
from exercises.gemm.judge import cases, rungs
from exercises.gemm.judge.misconceptions import PAGE
from exercises.shared.judge.surgery import SurgeryJudge

FUSING = f"{PAGE}#fusing-a-pair"


class GemmJudge(SurgeryJudge):
    # Weights: a pair fused wrongly breaks loads, structure or numerics, often two of them; an answer that fuses nothing is worth 10 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, outcome.exists(SIGNATURE, FUSING), cap_some=0.0, cap_all=0.0),
        RungSpec("type", 0.8, rungs.is_model, cap_all=0.0),
        RungSpec("loads", 0.7, rungs.loads, cap_some=0.7, cap_all=0.1),
        RungSpec("contract", 0.4, rungs.keeps_signature, cap_some=0.7, cap_all=0.7),
        RungSpec("structure", 1.0, rungs.fuses_what_it_may, cap_all=0.1),
        RungSpec("numerics", 0.6, rungs.means_the_same, cap_all=0.1),
        RungSpec("quality", 0.5, rungs.is_clean, cap_all=0.7),
    )

    def public_cases(self) -> list[Case]:
        return cases.public_cases()

    def cases(self, seed: int) -> list[Case]:
        return cases.cases(seed)


JUDGE = GemmJudge()
