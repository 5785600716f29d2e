"""The cases of `export`: small modules, each as its source and numbers, and the inputs that a checker
feeds to the exported models.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from formatlab_exercises.export.ask import source_of
from formatlab_exercises.export.tensors import draw
from formatlab_exercises.shared.judge import sources
from nbjudge.contract import Case, case_seed

ID = "export"
MODULES = Path(__file__).with_name("modules.py")


class Kind(NamedTuple):
    """The kind of a module, the name of its file, whether the path to it is a text (None: drawn),
    whether its example has one row, and is a tuple with one tensor; and the kinds of which another one is drawn that the same case
    hands over, and whether that has an operator of a later opset than 18: no valid file can be made
    of it then.
    """

    module: str
    file: str = "model.onnx"
    as_text: bool | None = False
    one_row: bool = False
    as_tuple: bool = False
    other: tuple[str, ...] = ()
    newer: bool = False


# Each export takes a student's code about half a second, so one case asks for several things at
# once. What a module adds: `pair` two inputs, `tokens` whole numbers, `frozen` parts in another
# mode, `cnn` an operator that is not converted down, `encoder` a stock layer whose rows the exporter
# takes for a constant where the example has one. Two hidden cases hand over a second module of the
# same inputs, so that a second one alone does not say that it has no valid file.
PUBLIC = {
    "mlp": Kind("mlp"),
    "two-inputs-one-row": Kind("pair", as_text=True, one_row=True),
    "encoder-one-row": Kind("encoder", one_row=True, as_tuple=True),
    "newer-operator": Kind("frozen", as_text=True, other=("attention",), newer=True),
}
HIDDEN = {
    "hidden-mlp": Kind("mlp"),
    "hidden-cnn": Kind("cnn", "net v2.onnx", None, other=("speltattention", "speltrotary")),
    "hidden-one-row": Kind("pair", "deployed.onnx", as_text=True, one_row=True),
    "hidden-encoder": Kind("encoder", "net v2.onnx", one_row=True, as_tuple=True),
    "hidden-tokens": Kind("tokens"),
    "hidden-newer-operator": Kind(
        "frozen", "net v2.onnx", as_text=True, other=("attention", "rotary"), newer=True
    ),
}
CLASSES = {
    **{"mlp": "Perceptron", "cnn": "Convolutions", "pair": "Pair", "tokens": "Tokens"},
    **{"encoder": "Encoder", "frozen": "Frozen", "attention": "Attention", "rotary": "Rotary"},
    **{"speltattention": "SpeltAttention", "speltrotary": "SpeltRotary"},
}
# Parts that stay in evaluation mode.
FROZEN = {"frozen": ["trunk"]}
INPUTS = ("features", "image", "key", "query", "signal", "states", "tokens", "values")
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
    handed = [_recipe(kind.module, rng, 1 if kind.one_row else int(rng.integers(2, 6)))]
    if kind.other:
        other = kind.other[0] if len(kind.other) == 1 else str(rng.choice(kind.other))
        handed.append(_recipe(other, rng, 2))
    handed[0]["as_tuple"] = kind.as_tuple
    ways = None if public else np.random.default_rng([own_seed, 1])
    made = [_handed(recipe, rng, ways) for recipe in handed]
    main, order = made[0][1], rng.permutation(len(made)).tolist()
    given = {
        **{key: main[key] for key in ("inputs", "rows")},
        "kind": kind.module,
        "others": [recipe["kind"] for recipe in handed[1:]],
        "newer": kind.newer,
        "main": order.index(0),
        "modules": [made[place][1] for place in order],
        "file": kind.file,
        "as_text": bool(rng.integers(2)) if kind.as_text is None else kind.as_text,
    }
    files = {source_of(at): made[place][0] for at, place in enumerate(order)}
    return Case(name, files, given, public, own_seed)


def _handed(
    recipe: dict, rng: np.random.Generator, ways: np.random.Generator | None
) -> tuple[bytes, dict]:
    """The source of a module, and what crosses of its recipe. A hidden one has drawn names, whose order
    is not that of the alphabet, and is written in one of `ways`.
    """
    names: dict[str, str] = {}
    if ways is not None:
        drawn = rng.permutation(INPUTS)[: len(recipe["inputs"])].tolist()
        names = dict(zip(recipe["inputs"], sorted(drawn, reverse=True), strict=True))
        names |= sources.other_attributes(MODULES, rng)
    way = None if ways is None else sources.Variant(ways)
    source = sources.written(MODULES, CLASSES[recipe["kind"]], names=names, variant=way)
    crossing = {key: recipe[key] for key in recipe if key != "kind"}
    crossing["inputs"] = {names.get(key, key): each for key, each in recipe["inputs"].items()}
    crossing["frozen"] = [names.get(part, part) for part in FROZEN.get(recipe["kind"], ())]
    return source, crossing


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
        "as_tuple": False,
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
