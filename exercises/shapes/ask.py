"""`shapes`: the size of a window operator's output, and what a model says about the shapes of its
values.

1. A window spans dilation * (kernel - 1) + 1 positions; it steps by stride over the padded input.
2. With ceil_mode an incomplete last step counts, unless its window starts in the padding at the
   end.
3. A value's shape is missing, or has an unknown dimension, or a named one, or only numbers. The
   worst dimension decides.
4. A name that shape inference made up (`unk__0`) is no name.
5. Counted are the outputs of nodes, in every graph, by what their own graph declares. Initializers,
   graph inputs, and optional outputs that are left out are not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from onnx import ModelProto

from formatlab_exercises.shared.numbers import encoded
from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

SIGNATURES = by_name(
    "conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False) -> int",
    "shape_coverage(model) -> dict",
)


ANSWER, MODEL = "answer.json", "model.onnx"


class Shapes(Exercise):
    functions = SIGNATURES
    minutes = 70

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        if case.parameters["function"] == "conv_output_size":
            answer = {
                "sizes": _ask_sizes(functions["conv_output_size"], case.parameters["sizes"]),
                "changed": False,
            }
        else:
            answer = _ask_counts(
                functions["shape_coverage"], ModelProto.FromString(case.files[MODEL])
            )
        return {ANSWER: json.dumps(answer).encode()}


def _ask_sizes(function: Callable, asked: list[Mapping]) -> list:
    """What the function gives for each; {"raised": type} where it raises. Raises itself when every
    call raises another than ValueError.
    """
    found, last = [], None
    for arguments in asked:
        named = {
            name: tuple(value) if name == "padding" else value for name, value in arguments.items()
        }
        try:
            found.append(encoded(function(named.pop("size"), named.pop("kernel"), **named)))
        except NotImplementedError:
            raise
        except Exception as error:
            last = last if isinstance(error, ValueError) else error
            found.append(
                {"raised": "ValueError" if isinstance(error, ValueError) else type(error).__name__}
            )
    if last is not None and all(isinstance(size, dict) and "raised" in size for size in found):
        raise last
    if all(size == {"type": "NoneType"} for size in found):
        raise WrongType("an int", "NoneType")
    return found


def _ask_counts(function: Callable, model: ModelProto) -> dict:
    before = model.SerializeToString(deterministic=True)
    counts = function(model)
    if not isinstance(counts, Mapping):
        raise WrongType("a dict", type(counts).__name__)
    changed = model.SerializeToString(deterministic=True) != before
    return {
        "counts": {str(name): encoded(count) for name, count in counts.items()},
        "changed": changed,
    }


EXERCISE = Shapes()
