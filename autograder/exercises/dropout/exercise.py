"""`dropout`: give back a model that means at inference what the argument means, without its Dropouts.

1. No Dropout is left: not in the main graph, not in a subgraph at any depth, not in a function.
2. Who read a Dropout's output reads its input; a mask that somebody uses is all True, of the input's shape.
3. Everything else stays: the other nodes, the names and types of the graph's inputs and outputs, the opset imports.
4. An Identity stands only where it writes an output of its graph, whose name has to be kept.
5. What served the Dropouts alone goes with them: initializers, Constants, the nodes that computed a ratio.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from autograder.exercises.base import Case, RungSpec
from autograder.exercises.dropout import cases as dropout_cases
from autograder.exercises.dropout import rungs as dropout_rungs
from autograder.exercises.surgery import Surgery
from autograder.rungs import outcome

SIGNATURE = "remove_dropout(model) -> onnx.ModelProto"
REWIRING = f"{dropout_rungs.PAGE}#rewiring"


class Dropout(Surgery):
    id: ClassVar[str] = "dropout"
    assignment: ClassVar[str] = "day-50"
    notebook: ClassVar[str] = "dropout"
    grade_id: ClassVar[str] = "check-dropout"
    functions: ClassVar[Mapping[str, str]] = {"remove_dropout": SIGNATURE}
    minutes: ClassVar[int] = 40
    # Weights: a crash or an invalid model on one edge case costs that rung; Dropouts left everywhere are worth 30 %, stand-ins 70 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, outcome.exists(SIGNATURE, REWIRING), cap_some=0.0, cap_all=0.0),
        RungSpec("type", 0.4, dropout_rungs.is_model, cap_all=0.0),
        RungSpec("loads", 0.8, dropout_rungs.loads, cap_some=0.7, cap_all=0.1),
        RungSpec("contract", 0.2, dropout_rungs.keeps_signature, cap_some=0.7, cap_all=0.7),
        RungSpec("structure", 1.0, dropout_rungs.removes_only_dropout, cap_all=0.3),
        RungSpec("numerics", 1.4, dropout_rungs.means_the_same, cap_all=0.1),
        RungSpec("quality", 0.2, dropout_rungs.is_clean, cap_all=0.7),
    )

    def public_cases(self) -> list[Case]:
        return dropout_cases.public_cases()

    def cases(self, seed: int) -> list[Case]:
        return dropout_cases.cases(seed)

    def pretrained_cases(self, seed: int) -> list[Case]:
        return [dropout_cases.pretrained_case(seed)]


EXERCISE = Dropout()
