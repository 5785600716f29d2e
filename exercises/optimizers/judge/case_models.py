"""The models of `optimizers`: each gives one or two of the five levels something to do. Sizes,
lengths and names follow the generator.

Every model changes at some level, and not at the same one: an answer that has the levels wrong is
wrong on all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from onnx import ModelProto, helper, numpy_helper, parser

from formatlab.models import make_model, to_bytes
from formatlab_exercises.optimizers.ask import MODEL

Files = dict[str, bytes]
Weights = dict[str, np.ndarray | np.generic]


def cnn(rng: np.random.Generator) -> Files:
    """Blocks of Conv, BatchNormalization and Relu, and a linear layer. Basic folds, extended fuses;
    layout depends on the processor.
    """
    blocks, channels, lines, value = int(rng.integers(2, 5)), 3, [], "x"
    weights: Weights = {}
    for at in range(blocks):
        width = int(rng.integers(4, 9))
        weights |= {
            f"w{at}": _uniform(rng, width, channels, 3, 3),
            f"variance{at}": _uniform(rng, width) + np.float32(1),
        }
        weights |= {f"{name}{at}": _uniform(rng, width) for name in ("scale", "bias", "mean")}
        lines.append(f"c{at} = Conv <pads = [1, 1, 1, 1]> ({value}, w{at})")
        lines.append(
            f"n{at} = BatchNormalization (c{at}, scale{at}, bias{at}, mean{at}, variance{at})"
        )
        lines.append(f"r{at} = Relu (n{at})")
        value, channels = f"r{at}", width
        if at == 0:
            lines.append("p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (r0)")
            value = "p"
    weights |= {"head": _uniform(rng, channels, 5), "offset": _uniform(rng, 5)}
    lines += [
        f"q = GlobalAveragePool ({value})",
        "f = Flatten (q)",
        "m = MatMul (f, head)",
        "y = Add (m, offset)",
    ]
    height = 2 * int(rng.integers(4, 7))
    return _files(f"cnn (float[N, 3, {height}, 10] x) => (float[N, 5] y)", lines, weights)


BLOCK = """\
u{at} = MatMul ({value}, up{at})
b{at} = Add (u{at}, bias{at})
d{at} = Div (b{at}, root)
e{at} = Erf (d{at})
p{at} = Add (e{at}, one)
q{at} = Mul (b{at}, p{at})
g{at} = Mul (q{at}, half)
v{at} = MatMul (g{at}, down{at})
s{at} = Add (v{at}, {value})
h{at} = LayerNormalization (s{at}, scale{at}, shift{at})"""


def transformer(rng: np.random.Generator) -> Files:
    """Blocks of a residual sum, LayerNormalization and two linear layers with a Gelu spelt out.
    Extended fuses across them.
    """
    width, inner, value, lines = 4 * int(rng.integers(2, 4)), int(rng.integers(12, 20)), "x", []
    weights: Weights = {
        "root": np.float32(2**0.5),
        "one": np.float32(1),
        "half": np.float32(0.5),
    }
    for at in range(int(rng.integers(1, 3))):
        weights |= {
            f"up{at}": _uniform(rng, width, inner),
            f"down{at}": _uniform(rng, inner, width),
            f"bias{at}": _uniform(rng, inner),
            f"scale{at}": _uniform(rng, width) + np.float32(1),
            f"shift{at}": _uniform(rng, width),
        }
        lines += BLOCK.format(at=at, value=value).splitlines()
        value = f"h{at}"
    lines.append(f"y = Softmax <axis = -1> ({value})")
    return _files(
        f"transformer (float[B, L, {width}] x) => (float[B, L, {width}] y)", lines, weights
    )


def constants(rng: np.random.Generator) -> Files:
    """Constants, and a chain of nodes that read nothing else. Basic computes them; extended finds
    nothing more.
    """
    width = int(rng.integers(3, 8))
    chain = [
        str(name)
        for name in rng.choice(["Neg", "Abs", "Tanh", "Sigmoid", "Cos"], int(rng.integers(2, 6)))
    ]
    lines = [f"k = Constant <value = float {{{int(rng.integers(1, 9))}}}> ()", "c0 = Mul (a, b)"]
    lines += [f"c{at + 1} = {name} (c{at})" for at, name in enumerate(chain)]
    lines += [f"c = Add (c{len(chain)}, k)", "i = Identity (x)", "y = Mul (i, c)"]
    weights = {"a": _uniform(rng, width) + np.float32(2), "b": _uniform(rng, width) + np.float32(1)}
    return _files(f"constants (float[N, {width}] x) => (float[N, {width}] y)", lines, weights)


def branches(rng: np.random.Generator) -> Files:
    """An If in a branch of an If, perhaps of a third one, with constants to fold at every depth. What
    is counted stands in the subgraphs.
    """
    width, nested = int(rng.integers(3, 7)), int(rng.integers(2, 4))
    lines = ["h = Add (x, s)", _ifs(width, nested, int(rng.integers(1, 4))), "y = Tanh (j)"]
    return _files(
        f"branches (bool flag, float[N, {width}] x) => (float[N, {width}] y)",
        lines,
        {"s": _uniform(rng, width)},
    )


def nested(rng: np.random.Generator) -> Files:
    """Ifs in branches of an If, and a Loop whose body multiplies constants each time round."""
    width, depth, times = int(rng.integers(3, 7)), int(rng.integers(2, 4)), int(rng.integers(2, 5))
    folds = int(rng.integers(1, 4))
    return _files(
        f"nested (bool flag, float[N, {width}] x) => (float[N, {width}] y)",
        ["h = Add (x, s)", _ifs(width, depth, folds), _loop(width, folds), "y = Tanh (l)"],
        {"s": _uniform(rng, width), "times": np.int64(times), "yes": np.bool_(True)},
    )


def functions(rng: np.random.Generator) -> Files:
    """A local function, called several times: even without optimization the runtime writes its body
    in its place. Operators of one name in two domains, in the source already. The open size has the
    name that exporters give it.
    """
    calls, width = int(rng.integers(2, 5)), int(rng.integers(3, 8))
    values = ["x", *(f"v{at}" for at in range(calls))]
    lines = [f"{after} = local.Swish ({before})" for before, after in pairwise(values)]
    lines += [f"g = Gelu ({values[-1]})", "f = com.microsoft.Gelu (g)", "y = Add (f, offset)"]
    nodes = [helper.make_node("Sigmoid", ["a"], ["s"]), helper.make_node("Mul", ["a", "s"], ["b"])]
    swish = helper.make_function(
        "local", "Swish", ["a"], ["b"], nodes, [helper.make_opsetid("", 20)]
    )
    return _files(
        f"functions (float[batch, {width}] x) => (float[batch, {width}] y)",
        lines,
        {"offset": _uniform(rng, width)},
        domains={"local": 1, "com.microsoft": 1},
        functions=[swish],
    )


def _ifs(width: int, nested: int, folds: int) -> str:
    """j = as many Ifs as `nested`, each in a branch of the next, of the values flag, h and s; the
    other branches begin with `folds` Identities.
    """
    shape, inner = f"float[N, {width}]", "t2 = Mul (s, s)  t1 = Add (h, t2)"
    last = "t1"
    for depth in range(nested):
        other = "\n".join(
            f"o{depth}_{at} = Identity ({'h' if not at else f'o{depth}_{at - 1}'})"
            for at in range(folds)
        )
        branch = f"then_branch = then{depth} () => ({shape} {last}) {{ {inner} }}"
        rest = f"else_branch = else{depth} () => ({shape} r{depth}) {{ {other} r{depth} = Relu (o{depth}_{folds - 1}) }}"
        last = "j" if depth == nested - 1 else f"j{depth}"
        inner = f"{last} = If (flag) <{branch}, {rest}>"
    return inner


def _loop(width: int, folds: int) -> str:
    """l = a Loop on j, whose body multiplies constants each time round."""
    body = [
        "on = Identity (go)",
        "k0 = Mul (s, s)",
        *(f"k{at + 1} = Neg (k{at})" for at in range(folds)),
    ]
    body += ["z = Identity (before)", "q = Tanh (z)", f"after = Add (q, k{folds})"]
    inputs = f"int64 i, bool go, float[N, {width}] before"
    return f"l = Loop (times, yes, j) <body = body ({inputs}) => (bool on, float[N, {width}] after) {{ {' '.join(body)} }}>"


def quantized(rng: np.random.Generator) -> Files:
    """A chain of integer convolutions: nothing to do up to extended; layout turns them to channels
    last, on every processor.

    All scales are powers of two, so that requantization is exact and its rounding the same
    everywhere.
    """
    first, value, lines = 4 * int(rng.integers(1, 3)), "x", []
    channels = first
    weights: Weights = {"one": np.float32(1), "small": np.float32(2**-7), "zero": np.uint8(128)}
    for at in range(int(rng.integers(1, 4))):
        width = 4 * int(rng.integers(1, 4))
        weights[f"w{at}"] = rng.integers(100, 156, (width, channels, 3, 3)).astype(np.uint8)
        lines.append(
            f"v{at} = QLinearConv <pads = [1, 1, 1, 1]> ({value}, one, zero, w{at}, small, zero, one, zero)"
        )
        value, channels = f"v{at}", width
    lines.append(f"y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> ({value})")
    return _files(
        f"quantized (uint8[N, {first}, 8, 6] x) => (uint8[N, {channels}, 4, 3] y)", lines, weights
    )


def half(rng: np.random.Generator) -> Files:
    """Float16, in operators for which no processor has a float16 kernel: only the last level stores
    their weights as float32. The open size says of itself that it is one of rows.
    """
    width, depth = int(rng.integers(3, 7)), int(rng.integers(1, 4))
    values = ["x", *(f"v{at}" for at in range(depth))]
    lines = [
        f"{after} = PRelu ({before}, w{at})" for at, (before, after) in enumerate(pairwise(values))
    ]
    lines.append(f"y = Sin ({values[-1]})")
    weights = {f"w{at}": _uniform(rng, width).astype(np.float16) for at in range(depth)}
    model = _model(f"half (float16[N, {width}] x) => (float16[N, {width}] y)", lines, weights)
    model.graph.input[0].type.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    return {MODEL: to_bytes(model)}


def _uniform(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Between -0.5 and 0.5."""
    return rng.random(shape, dtype=np.float32) - np.float32(0.5)


def _model(
    signature: str, lines: list[str], weights: Mapping[str, np.ndarray], **options
) -> ModelProto:
    graph = parser.parse_graph(f"{signature} {{ {' '.join(lines)} }}")
    graph.initializer.extend(
        numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()
    )
    return make_model(graph, **options)


def _files(*arguments, **options) -> Files:
    return {MODEL: to_bytes(_model(*arguments, **options))}
