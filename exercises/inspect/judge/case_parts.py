"""Parts of the models that `inspect` asks about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

UNARY = (
    "Abs",
    "Neg",
    "Relu",
    "Sigmoid",
    "Tanh",
    "Exp",
    "Floor",
    "Ceil",
    "Erf",
    "Softplus",
    "Softsign",
    "Sin",
    "Cos",
    "Sqrt",
    "Identity",
    "HardSwish",
)

VENDOR = ("FastGelu", "QuickGelu", "BiasGelu")
ML = ("Normalizer", "Scaler", "Binarizer")

FLOAT = TensorProto.FLOAT
# Of one element, where it is not 16.
BITS: dict[int, int] = {
    TensorProto.INT4: 4,
    TensorProto.UINT4: 4,
    TensorProto.INT8: 8,
    TensorProto.INT64: 64,
    TensorProto.BOOL: 8,
    TensorProto.FLOAT8E4M3FN: 8,
    FLOAT: 32,
}


def tensor(
    rng: np.random.Generator, name: str, dims: Sequence[int], kind: int = FLOAT
) -> TensorProto:
    """A tensor of random bits (of floats: random values); its data is in `raw_data` or, for about
    half of the floats, in `float_data`.
    """
    count = int(np.prod(dims, dtype=np.int64))
    if kind == FLOAT and rng.integers(2):
        return helper.make_tensor(name, kind, dims, rng.standard_normal(count).astype(np.float32))
    bits = BITS.get(kind, 16)
    data = (
        rng.standard_normal(count).astype("<f4").tobytes()
        if kind == FLOAT
        else rng.bytes((count * bits + 7) // 8)
    )
    return TensorProto(name=name, data_type=kind, dims=dims, raw_data=data)


def opset(rng: np.random.Generator) -> int:
    return int(rng.integers(18, 21))


def weights(rng: np.random.Generator, count: int) -> list[TensorProto]:
    return [
        tensor(rng, f"w{i}", [int(size) for size in rng.integers(2, 7, size=rng.integers(1, 4))])
        for i in range(count)
    ]


def constant(rng: np.random.Generator, name: str) -> NodeProto:
    value = tensor(rng, name, (int(rng.integers(2, 9)),))
    return helper.make_node("Constant", [], [name], value=value)


def value(name: str, kind: int = FLOAT, shape: Iterable[int | str] = ("n", "n")) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, list(shape))


def chain(
    rng: np.random.Generator,
    count: int,
    prefix: str = "t",
    pool: Sequence[str] = UNARY,
    domain: str = "",
    *,
    source: str = "x",
) -> list[NodeProto]:
    """`count` nodes, one after the other, of operators that `rng` takes from `pool`: some several
    times, some not at all.
    """
    chosen = rng.choice(pool, size=max(2, min(len(pool), count // 2)), replace=False)
    names = [source, *(f"{prefix}{i}" for i in range(1, count + 1))]
    return [
        helper.make_node(str(rng.choice(chosen)), [a], [b], domain=domain)
        for a, b in pairwise(names)
    ]


def graph(
    nodes: Sequence[NodeProto], initializers: Iterable[TensorProto], flagged: bool = False
) -> GraphProto:
    """The main graph; with an input `flag` if it is `flagged`."""
    flags = [value("flag", TensorProto.BOOL, [])] if flagged else []
    outputs = [value(nodes[-1].output[0])]
    return helper.make_graph(nodes, "main", [value("x"), *flags], outputs, list(initializers))


def body(
    rng: np.random.Generator, name: str, count: int, more: Sequence[NodeProto] = ()
) -> GraphProto:
    nodes = [*chain(rng, count, f"{name}_"), *more]
    return helper.make_graph(
        nodes,
        name,
        [],
        [value(nodes[-1].output[0])],
        [tensor(rng, f"{name}_weight", (2, int(rng.integers(2, 5))))],
    )


def if_node(
    rng: np.random.Generator,
    name: str,
    then: GraphProto,
    otherwise: GraphProto,
    condition: str = "flag",
) -> NodeProto:
    return helper.make_node("If", [condition], [name], then_branch=then, else_branch=otherwise)


def reorder_imports(model: ModelProto, order: Sequence[int]) -> None:
    imports = [model.opset_import[index] for index in order]
    del model.opset_import[:]
    model.opset_import.extend(imports)


def move_out(tensors: Iterable[TensorProto], location: str, gap: int = 0) -> bytes:
    """Move the tensors' data out to `location`, `gap` bytes apart; returns that file's bytes. The
    entries of external_data have no order: each tensor has another, none with the location first.
    """
    data = b""
    for number, item in enumerate(tensors):
        raw = item.raw_data or np.array(item.float_data, dtype="<f4").tobytes()
        item.ClearField("raw_data")
        item.ClearField("float_data")
        item.data_location = TensorProto.EXTERNAL
        where = {"offset": len(data), "length": len(raw), "location": location}
        for key in where if number % 2 else sorted(where):
            item.external_data.add(key=key, value=str(where[key]))
        data += raw + bytes(gap)
    return data
