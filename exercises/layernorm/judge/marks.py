"""The rungs of `layernorm` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

from typing import ClassVar

from autograder.contract import Case, RungSpec
from autograder.rungs import outcome
from exercises.layernorm.ask import SIGNATURE
from exercises.layernorm.judge import cases, rungs
from exercises.layernorm.judge.misconceptions import PAGE
from exercises.shared.judge.surgery import SurgeryJudge

READ = f"{PAGE}#removing-layernorm"


class LayerNormJudge(SurgeryJudge):
    # Weights: a LayerNorm that is missed, or a relative that is taken for one, breaks structure and numerics together; doing nothing
    # is worth 10 %, stand-ins and leftovers 70 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, outcome.exists(SIGNATURE, READ), cap_some=0.0, cap_all=0.0),
        RungSpec("type", 0.8, rungs.is_model, cap_all=0.0),
        RungSpec("loads", 0.8, rungs.loads, cap_some=0.7, cap_all=0.1),
        RungSpec("contract", 0.4, rungs.keeps_signature, cap_some=0.7, cap_all=0.7),
        RungSpec("structure", 1.1, rungs.removes_only_layernorm, cap_all=0.3),
        RungSpec("numerics", 0.4, rungs.means_the_same, cap_all=0.1),
        RungSpec("quality", 0.5, rungs.is_clean, cap_all=0.7),
    )

    def public_cases(self) -> list[Case]:
        return cases.public_cases()

    def cases(self, seed: int) -> list[Case]:
        return cases.cases(seed)


JUDGE = LayerNormJudge()
