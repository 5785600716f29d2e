"""`control_flow`: export a choice and a repetition so that the model still chooses and repeats.

1. `export_branch` gives a model x -> y with an If; each branch's work is inside it.
2. `export_loop` gives a model (state, sequence) -> result with a Loop or a Scan; the step's work is
   inside it.
3. Both are right for inputs that the example did not show: the other branch, other lengths, another
   initial state.
"""

from __future__ import annotations

import re
from pathlib import Path

from formatlab_exercises.control_flow import recipes
from formatlab_exercises.shared import exporting, returned
from nbjudge.contract import Case, Exercise, Functions, by_name

SIGNATURES = by_name(
    "export_branch(predicate, then_fn, else_fn, example) -> onnx.ModelProto",
    "export_loop(step, initial, sequence) -> onnx.ModelProto",
)
MODEL = "model.onnx"
SUMMARY = "## Exception summary"


class ControlFlow(Exercise):
    functions = SIGNATURES
    minutes = 35
    needs = (
        *("function", "score", "branches", "reduced", "offset", "example"),
        *("name", "keep", "gain", "weights", "initial", "sequence"),
    )

    def prepare(self) -> None:
        exporting.load()

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        exporting.prepare()
        name = case.parameters["function"]
        arguments = (recipes.branch if name == "export_branch" else recipes.loop)(case.parameters)
        try:
            model = functions[name](*arguments)
        except Exception as error:
            if SUMMARY in str(error):
                error.args = (_reason(str(error)),)
            raise
        return {MODEL: returned.model(model)}


def _reason(text: str) -> str:
    """What torch's exporter says in the end: its message begins with advice, and would be cut
    before the reason.
    """
    reason = text.partition(SUMMARY)[2].strip()
    return re.sub(r"^<class '[^']*'>: ", "", reason).partition("\n")[0]


EXERCISE = ControlFlow()
