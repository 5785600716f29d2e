"""More planted pairs, as text: what reads what, which weight is whose, and settings as numbers.

A pair is (A, B, inputs, kind, the first outputs of nodes of B that may be blamed). Sound pairs have an
empty kind.
"""

import numpy as np
import onnx
from onnx import numpy_helper, parser


def model(text, opset=20, **stored):
    found = parser.parse_model(f'<ir_version: 10, opset_import: ["" : {opset}]> {text}')
    for name, value in stored.items():
        found.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    onnx.checker.check_model(found, full_check=True)
    return found


def numbers(*shape, seed=0, by=1.0):
    return (np.random.default_rng(seed).normal(size=shape) * by).astype(np.float32)


def weight(rows, columns, seed):
    return numbers(rows, columns, seed=seed, by=rows**-0.5)


def whole(*values):
    return np.array(values, np.int64)


def rows(body, **stored):
    """x, an embedding of width 8, and what is made of it."""
    weights = {"w1": weight(8, 8, 2), "w2": weight(8, 4, 3)}
    weights |= {"s": 1 + numbers(8, seed=4, by=0.2), "b": numbers(8, seed=5, by=0.2)}
    used = {
        name: value for name, value in weights.items() if f" {name})" in body or f" {name}," in body
    }
    return model(f"g (float[N, 5, 8] x) => (float[N, 5, 4] y) {{ {body} }}", **used, **stored)


def gated(gate, up):
    stored = {"wg": weight(8, 24, 1), "wu": weight(8, 24, 2), "wd": weight(24, 4, 3)}
    stored |= {"bg": numbers(24, seed=4), "bu": numbers(24, seed=5)}
    return rows(
        f"gate = MatMul(x, w{gate}) gb = Add(gate, b{gate}) up = MatMul(x, w{up}) ub = Add(up, b{up}) "
        "sw = Gelu(gb) h = Mul(sw, ub) y = MatMul(h, wd)",
        **stored,
    )


def attention(query, key):
    stored = {f"w{name}": weight(8, 8, seed) for seed, name in enumerate("qkvo", 11)}
    return model(
        f"""g (float[N, 5, 8] x) => (float[N, 5, 8] y) {{
        q = MatMul(x, w{query}) k = MatMul(x, w{key}) v = MatMul(x, wv)
        t = Transpose <perm = [0, 2, 1]> (k) s = MatMul(q, t) m = Mul(s, scale) p = Softmax(m)
        c = MatMul(p, v) y = MatMul(c, wo) }}""",
        scale=np.float32(0.4),
        **stored,
    )


def shared_heads(repeat, **stored):
    """Two heads of keys and values for four of queries."""
    return model(
        f"""g (float[N, 5, 8] x) => (float[N, 5, 16] y) {{
        k0 = MatMul(x, wk) k1 = Reshape(k0, heads) kt = Transpose <perm = [0, 2, 1, 3]> (k1) {repeat}
        k2 = Tanh(kp) c1 = Transpose <perm = [0, 2, 1, 3]> (k2) c2 = Reshape(c1, flat) y = MatMul(c2, wo) }}""",
        wk=weight(8, 8, 1),
        wo=weight(16, 16, 2),
        heads=whole(0, 0, 2, 4),
        flat=whole(0, 0, 16),
        **stored,
    )


def grouped():
    return shared_heads(
        "u = Unsqueeze(kt, two) e = Expand(u, five) kp = Reshape(e, joined)",
        two=whole(2),
        five=whole(1, 1, 2, 1, 1),
        joined=whole(0, 4, -1, 4),
    )


def normal(gamma, beta):
    return rows(
        f"n = LayerNormalization(x, {gamma}, {beta}) h = MatMul(n, w1) t = Tanh(h) y = MatMul(t, w2)"
    )


def residual(source):
    return rows(
        f"n = LayerNormalization(x, s, b) h = MatMul(n, w1) g = Gelu(h) a = Add({source}, g) y = MatMul(a, w2)"
    )


def root_mean_square(body):
    return rows(
        f"q = Mul(x, x) m = ReduceMean(q, last) {body} n = Div(x, r) g = Mul(n, s) h = MatMul(g, w1) y = MatMul(h, w2)",
        last=whole(-1),
        eps=np.float32(1e-3),
    )


def scaled(by):
    return rows("h = MatMul(x, w1) k = Mul(h, ls) a = Add(x, k) y = MatMul(a, w2)", ls=by)


def activation(node, **stored):
    return rows(f"h = MatMul(x, w1) {node} y = MatMul(t, w2)", **stored)


def cast(to):
    """Codes of ids, which are larger than an int32 holds."""
    return model(
        f"""g (int64[N] ids) => (float[N, 2] y) {{
        m = Mul(ids, k) c = Cast <to: int = {to}> (m) f = Cast <to: int = 1> (c) d = Mul(f, tiny)
        s = Sin(d) u = Unsqueeze(s, one) y = MatMul(u, w) }}""",
        k=np.array(40503, np.int64),
        one=whole(1),
        w=numbers(1, 2),
        tiny=np.float32(1e-10),
    )


def repeated(times, operator="Tanh"):
    """A Loop whose body has one operator beside its condition."""
    return rows(
        f"""h = MatMul(x, w1) f = Loop <body = b (int64 i, bool c, float[N, 5, 8] s) => (bool d, float[N, 5, 8] o)
        {{ d = Identity(c) t = Mul(s, k) o = {operator}(t) }}> (times, go, h) y = MatMul(f, w2)""",
        times=np.int64(times),
        go=np.array(True),
        k=np.float32(0.9),
    )


def mean_added(noop):
    """Without axes the mean is that of everything, or each number itself."""
    return rows(
        f"h = MatMul(x, w1) m = ReduceMean <noop_with_empty_axes = {noop}> (h, none) a = Add(m, h) y = MatMul(a, w2)",
        none=whole(),
    )


ZERO = np.float32(0)
TENTH = np.float32(0.1)
X = {"x": numbers(3, 5, 8, seed=7)}
IDS = {"ids": np.array([5, 99999, 123456], np.int64)}
LAYER_SCALE = numbers(8, seed=31)

PAIRS = {
    "gate and up": (lambda: gated("g", "u"), lambda: gated("u", "g"), X, "weight", {"gate", "gb"}),
    "query and key": (
        lambda: attention("q", "k"),
        lambda: attention("k", "q"),
        X,
        "weight",
        {"q", "k"},
    ),
    "scale and bias": (lambda: normal("s", "b"), lambda: normal("b", "s"), X, "weight", {"n"}),
    "scale left out": (
        lambda: scaled(LAYER_SCALE),
        lambda: scaled(np.ones(8, np.float32)),
        X,
        "weight",
        {"k"},
    ),
    "residual": (lambda: residual("x"), lambda: residual("n"), X, "operator", {"a"}),
    "epsilon outside": (
        lambda: root_mean_square("a = Add(m, eps) r = Sqrt(a)"),
        lambda: root_mean_square("a = Sqrt(m) r = Add(a, eps)"),
        X,
        "operator",
        {"a", "r"},
    ),
    "heads": (
        grouped,
        lambda: shared_heads("kp = Tile(kt, t)", t=whole(1, 2, 1, 1)),
        X,
        "layout",
        {"kp"},
    ),
    "heads, sound": (
        grouped,
        lambda: shared_heads("kp = Gather <axis = 1> (kt, at)", at=whole(0, 0, 1, 1)),
        X,
        "",
        set(),
    ),
    "slope": (
        lambda: activation("t = LeakyRelu <alpha = 0.2> (h)"),
        lambda: activation("t = PRelu(h, slope)", slope=np.full(8, 0.25, np.float32)),
        X,
        "attribute",
        {"t"},
    ),
    "slope, sound": (
        lambda: activation("t = LeakyRelu <alpha = 0.2> (h)"),
        lambda: activation("t = PRelu(h, slope)", slope=np.full(8, 0.2, np.float32)),
        X,
        "",
        set(),
    ),
    "operands of a Where": (
        lambda: activation("p = Greater(h, no) f = Mul(h, k) t = Where(p, h, f)", no=ZERO, k=TENTH),
        lambda: activation("p = Greater(h, no) f = Mul(h, k) t = Where(p, f, h)", no=ZERO, k=TENTH),
        X,
        "operator",
        {"t"},
    ),
    "no axes": (lambda: mean_added(0), lambda: mean_added(1), X, "attribute", {"m"}),
    "times of a Loop": (lambda: repeated(3), lambda: repeated(4), X, "attribute", {"f"}),
    "inside of a Loop": (
        lambda: repeated(3),
        lambda: repeated(3, "Softsign"),
        X,
        "operator",
        {"f"},
    ),
    "int32": (lambda: cast(7), lambda: cast(6), IDS, "cast", {"c"}),
}
