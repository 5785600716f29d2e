"""The models that the exercise `inspect` asks about: small, and each with one thing that a careless
count misses.

Every function takes a numpy Generator and returns a model with the bytes of its external data
files, `{relative path: bytes}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

from workbench.models import make_model

Inspected = tuple[ModelProto, dict[str, bytes]]

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
FLOAT = TensorProto.FLOAT


def plain(rng: np.random.Generator) -> Inspected:
    """A chain of operators, a Constant, and initializers of several shapes: a scalar and an empty
    tensor among them.
    """
    tensors = [tensor(rng, "scale", ()), tensor(rng, "none", (0, 3)), *_weights(rng, 3)]
    constant = helper.make_node(
        "Constant", [], ["constant"], value=tensor(rng, "constant", (int(rng.integers(2, 9)),))
    )
    return make_model(
        _graph([constant, *_chain(rng, int(rng.integers(9, 15)))], tensors), opset=_opset(rng)
    ), {}


def vendor_first(rng: np.random.Generator) -> Inspected:
    """opset_import starts with a vendor's domain, and nodes of that domain."""
    nodes = [*_chain(rng, 6), *_chain(rng, int(rng.integers(2, 5)), "v", VENDOR, "com.microsoft")]
    model = make_model(
        _graph(nodes, _weights(rng, 2)),
        opset=_opset(rng),
        domains={"com.microsoft": 1, "com.example": 3},
    )
    _reorder_imports(model, [1, 0, 2])
    return model, {}


def alias(rng: np.random.Generator) -> Inspected:
    """The default domain written out as ai.onnx, last in opset_import, and on some of the nodes;
    another domain has a higher version.
    """
    nodes = _chain(rng, 8)
    for node in nodes[::3]:
        node.domain = "ai.onnx"
    model = make_model(
        _graph(nodes, _weights(rng, 2)),
        opset=_opset(rng),
        domains={"com.microsoft": 1, "com.example": 30},
    )
    model.opset_import[0].domain = "ai.onnx"
    _reorder_imports(model, [1, 2, 0])
    return model, {}


def branches(rng: np.random.Generator) -> Inspected:
    """An If whose branches hold nodes and an initializer."""
    nodes = [*_chain(rng, 8), _if(rng, "if", _body(rng, "then", 2), _body(rng, "else", 3))]
    return make_model(_graph(nodes, [_flag(), *_weights(rng, 2)]), opset=_opset(rng)), {}


def nested(rng: np.random.Generator) -> Inspected:
    """An If inside an If inside an If."""
    inner = _if(rng, "inner", _body(rng, "inner_then", 1), _body(rng, "inner_else", 2))
    middle = _if(rng, "middle", _body(rng, "middle_then", 2, [inner]), _body(rng, "middle_else", 1))
    outer = _if(rng, "outer", _body(rng, "outer_then", 1, [middle]), _body(rng, "outer_else", 1))
    return make_model(
        _graph([*_chain(rng, 26), outer], [_flag(), *_weights(rng, 2)]), opset=_opset(rng)
    ), {}


def loop(rng: np.random.Generator) -> Inspected:
    """A Loop whose body holds an If."""
    step = _if(rng, "step", _body(rng, "step_then", 1), _body(rng, "step_else", 2))
    body = helper.make_graph(
        [helper.make_node("Identity", ["continue_in"], ["continue_out"]), step],
        "loop_body",
        [
            _value("i", TensorProto.INT64, []),
            _value("continue_in", TensorProto.BOOL, []),
            _value("carried_in"),
        ],
        [_value("continue_out", TensorProto.BOOL, []), _value("step")],
        [tensor(rng, "loop_weight", (3, 2))],
    )
    nodes = [
        *_chain(rng, 18),
        helper.make_node("Loop", ["trips", "flag", "x"], ["looped"], body=body),
    ]
    trips = helper.make_tensor("trips", TensorProto.INT64, [], [4])
    return make_model(_graph(nodes, [_flag(), trips, *_weights(rng, 2)]), opset=_opset(rng)), {}


def scan(rng: np.random.Generator) -> Inspected:
    """A Scan whose body sums its steps."""
    nodes = [
        helper.make_node("Add", ["sum_in", "step"], ["sum_out"]),
        *_chain(rng, 3, "s", source="step"),
    ]
    weight = tensor(rng, "scan_weight", (2, 2, 3))
    row = [_value("sum_in", shape=["n"]), _value("step", shape=["n"])]
    body = helper.make_graph(
        nodes,
        "scan_body",
        row,
        [_value("sum_out", shape=["n"]), _value("s3", shape=["n"])],
        [weight],
    )
    start = tensor(rng, "start", (5,))
    scanned = helper.make_node(
        "Scan", ["start", "x"], ["total", "sums"], body=body, num_scan_inputs=1
    )
    return make_model(
        _graph([*_chain(rng, 11), scanned], [start, *_weights(rng, 2)]), opset=_opset(rng)
    ), {}


def graph_list(rng: np.random.Generator) -> Inspected:
    """A vendor's node with an attribute that holds a list of graphs."""
    cases = [_body(rng, f"case_{index}", int(rng.integers(1, 4))) for index in range(3)]
    switch = helper.make_node("Switch", ["x"], ["switched"], domain="com.example", cases=cases)
    return make_model(
        _graph([*_chain(rng, 16), switch], _weights(rng, 2)),
        opset=_opset(rng),
        domains={"com.example": 1},
    ), {}


def functions(rng: np.random.Generator) -> Inspected:
    """A function that is called several times, one of whose nodes holds graphs, and a function that
    nobody calls.
    """
    choose = _if(
        rng, "choose", _body(rng, "choose_then", 1), _body(rng, "choose_else", 1), condition="c"
    )
    block = helper.make_function(
        "local",
        "Block",
        ["x", "c"],
        ["choose"],
        [*_chain(rng, 3, "b"), choose],
        opset_imports=[helper.make_opsetid("", 17)],
    )
    unused = helper.make_function(
        "local",
        "Unused",
        ["x"],
        ["u2"],
        _chain(rng, 2, "u"),
        opset_imports=[helper.make_opsetid("", 17)],
    )
    calls = [
        helper.make_node("Block", ["x", "flag"], [f"call{i}"], domain="local")
        for i in range(int(rng.integers(2, 5)))
    ]
    nodes = [*_chain(rng, 14), *calls]
    model = make_model(
        _graph(nodes, [_flag(), *_weights(rng, 2)]),
        opset=18,
        domains={"local": 1},
        functions=[block, unused],
    )
    return model, {}


def low_precision(rng: np.random.Generator) -> Inspected:
    """Initializers whose elements take half a byte, one byte, two bytes: an odd number of int4
    among them.
    """
    kinds = [
        TensorProto.INT4,
        TensorProto.UINT4,
        TensorProto.FLOAT16,
        TensorProto.BFLOAT16,
        TensorProto.INT8,
        TensorProto.FLOAT8E4M3FN,
    ]
    tensors = [
        tensor(
            rng,
            f"w{kind}",
            (int(rng.integers(1, 4)) * 2 + 1, int(rng.integers(2, 5)) * 2 + 1),
            kind,
        )
        for kind in kinds
    ]
    return make_model(_graph(_chain(rng, 7), tensors), opset=21), {}


def defaults(rng: np.random.Generator) -> Inspected:
    """Some initializers are graph inputs too: the input's default value."""
    tensors = _weights(rng, 4)
    graph = _graph(_chain(rng, 8), tensors)
    graph.input.extend(_value(item.name, item.data_type, item.dims) for item in tensors[:2])
    return make_model(graph, opset=_opset(rng)), {}


def no_nodes(rng: np.random.Generator) -> Inspected:
    """A graph without nodes, whose output is an initializer."""
    weight = tensor(rng, "constant", (int(rng.integers(2, 6)), 4))
    graph = helper.make_graph(
        [], "no_nodes", [], [_value("constant", shape=weight.dims)], [weight, *_weights(rng, 1)]
    )
    return make_model(graph, opset=_opset(rng)), {}


def external(rng: np.random.Generator) -> Inspected:
    """Two tensors in one external file, with a gap between them, a third in a file in a subfolder;
    another file lies beside them.
    """
    tensors = _weights(rng, 4)
    files = {"weights.bin": _move_out(tensors[:2], "weights.bin", gap=int(rng.integers(1, 5)) * 64)}
    files["layers/second.bin"] = _move_out(tensors[2:3], "layers/second.bin")
    files["other.bin"] = rng.bytes(int(rng.integers(100, 300)))
    return make_model(_graph(_chain(rng, 9), tensors), opset=_opset(rng)), files


def external_subgraph(rng: np.random.Generator) -> Inspected:
    """External data that only a subgraph's initializer refers to."""
    tensors = _weights(rng, 2)
    then, otherwise = _body(rng, "then", 2), _body(rng, "else", 2)
    files = {
        "main.bin": _move_out(tensors[:1], "main.bin"),
        "then.bin": _move_out(then.initializer, "then.bin"),
    }
    nodes = [*_chain(rng, 10), _if(rng, "if", then, otherwise)]
    return make_model(_graph(nodes, [_flag(), *tensors]), opset=_opset(rng)), files


def tensor(
    rng: np.random.Generator, name: str, dims: Sequence[int], kind: int = FLOAT
) -> TensorProto:
    """A tensor of random bits (of floats: random values); its data is in `raw_data` or, for about
    half of the floats, in `float_data`.
    """
    count = int(np.prod(dims, dtype=np.int64))
    if kind == FLOAT and rng.integers(2):
        return helper.make_tensor(name, kind, dims, rng.standard_normal(count).astype(np.float32))
    bits = {
        TensorProto.INT4: 4,
        TensorProto.UINT4: 4,
        TensorProto.INT8: 8,
        TensorProto.FLOAT8E4M3FN: 8,
        FLOAT: 32,
    }.get(kind, 16)
    data = (
        rng.standard_normal(count).astype("<f4").tobytes()
        if kind == FLOAT
        else rng.bytes((count * bits + 7) // 8)
    )
    return TensorProto(name=name, data_type=kind, dims=dims, raw_data=data)


def _opset(rng: np.random.Generator) -> int:
    return int(rng.integers(18, 21))


def _weights(rng: np.random.Generator, count: int) -> list[TensorProto]:
    return [
        tensor(rng, f"w{i}", [int(size) for size in rng.integers(2, 7, size=rng.integers(1, 4))])
        for i in range(count)
    ]


def _flag() -> TensorProto:
    return helper.make_tensor("flag", TensorProto.BOOL, [], [True])


def _value(name: str, kind: int = FLOAT, shape: Iterable[int | str] = ("n", "n")) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, list(shape))


def _chain(
    rng: np.random.Generator,
    count: int,
    prefix: str = "t",
    pool: Sequence[str] = UNARY,
    domain: str = "",
    source: str = "x",
) -> list[NodeProto]:
    """`count` nodes, one after the other, of operators that `rng` takes from `pool`: some several
    times, some not at all.
    """
    pool = rng.choice(pool, size=max(2, min(len(pool), count // 2)), replace=False)
    names = [source, *(f"{prefix}{i}" for i in range(1, count + 1))]
    return [
        helper.make_node(str(rng.choice(pool)), [a], [b], domain=domain) for a, b in pairwise(names)
    ]


def _graph(nodes: Sequence[NodeProto], initializers: Iterable[TensorProto]) -> GraphProto:
    return helper.make_graph(
        nodes, "main", [_value("x")], [_value(nodes[-1].output[0])], list(initializers)
    )


def _body(
    rng: np.random.Generator, name: str, count: int, more: Sequence[NodeProto] = ()
) -> GraphProto:
    nodes = [*_chain(rng, count, f"{name}_"), *more]
    return helper.make_graph(
        nodes,
        name,
        [],
        [_value(nodes[-1].output[0])],
        [tensor(rng, f"{name}_weight", (2, int(rng.integers(2, 5))))],
    )


def _if(
    rng: np.random.Generator,
    name: str,
    then: GraphProto,
    otherwise: GraphProto,
    condition: str = "flag",
) -> NodeProto:
    return helper.make_node("If", [condition], [name], then_branch=then, else_branch=otherwise)


def _reorder_imports(model: ModelProto, order: Sequence[int]) -> None:
    imports = [model.opset_import[index] for index in order]
    del model.opset_import[:]
    model.opset_import.extend(imports)


def _move_out(tensors: Iterable[TensorProto], location: str, gap: int = 0) -> bytes:
    """Move the tensors' data out to `location`, `gap` bytes apart; returns that file's bytes."""
    data = b""
    for item in tensors:
        raw = item.raw_data or np.array(item.float_data, dtype="<f4").tobytes()
        item.ClearField("raw_data")
        item.ClearField("float_data")
        item.data_location = TensorProto.EXTERNAL
        for key, value in {"location": location, "offset": len(data), "length": len(raw)}.items():
            item.external_data.add(key=key, value=str(value))
        data += raw + bytes(gap)
    return data
