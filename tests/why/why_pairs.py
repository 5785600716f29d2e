"""Planted pairs: B is A in another form, or with one fault, renamed and in another order of nodes."""

import copy
import io
import sys
import warnings

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

F = np.float32
INT = np.int64
D, H, FF, OUT = 8, 2, 16, 4


class G:
    def __init__(s, opset=18, ir=10):
        s.n, s.w, s.k, s.opset, s.ir = [], {}, 0, opset, ir

    def c(s, name, v):
        s.w[name] = np.asarray(v)
        return name

    def op(s, t, *i, out=None, n=1, **a):
        s.k += 1
        o = (
            [out or f"{t.lower()}_{s.k}"]
            if n == 1
            else [f"{t.lower()}_{s.k}_{j}" for j in range(n)]
        )
        s.n.append(h.make_node(t, list(i), o, name=f"n_{o[0]}", **a))
        return o[0] if n == 1 else o

    def model(s, ins, outs, functions=()):
        g = h.make_graph(
            s.n,
            "g",
            [h.make_tensor_value_info(n, t, d) for n, t, d in ins],
            [h.make_tensor_value_info(n, t, d) for n, t, d in outs],
            [nh.from_array(v, k) for k, v in s.w.items()],
        )
        m = h.make_model(g, opset_imports=[h.make_opsetid("", s.opset)], ir_version=s.ir)
        onnx.checker.check_model(m)
        return m


def weights(seed=0, d=D, f=FF):
    r = np.random.default_rng(seed)

    def g(*s):
        return (r.normal(size=s) / np.sqrt(s[0])).astype(F)

    w = {k: g(d, d) * F(1.5) for k in ("wq", "wk", "wv", "wo")} | {
        "w1": g(d, f),
        "w2": g(f, d),
        "wh": g(d, OUT),
    }
    w |= {"b" + k[1:]: (r.normal(size=v.shape[1]) * 0.1).astype(F) for k, v in list(w.items())}
    for k in ("1", "2"):
        w |= {
            "g" + k + "n": (1 + 0.1 * r.normal(size=d)).astype(F),
            "h" + k + "n": (0.1 * r.normal(size=d)).astype(F),
        }
    return w


def norm(g, x, w, k, how, eps):
    if how == "op":
        return g.op(
            "LayerNormalization",
            x,
            g.c(f"g{k}n", w[f"g{k}n"]),
            g.c(f"h{k}n", w[f"h{k}n"]),
            axis=-1,
            epsilon=eps,
        )
    ax = g.c(f"axes{k}", np.array([-1], INT))
    m = g.op("ReduceMean", x, ax)
    d = g.op("Sub", x, m)
    v = g.op("ReduceMean", g.op("Mul", d, d), ax)
    s = g.op("Sqrt", g.op("Add", v, g.c(f"eps{k}", np.array(eps, F))))
    return g.op(
        "Add",
        g.op("Mul", g.op("Div", d, s), g.c(f"g{k}n", w[f"g{k}n"])),
        g.c(f"h{k}n", w[f"h{k}n"]),
    )


def gelu(g, x, how):
    def c(n, v):
        return g.c(n, np.array(v, F))

    if how == "op":
        return g.op("Gelu", x)
    if how == "erf":
        return g.op(
            "Mul",
            g.op("Mul", x, g.op("Add", g.op("Erf", g.op("Div", x, c("rt2", 2**0.5))), c("one", 1))),
            c("half", 0.5),
        )
    t = g.op(
        "Mul",
        g.op("Add", x, g.op("Mul", g.op("Mul", g.op("Mul", x, x), x), c("k3", 0.044715))),
        c("kt", (2 / np.pi) ** 0.5),
    )
    return g.op("Mul", g.op("Mul", x, g.op("Add", g.op("Tanh", t), c("one", 1))), c("half", 0.5))


def encoder(
    w,
    ln=("op", "op"),
    eps=(1e-5, 1e-5),
    act="erf",
    split=False,
    cast16=False,
    dropout=None,
    opset=20,
    noise=False,
    scale=1.0,
):
    g = G(opset)

    def lin(x, k):
        a = w["w" + k]
        if split:  # the sum over K in two halves, backwards
            m = a.shape[0] // 2
            lo, hi = (
                g.op(
                    "Slice",
                    x,
                    g.c(f"s{i}_{a.shape[0]}", np.array([i * m], INT)),
                    g.c(f"e{i}_{a.shape[0]}", np.array([(i + 1) * m], INT)),
                    g.c("last", np.array([-1], INT)),
                )
                for i in (0, 1)
            )
            y = g.op(
                "Add",
                g.op("MatMul", hi, g.c(f"w{k}_hi", a[m:])),
                g.op("MatMul", lo, g.c(f"w{k}_lo", a[:m])),
            )
        else:
            y = g.op("MatMul", x, g.c("w" + k, a))
        return g.op("Add", y, g.c("b" + k, w["b" + k]))

    x = "x"
    if noise:
        x = g.op("Add", x, g.op("Mul", g.op("RandomNormalLike", x), g.c("tiny", np.array(1e-2, F))))

    def heads(y):
        return g.op(
            "Transpose",
            g.op("Reshape", y, g.c("split", np.array([0, 0, H, D // H], INT))),
            perm=[0, 2, 1, 3],
        )

    q, k, v = heads(lin(x, "q")), heads(lin(x, "k")), heads(lin(x, "v"))
    s = g.op(
        "Mul",
        g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])),
        g.c("scale", np.array(scale / (D // H) ** 0.5, F)),
    )
    p = g.op("Softmax", s, axis=-1)
    if cast16:
        p = g.op("Cast", g.op("Cast", p, to=T.FLOAT16), to=T.FLOAT)
    c = g.op(
        "Reshape",
        g.op("Transpose", g.op("MatMul", p, v), perm=[0, 2, 1, 3]),
        g.c("join", np.array([0, 0, D], INT)),
    )
    y = norm(g, g.op("Add", x, lin(c, "o")), w, "1", ln[0], eps[0])
    if dropout is not None:
        y = g.op("Dropout", y, g.c("ratio", np.array(0.1, F)), g.c("mode", np.array(dropout)))
    z = norm(g, g.op("Add", y, lin(gelu(g, lin(y, "1"), act), "2")), w, "2", ln[1], eps[1])
    g.n.append(h.make_node("Identity", [lin(z, "h")], ["y"], name="n_y"))
    return g.model([("x", T.FLOAT, ["N", "T", D])], [("y", T.FLOAT, ["N", "T", OUT])])


def convnet(bn="op", eps=1e-3, seed=1):
    """bn: op | fold | fold without epsilon (in the second layer)"""
    r = np.random.default_rng(seed)
    g = G(18)
    x = "x"
    ci = 3
    for i in range(3):
        co = 8
        a = (r.normal(size=(co, ci, 3, 3)) / np.sqrt(ci * 9)).astype(F)
        b = (r.normal(size=co) * 0.1).astype(F)
        ga, be, mu, va = (
            (1 + 0.2 * r.normal(size=co)).astype(F),
            (0.2 * r.normal(size=co)).astype(F),
            (0.2 * r.normal(size=co)).astype(F),
            (np.exp(r.normal(size=co)) * 0.05).astype(F),
        )
        if bn == "op":
            x = g.op("Conv", x, g.c(f"c{i}", a), g.c(f"d{i}", b), pads=[1] * 4, kernel_shape=[3, 3])
            x = g.op(
                "BatchNormalization",
                x,
                g.c(f"ga{i}", ga),
                g.c(f"be{i}", be),
                g.c(f"mu{i}", mu),
                g.c(f"va{i}", va),
                epsilon=eps,
            )
        else:
            e = 0.0 if bn == "bad" and i == 1 else eps
            k = ga.astype(np.float64) / np.sqrt(va.astype(np.float64) + e)
            x = g.op(
                "Conv",
                x,
                g.c(f"c{i}", (a * k[:, None, None, None]).astype(F)),
                g.c(f"d{i}", ((b - mu) * k + be).astype(F)),
                pads=[1] * 4,
                kernel_shape=[3, 3],
            )
        x = g.op("Relu", x)
        ci = co
    x = g.op("Flatten", g.op("GlobalAveragePool", x))
    g.op(
        "Gemm", x, g.c("wf", (r.normal(size=(8, 5))).astype(F)), g.c("bf", np.zeros(5, F)), out="y"
    )
    return g.model([("x", T.FLOAT, ["N", 3, 8, 8])], [("y", T.FLOAT, ["N", 5])])


def rms(amp=60.0, eps=1e-5, seed=2):
    """y = W2 relu(rmsnorm(W1 x)): the square overflows float16 where amp is large; eps below 6e-8 is 0 there."""
    r = np.random.default_rng(seed)
    g = G(18)
    n = 16
    a = g.op("MatMul", "x", g.c("w1", (amp * r.normal(size=(n, n)) / 4).astype(F)))
    q = g.op("Mul", a, a)
    m = g.op("ReduceMean", q, g.c("ax", np.array([-1], INT)))
    s = g.op("Sqrt", g.op("Add", m, g.c("eps", np.array(eps, F))))
    b = g.op(
        "Relu", g.op("MatMul", g.op("Div", a, s), g.c("w2", (r.normal(size=(n, n)) / 4).astype(F)))
    )
    g.op("MatMul", b, g.c("w3", (r.normal(size=(n, n)) / 4).astype(F)), out="y")
    return g.model([("x", T.FLOAT, ["N", n])], [("y", T.FLOAT, ["N", n])])


def half(m):
    m = copy.deepcopy(m)
    for t in m.graph.initializer:
        if t.data_type == T.FLOAT:
            with np.errstate(all="ignore"):
                t.CopyFrom(nh.from_array(nh.to_array(t).astype(np.float16), t.name))
    for v in [*m.graph.input, *m.graph.output]:
        v.type.tensor_type.elem_type = T.FLOAT16
    return m


def values(m, names, feeds):
    import onnxruntime as ort

    m = copy.deepcopy(m)
    del m.graph.output[:]
    m.graph.output.extend(onnx.ValueInfoProto(name=n) for n in names)
    o = ort.SessionOptions()
    o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    o.log_severity_level = 4
    return ort.InferenceSession(m.SerializeToString(), o, providers=["CPUExecutionProvider"]).run(
        None, feeds
    )


def qdq(m, feeds, bad=None, by=8.0):
    """INT8 Q/DQ, symmetric, around every MatMul with a weight; the `bad`-th one's activation scale is `by` times too small."""
    m = copy.deepcopy(m)
    w = {t.name: t for t in m.graph.initializer}
    out = []
    k = 0
    mats = [n for n in m.graph.node if n.op_type == "MatMul" and n.input[1] in w]
    top = {
        n.input[0]: np.abs(
            feeds["x"] if n.input[0] == "x" else values(m, [n.input[0]], feeds)[0]
        ).max()
        for n in mats
    }
    done = {}
    for n in m.graph.node:
        if n in mats:
            i = n.input[0]
            key = (i, k == bad)
            if key not in done:
                s, z = f"as{k}", "az"
                m.graph.initializer.extend(
                    [nh.from_array(np.array(top[i] / 127 / (by if k == bad else 1), F), s)]
                    + ([nh.from_array(np.array(0, np.int8), z)] if not done else [])
                )
                out += [
                    h.make_node("QuantizeLinear", [i, s, z], [f"aq{k}"], name=f"q{k}"),
                    h.make_node("DequantizeLinear", [f"aq{k}", s, z], [f"ad{k}"], name=f"d{k}"),
                ]
                done[key] = f"ad{k}"
            a = nh.to_array(w[n.input[1]])
            ws = np.abs(a).max() / 127
            m.graph.initializer.extend(
                [
                    nh.from_array(np.rint(a / ws).astype(np.int8), f"wq{k}"),
                    nh.from_array(np.array(ws, F), f"wsc{k}"),
                ]
            )
            out.append(
                h.make_node(
                    "DequantizeLinear", [f"wq{k}", f"wsc{k}", "az"], [f"wd{k}"], name=f"dw{k}"
                )
            )
            m.graph.initializer.remove(w[n.input[1]]) if sum(
                list(x.input).count(n.input[1]) for x in m.graph.node
            ) == 1 else None
            n.input[0], n.input[1] = done[key], f"wd{k}"
            k += 1
        out.append(copy.deepcopy(n))
    del m.graph.node[:]
    m.graph.node.extend(out)
    onnx.checker.check_model(m)
    return m


def branch(v=0.3, loop=False):
    r = np.random.default_rng(5)
    g = G(18)
    a, b = ((r.normal(size=(8, 8)) / 3).astype(F) for _ in "ab")
    y = g.op("MatMul", "x", g.c("w0", a))

    def vi(n, t=T.FLOAT, d=None):
        return h.make_tensor_value_info(n, t, d)

    if loop:
        body = h.make_graph(
            [
                h.make_node("MatMul", ["s", "wl"], ["lm"], name="lmm"),
                h.make_node("LeakyRelu", ["lm"], ["lr"], name="llr", alpha=v),
                h.make_node("Identity", ["c"], ["c2"], name="lid"),
            ],
            "body",
            [vi("i", T.INT64, []), vi("c", T.BOOL, []), vi("s", T.FLOAT, None)],
            [vi("c2", T.BOOL, []), vi("lr")],
        )
        g.c("wl", b)
        y = g.op("Loop", g.c("trip", np.array(3, INT)), g.c("go", np.array(True)), y, body=body)
    else:

        def arm(p, al):
            return h.make_graph(
                [
                    h.make_node("MatMul", [y, "wl"], [p + "m"], name=p + "mm"),
                    h.make_node("LeakyRelu", [p + "m"], [p + "o"], name=p + "lr", alpha=al),
                ],
                p,
                [],
                [vi(p + "o")],
            )

        g.c("wl", b)
        y = g.op(
            "If",
            g.op("Greater", g.op("ReduceSum", "x", keepdims=0), g.c("zero", np.array(-1e9, F))),
            then_branch=arm("t", v),
            else_branch=arm("e", 0.2),
        )
    g.op("MatMul", y, "w0", out="y")
    return g.model([("x", T.FLOAT, ["N", 8])], [("y", T.FLOAT, ["N", 8])])


def softmax(opset, axis=None):
    r = np.random.default_rng(6)
    g = G(opset, 7)
    a = g.op("MatMul", "x", g.c("w0", r.normal(size=(6, 6)).astype(F)))
    s = g.op("Softmax", a, **({} if axis is None else {"axis": axis}))
    g.op("MatMul", s, g.c("w1", r.normal(size=(6, 4)).astype(F)), out="y")
    return g.model([("x", T.FLOAT, [2, 3, 6])], [("y", T.FLOAT, [2, 3, 4])])


def grid(how):
    r = np.random.default_rng(7)
    g = G(18)
    a = g.op("MatMul", "x", g.c("w0", r.normal(size=(6, 6)).astype(F)))
    b = g.op("Mul", a, g.c("k", np.array(4, F)))
    b = (
        g.op("Round", b)
        if how == "round"
        else g.op("Cast", g.op("Cast", b, to=T.INT32), to=T.FLOAT)
    )
    g.op("MatMul", b, g.c("w1", r.normal(size=(6, 4)).astype(F)), out="y")
    return g.model([("x", T.FLOAT, ["N", 6])], [("y", T.FLOAT, ["N", 4])])


def scaled(m, by):
    """A model that scales its input first, as a file with its preprocessing inside does."""
    m = copy.deepcopy(m)
    m.graph.initializer.append(nh.from_array(np.array(by, F), "pre_by"))
    for n in m.graph.node:
        n.input[:] = ["pre" if i == "x" else i for i in n.input]
    nodes = [
        h.make_node("Div", ["x", "pre_by"], ["pre"], name="n_pre"),
        *copy.deepcopy(list(m.graph.node)),
    ]
    del m.graph.node[:]
    m.graph.node.extend(nodes)
    return m


def exported(dynamo, eps=1e-5):
    import torch

    class Block(torch.nn.Module):
        def __init__(s):
            super().__init__()
            s.a = torch.nn.MultiheadAttention(D, H, batch_first=True)
            s.l = torch.nn.LayerNorm(D, eps=eps)
            s.f = torch.nn.Linear(D, FF)
            s.g = torch.nn.Linear(FF, D)

        def forward(s, x):
            y = s.l(x + s.a(x, x, x, need_weights=False)[0])
            return y + s.g(torch.nn.functional.gelu(s.f(y)))

    torch.manual_seed(3)
    m = Block().eval()
    x = torch.randn(2, 5, D)
    b = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        so, sys.stdout = sys.stdout, io.StringIO()
        try:
            if dynamo:
                p = torch.onnx.export(
                    m, (x,), dynamo=True, opset_version=18, verbose=False
                ).model_proto
            else:
                torch.onnx.export(m, (x,), b, dynamo=False, opset_version=17)
                p = onnx.load_from_string(b.getvalue())
        finally:
            sys.stdout = so
    for n in p.graph.node:
        n.doc_string = ""
        del n.metadata_props[:]
    del p.metadata_props[:]
    del p.graph.metadata_props[:]
    del p.graph.value_info[:]
    return p


def renamed(m, seed):
    """Other names for everything but inputs and outputs of the graph, and another topological order."""
    m = copy.deepcopy(m)
    r = np.random.default_rng(seed)
    keep = {v.name for v in [*m.graph.input, *m.graph.output]} | {""}
    names = {}

    def new(n):
        if n in keep:
            return n
        if n not in names:
            names[n] = f"v{int(r.integers(1e6)):06d}_{len(names)}"
        return names[n]

    def go(g, top):
        for t in g.initializer:
            t.name = new(t.name)
        if not top:
            for v in [*g.input, *g.output]:
                v.name = new(v.name)
        for n in g.node:
            n.name = f"op{int(r.integers(1e6)):06d}_{n.op_type}"
            n.input[:] = [new(i) for i in n.input]
            n.output[:] = [new(o) for o in n.output]
            for a in n.attribute:
                if a.type == onnx.AttributeProto.GRAPH:
                    go(a.g, False)

    go(m.graph, True)
    del m.graph.value_info[:]
    if any(a.type == onnx.AttributeProto.GRAPH for n in m.graph.node for a in n.attribute):
        return m, names
    left, have, out = (
        list(m.graph.node),
        {v.name for v in m.graph.input} | {t.name for t in m.graph.initializer} | {""},
        [],
    )
    while left:
        ready = [n for n in left if set(n.input) <= have]
        n = ready[int(r.integers(len(ready)))]
        left.remove(n)
        have |= set(n.output)
        out.append(copy.deepcopy(n))
    del m.graph.node[:]
    m.graph.node.extend(out)
    return m, names


def reads(*names):
    return lambda m: [n.output[0] for n in m.graph.node if set(names) & set(n.input)]


def kind(t, k=0):
    return lambda m: [[n.output[0] for n in m.graph.node if n.op_type == t][k]]


def none(m):
    return []


def cases():
    """name, A, B, feeds, verdict, cause kind, culprits (outputs of nodes of B before it is renamed)"""
    r = np.random.default_rng(11)
    w = weights()
    x = r.normal(size=(4, 6, D)).astype(F)
    im = r.normal(size=(2, 3, 8, 8)).astype(F)
    v16 = r.normal(size=(8, 16)).astype(F)

    def ch(**k):
        return {**w, **k}

    perm = np.arange(D).reshape(2, D // 2).T.reshape(-1)

    def e(w=w, **k):
        return encoder(w, **k)

    fx = {"x": x}
    R, X, U = "rounding", "different", "undecided"
    yield "01_order", e(), e(split=True), fx, R, "", none
    yield "02_norm_as_nodes", e(), e(ln=("nodes", "op"), act="op"), fx, R, "", none
    yield "03_bn_fold", convnet(), convnet("fold"), {"x": im}, R, "", none
    yield "04_bn_fold_no_eps", convnet(), convnet("bad"), {"x": im}, X, "weight", reads("c1")
    yield "05_epsilon", e(), e(eps=(1e-5, 1e-3)), fx, X, "attribute", kind("LayerNormalization", 1)
    yield (
        "06_epsilon_in_region",
        e(),
        e(ln=("op", "nodes"), eps=(1e-5, 1e-3)),
        fx,
        X,
        "attribute",
        lambda m: (
            q := kind("Sqrt")(m),
            [next(n.output[0] for n in m.graph.node if "eps2" in n.input), *q],
        )[1],
    )
    yield "07_transposed", e(), e(ch(wo=w["wo"].T.copy())), fx, X, "layout", reads("wo")
    yield (
        "08_heads",
        e(),
        e(ch(wq=w["wq"][:, perm].copy(), bq=w["bq"][perm].copy())),
        fx,
        X,
        "layout",
        reads("wq", "bq"),
    )
    yield "09_gelu_tanh", e(), e(act="tanh"), fx, X, "operator", kind("Tanh")
    yield (
        "10_softmax_12_13",
        softmax(12),
        softmax(13),
        {"x": r.normal(size=(2, 3, 6)).astype(F)},
        X,
        "opset",
        kind("Softmax"),
    )
    yield "11_cast16", e(), e(cast16=True), fx, X, "cast", kind("Cast")
    yield (
        "12_truncated",
        grid("round"),
        grid("cast"),
        {"x": r.normal(size=(4, 6)).astype(F)},
        X,
        "cast",
        kind("Cast"),
    )
    yield "13_dropout", e(dropout=False), e(dropout=True), fx, X, "training-mode", kind("Dropout")
    yield (
        "14_half_overflow",
        rms(400.0),
        half(rms(400.0)),
        {"x": v16},
        X,
        "float16-overflow",
        kind("Mul"),
    )
    yield (
        "15_half_underflow",
        rms(1e-4, 1e-12),
        half(rms(1e-4, 1e-12)),
        {"x": v16},
        X,
        "float16-underflow",
        kind("Mul"),
    )
    yield "16_half_sound", e(), half(e()), fx, R, "", none
    yield "17_int8_bad_scale", e(), qdq(e(), fx, 4), fx, X, "range", reads("as4")
    yield "18_int8_sound", e(), qdq(e(), fx), fx, R, "", none
    yield "19_random", e(noise=True), e(noise=True), fx, U, "inputs", kind("RandomNormalLike")
    yield (
        "20_if",
        branch(0.3),
        branch(0.31),
        {"x": r.normal(size=(4, 8)).astype(F)},
        X,
        "attribute",
        kind("If"),
    )
    yield (
        "21_loop",
        branch(0.3, True),
        branch(0.31, True),
        {"x": r.normal(size=(4, 8)).astype(F)},
        X,
        "attribute",
        kind("Loop"),
    )
    bad = w["w2"].copy()
    bad[5, 3] += F(0.05)
    yield "22_weight", e(), e(ch(w2=bad), ln=("nodes", "nodes")), fx, X, "weight", reads("w2")
    yield (
        "23_two_causes",
        e(),
        e(ch(wv=w["wv"] * F(1.002)), eps=(1e-5, 1e-3)),
        fx,
        X,
        "weight, attribute",
        lambda m: reads("wv")(m) + kind("LayerNormalization", 1)(m),
    )
    yield (
        "24_preprocessing",
        convnet(),
        scaled(convnet("fold"), 255.0),
        {"x": im},
        X,
        "inputs",
        kind("Div"),
    )
    try:
        import torch  # noqa
    except ImportError:
        return
    yield "25_exporters", exported(False), exported(True), None, R, "", none
    yield (
        "26_exporters_eps",
        exported(False),
        exported(True, 1e-3),
        None,
        X,
        "attribute",
        kind("LayerNormalization"),
    )
