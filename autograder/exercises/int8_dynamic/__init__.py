"""`int8_dynamic`: give back a BERT whose products with weights are computed in integers, with activations quantized as they come.

1. Every MatMul and Gemm with a weight multiplies 8-bit integers; the activation's scale is computed from the activation.
2. The file has at most 30 % of the argument's bytes: the embedding tables are 8 bits wide as well.
3. The embeddings agree with the argument's to a mean cosine of 0.98: each output channel of a weight has a scale of its own.
4. Names, types and dimensions of inputs and outputs stay, and so does the argument.

What is graded is structure, size and agreement in exact integer arithmetic: never a time, and never what a native kernel makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from autograder.exercises.base import Answer, Case, RungSpec
from autograder.exercises.int8_dynamic import cases, rungs
from autograder.exercises.int8_dynamic.symptoms import PAGE
from autograder.exercises.surgery import Surgery
from autograder.rungs import outcome

SIGNATURE = "quantize_bert(model) -> onnx.ModelProto"


class Int8Dynamic(Surgery):
    id: ClassVar[str] = "int8_dynamic"
    assignment: ClassVar[str] = "lab-7-01"
    notebook: ClassVar[str] = "int8_dynamic"
    grade_id: ClassVar[str] = "check-int8-dynamic"
    functions: ClassVar[Mapping[str, str]] = {"quantize_bert": SIGNATURE}
    minutes: ClassVar[int] = 30
    # Weights: products left in float are worth 30 %, a miss of size or agreement 65 %, an exception on some BERTs 60 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, outcome.exists(SIGNATURE, f"{PAGE}#dynamic-and-static"), cap_some=0.0, cap_all=0.0),
        RungSpec("type", 0.4, rungs.is_model, cap_some=0.6, cap_all=0.0),
        RungSpec("loads", 0.6, rungs.loads, cap_some=0.6, cap_all=0.1),
        RungSpec("contract", 0.4, rungs.keeps_signature, cap_some=0.7, cap_all=0.7),
        RungSpec("structure", 1.0, rungs.multiplies_integers, cap_some=0.5, cap_all=0.3),
        RungSpec("numerics", 0.6, rungs.means_the_same, cap_all=0.1),
        RungSpec("quality", 1.0, rungs.is_small_and_close, cap_some=0.65, cap_all=0.65),
    )

    def public_cases(self) -> list[Case]:
        return cases.public_cases()

    def cases(self, seed: int) -> list[Case]:
        return cases.cases(seed)

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """What the float model itself computes: the reference answer has to agree with it as every other."""
        return rungs.digest(case)


EXERCISE = Int8Dynamic()
