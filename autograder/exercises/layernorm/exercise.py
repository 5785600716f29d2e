"""`layernorm`: give back the model that has Identity in place of each LayerNorm, without the Identities.

1. A LayerNorm is a node LayerNormalization, or the nodes that compute (x - mean) / sqrt(variance + epsilon) over the last axes, with the
   scale and bias behind them: a Mul, then perhaps an Add, with a constant of one number per column.
2. Who read its result reads x. RMSNorms, normalisations over other axes, and the like stay.
3. What nobody reads any more goes; what others read stays: a centred value, a Mean or InvStdDev with its node.
4. Everything else stays: the other nodes, the names and types of the graph's inputs and outputs, the opset imports.
5. An Identity stands only where it writes an output of its graph, whose name has to be kept.

The outputs grow without LayerNorm, so that all comparison is relative; and the original model's outputs are no reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from autograder.exercises.base import Case, RungSpec
from autograder.exercises.layernorm import cases as layernorm_cases
from autograder.exercises.layernorm import rungs as layernorm_rungs
from autograder.exercises.surgery import Surgery
from autograder.rungs import outcome

SIGNATURE = "remove_layernorm(model) -> onnx.ModelProto"
READ = f"{layernorm_rungs.PAGE}#removing-layernorm"


class LayerNorm(Surgery):
    id: ClassVar[str] = "layernorm"
    assignment: ClassVar[str] = "day-50"
    notebook: ClassVar[str] = "layernorm"
    grade_id: ClassVar[str] = "check-layernorm"
    functions: ClassVar[Mapping[str, str]] = {"remove_layernorm": SIGNATURE}
    minutes: ClassVar[int] = 60
    # Weights: a LayerNorm that is missed, or a relative that is taken for one, breaks structure and numerics together; doing nothing
    # is worth 10 %, stand-ins and leftovers 70 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, outcome.exists(SIGNATURE, READ), cap_some=0.0, cap_all=0.0),
        RungSpec("type", 0.8, layernorm_rungs.is_model, cap_all=0.0),
        RungSpec("loads", 0.8, layernorm_rungs.loads, cap_some=0.7, cap_all=0.1),
        RungSpec("contract", 0.4, layernorm_rungs.keeps_signature, cap_some=0.7, cap_all=0.7),
        RungSpec("structure", 1.1, layernorm_rungs.removes_only_layernorm, cap_all=0.3),
        RungSpec("numerics", 0.4, layernorm_rungs.means_the_same, cap_all=0.1),
        RungSpec("quality", 0.5, layernorm_rungs.is_clean, cap_all=0.7),
    )

    def public_cases(self) -> list[Case]:
        return layernorm_cases.public_cases()

    def cases(self, seed: int) -> list[Case]:
        return layernorm_cases.cases(seed)


EXERCISE = LayerNorm()
