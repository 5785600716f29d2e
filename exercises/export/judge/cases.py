"""The cases of `export`: recipes of small modules, as plain numbers, and the inputs that a checker
feeds to the exported models.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from formatlab_exercises.export.tensors import draw
from nbjudge.contract import Case, case_seed

ID = "export"


class Kind(NamedTuple):
    """The kind of a module, the name of its file, whether the path to it is a text, whether its
    example has one row; and the kind of another one that is handed over before it, with an operator
    of a later opset than 18: no valid file can be made of that.
    """

    module: str
    file: str = "model.onnx"
    as_text: bool = False
    one_row: bool = False
    newer: str = ""


# Each export takes a student's code about half a second, so one case asks for several things at
# once. What a module adds: `pair` two inputs, `tokens` whole numbers, `frozen` parts in another
# mode, `cnn` an operator that is not converted down, `encoder` a stock layer whose rows the exporter
# takes for a constant where the example has one.
PUBLIC = {
    "mlp": Kind("mlp"),
    "two-inputs-one-row": Kind("pair", as_text=True, one_row=True),
    "encoder-one-row": Kind("encoder", one_row=True),
    "newer-operator": Kind("frozen", as_text=True, newer="attention"),
}
HIDDEN = {
    "hidden-cnn": Kind("cnn", "net v2.onnx"),
    "hidden-one-row": Kind("pair", "deployed.onnx", as_text=True, one_row=True),
    "hidden-encoder": Kind("encoder", "net v2.onnx", one_row=True),
    "hidden-tokens": Kind("tokens"),
    "hidden-newer-operator": Kind("frozen", "net v2.onnx", as_text=True, newer="rotary"),
}
# In each module one weight has more than 256 bytes: those are what the exporter's defaults put into
# a second file.
SIZES = np.arange(9, 19)
ACTIVATIONS = ("tanh", "sigmoid", "selu")  # a relu may be zero for every row


def public_cases() -> list[Case]:
    return [_case(name, kind, 0, public=True) for name, kind in PUBLIC.items()]


def cases(seed: int) -> list[Case]:
    return [_case(name, kind, seed) for name, kind in HIDDEN.items()]


def inputs(case: Case) -> list[dict[str, np.ndarray]]:
    """Fresh inputs by name, of four batch sizes: the example's, one row, one row more than the
    example, and many.
    """
    rng, rows = np.random.default_rng(case.seed), case.parameters["rows"]
    return [
        {name: draw(rng, tensor, size) for name, tensor in case.parameters["inputs"].items()}
        for size in (rows, 1, rows + 1, 2 * rows + int(rng.integers(3, 9)))
    ]


def _case(name: str, kind: Kind, seed: int, public: bool = False) -> Case:
    own_seed = case_seed(seed, ID, name)
    rng = np.random.default_rng(own_seed)
    recipe = _recipe(kind.module, rng, 1 if kind.one_row else int(rng.integers(2, 6)))
    newer = _recipe(kind.newer, rng, 2) if kind.newer else None
    given = {**recipe, "file": kind.file, "as_text": kind.as_text, "newer": newer}
    return Case(name, {}, given, public, own_seed)


def _recipe(kind: str, rng: np.random.Generator, rows: int) -> dict:
    """A module of a kind: its inputs without their rows, its sizes, a seed of its own for its
    weights, and the rows of its example.
    """
    width, hidden, outputs = (int(size) for size in rng.choice(SIZES, 3, replace=False))
    return {
        "kind": kind,
        "inputs": _inputs(kind, width, rng),
        "hidden": hidden,
        "outputs": outputs,
        "activation": str(rng.choice(ACTIVATIONS)),
        "weights": int(rng.integers(1 << 31)),
        "rows": rows,
    }


def _inputs(kind: str, width: int, rng: np.random.Generator) -> dict:
    match kind:
        case "mlp":
            return {"features": _floats(width)}
        case "cnn":
            height, across = (int(size) for size in rng.choice(np.arange(5, 10), 2, replace=False))
            return {"image": _floats(int(rng.integers(1, 4)), height, across)}
        case "pair":
            return {"query": _floats(width), "key": _floats(width)}
        case "tokens":
            length = int(rng.integers(3, 8))
            return {
                "tokens": {"shape": [length], "below": int(rng.integers(11, 30))},
                "importance": _floats(length),
            }
        case "encoder":
            return {"states": _floats(int(rng.integers(3, 6)), 8)}
        case "frozen":
            return {"signal": _floats(width)}
        case _:
            return {
                "states": _floats(
                    2 * int(rng.integers(1, 3)),
                    int(rng.integers(3, 6)),
                    2 * int(rng.integers(2, 5)),
                )
            }


def _floats(*shape: int) -> dict:
    return {"shape": list(shape), "below": 0}
