"""`control_flow`: export a choice and a repetition so that the model still chooses and repeats.

1. `export_branch` gives a model x -> y with an If; each branch's work is inside it.
2. `export_loop` gives a model (state, sequence) -> result with a Loop or a Scan; the step's work is inside it.
3. Both are right for inputs that the example did not show: the other branch, other lengths, another initial state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
from google.protobuf.message import EncodeError
from onnx import ModelProto

from autograder.exercises.base import Answer, Case, Exercise, RungSpec, WrongType, case_seed
from autograder.exercises.control_flow import recipes, rungs
from autograder.rungs import numerics

# Each export takes a student's code about a second, so the cases are few; where a case has two kinds, its seed chooses.
PUBLIC = {"branch": ("whole",), "loop": ("decay",)}
HIDDEN = {
    "branch-same-shape": ("whole", "product"),
    "branch-other-shape": ("rows",),
    "loop-float": ("project", "largest"),
    "loop-integer": ("count",),
}
SUMMARY = "## Exception summary"


class ControlFlow(Exercise):
    id: ClassVar[str] = "control_flow"
    assignment: ClassVar[str] = "day-50"
    notebook: ClassVar[str] = "control_flow"
    grade_id: ClassVar[str] = "check-control-flow"
    functions: ClassVar[Mapping[str, str]] = rungs.SIGNATURES
    minutes: ClassVar[int] = 45
    # One function alone is worth half, a branch or loop that is frozen little more. A Where that computes both branches costs 20 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, rungs.exists, cap_some=0.5, cap_all=0.0),
        RungSpec("type", 0.0, rungs.is_model, cap_some=0.5, cap_all=0.0),
        RungSpec("loads", 1.2, rungs.loads, cap_some=0.5, cap_all=0.1),
        RungSpec("contract", 1.0, rungs.has_the_signature, cap_some=0.7, cap_all=0.5),
        RungSpec("structure", 0.6, rungs.chooses_and_repeats, cap_some=0.8, cap_all=0.3),
        RungSpec("numerics", 1.2, rungs.computes_the_same, cap_some=0.55, cap_all=0.1),
    )

    def public_cases(self) -> list[Case]:
        return [self._case(name, kinds, 0, public=True) for name, kinds in PUBLIC.items()]

    def cases(self, seed: int) -> list[Case]:
        return [self._case(f"hidden-{name}", kinds, seed) for name, kinds in HIDDEN.items()]

    def call(self, functions: Mapping[str, Callable], case: Case, scratch: Path) -> dict[str, bytes]:
        name = case.parameters["function"]
        arguments = (recipes.branch if name == "export_branch" else recipes.loop)(case.parameters)
        try:
            model = functions[name](*arguments)
        except Exception as error:
            if SUMMARY in str(error):
                error.args = (_reason(str(error)),)
            raise
        if not isinstance(model, ModelProto):
            raise WrongType("an onnx.ModelProto", type(model).__name__)
        try:
            return {rungs.MODEL: model.SerializeToString(deterministic=True)}
        except (EncodeError, ValueError, MemoryError):
            raise WrongType("an onnx.ModelProto of less than 2 GB", "one that protobuf cannot serialise") from None

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The reference's outputs on the case's inputs: `<run>/0`."""
        return numerics.pack([outputs[0] for outputs in numerics.run(answer.files[rungs.MODEL], rungs.inputs(case))])

    def _case(self, name: str, kinds: tuple[str, ...], seed: int, public: bool = False) -> Case:
        own_seed = case_seed(seed, self.id, name)
        rng = np.random.default_rng(own_seed)
        kind = str(rng.choice(kinds))
        recipe = recipes.loop_recipe(rng, kind) if "loop" in name else recipes.branch_recipe(rng, kind, public or bool(rng.integers(2)))
        return Case(name, {}, recipe, public, own_seed)


def _reason(text: str) -> str:
    """What torch's exporter says in the end: its message begins with advice, and would be cut before the reason."""
    reason = text.partition(SUMMARY)[2].strip()
    return re.sub(r"^<class '[^']*'>: ", "", reason).partition("\n")[0]


EXERCISE = ControlFlow()
