"""`gemm`: give back a model in which every pair of MatMul and Add that may be one Gemm is one, and no other.

A pair is a MatMul and the Add that reads its product, in one graph. It may be fused when all of this holds:

1. Both factors have two dimensions, and shape inference says so.
2. The bias has at most two, and each is 1, or the product's own dimension: the same number or the same name.
3. The Add reads the product once, and nothing else reads it: no node, in this graph or inside it.
4. The product is no output of its graph.
5. The element type is float16, float or double.

The Gemm stands where the Add stood and reads what the pair read. An Add of two products becomes one Gemm, and either product will do.
Rewritings that need more than one node (Reshape, Gemm, Reshape) are not asked for: every other node stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from autograder.exercises.base import Case, RungSpec
from autograder.exercises.gemm import cases as gemm_cases
from autograder.exercises.gemm import rungs as gemm_rungs
from autograder.exercises.surgery import Surgery
from autograder.rungs import outcome

SIGNATURE = "fuse_matmul_add(model) -> onnx.ModelProto"
FUSING = f"{gemm_rungs.PAGE}#fusing-a-pair"


class Gemm(Surgery):
    id: ClassVar[str] = "gemm"
    assignment: ClassVar[str] = "day-50"
    notebook: ClassVar[str] = "gemm"
    grade_id: ClassVar[str] = "check-gemm"
    functions: ClassVar[Mapping[str, str]] = {"fuse_matmul_add": SIGNATURE}
    minutes: ClassVar[int] = 45
    # Weights: a pair fused wrongly breaks loads, structure or numerics, often two of them; an answer that fuses nothing is worth 30 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, outcome.exists(SIGNATURE, FUSING), cap_some=0.0, cap_all=0.0),
        RungSpec("type", 0.8, gemm_rungs.is_model, cap_all=0.0),
        RungSpec("loads", 0.7, gemm_rungs.loads, cap_some=0.7, cap_all=0.1),
        RungSpec("contract", 0.4, gemm_rungs.keeps_signature, cap_some=0.7, cap_all=0.7),
        RungSpec("structure", 1.0, gemm_rungs.fuses_what_it_may, cap_all=0.3),
        RungSpec("numerics", 0.6, gemm_rungs.means_the_same, cap_all=0.1),
        RungSpec("quality", 0.5, gemm_rungs.is_clean, cap_all=0.7),
    )

    def public_cases(self) -> list[Case]:
        return gemm_cases.public_cases()

    def cases(self, seed: int) -> list[Case]:
        return gemm_cases.cases(seed)


EXERCISE = Gemm()
