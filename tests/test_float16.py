"""float16 files whose trouble a CPU hides: what is said of them is what ONNX's reference evaluator
computes, node by node.
"""

import numpy as np
import pytest
from onnx import numpy_helper, parser
from onnx.reference import ReferenceEvaluator

from formatlab import halves
from formatlab.measure import float16
from formatlab.models import make_model

# body of a float16 model of x [5, 16], and the value that overflows.
FILES = {
    "square in a norm": (
        "s = Mul(x, x) q = Mul(s, huge) m = ReduceMean(q) r = Sqrt(m) y = Div(x, r)",
        "q",
    ),
    "between two factors": ("h = Mul(x, huge) t = Mul(h, tiny) y = Mul(t, x)", "h"),
    "a long sum": ("p = MatMul(x, heavy) r = Mul(p, tiny) y = Tanh(r)", "p"),
    "the exponent": ("g = Mul(x, five) e = Exp(g) o = Add(e, one) y = Div(e, o)", "e"),
    "a reciprocal": (
        "a = Abs(x) c = Mul(a, tiny) d = Mul(c, tiny) i = Reciprocal(d) y = Sigmoid(i)",
        "i",
    ),
    "a layer": ("p = MatMul(x, w) r = Relu(p) y = Add(r, one)", ""),
    "softmax": ("p = MatMul(x, w) m = Softmax(p) y = Mul(m, big)", ""),
    "gelu": ('p = MatMul(x, w) y = Gelu<approximate = "tanh">(p)', ""),
    "large and held": ("h = Mul(x, big) k = Mul(h, big) y = Mul(k, tiny)", ""),
    "squares that are held": ("s = Mul(x, x) m = ReduceMean(s) r = Sqrt(m) y = Div(x, r)", ""),
}


def model_of(body):
    model = make_model(
        parser.parse_graph(f"g (float16[5, 16] x) => (float16[M, N] y) {{ {body} }}")
    )
    rng = np.random.default_rng(1)
    numbers = {"big": 40, "five": 5, "huge": 3e4, "tiny": 1e-4, "one": 1}
    stored = {name: np.array(number, np.float16) for name, number in numbers.items()}
    stored["w"] = rng.normal(size=(16, 16)).astype(np.float16)
    stored["heavy"] = np.full((16, 16), 6e4, np.float16)
    read = {name for node in model.graph.node for name in node.input}
    model.graph.initializer.extend(
        numpy_helper.from_array(value, name) for name, value in stored.items() if name in read
    )
    return model


@pytest.mark.parametrize("name", FILES)
def test_what_overflows_in_float16_is_named(name):
    body, expected = FILES[name]
    model = model_of(body)
    x = np.random.default_rng(2).normal(size=(5, 16)).astype(np.float16)
    x[0] = np.abs(x[0]) + 1
    with np.errstate(all="ignore"):
        [truth] = ReferenceEvaluator(model).run(None, {"x": x})
        inner = ReferenceEvaluator(model).run(None, {"x": x}, intermediate=True)
    first = next(
        (n.output[0] for n in model.graph.node if not np.isfinite(inner[n.output[0]]).all()), ""
    )
    assert first == expected, "the reference evaluator agrees with the table"
    [[found]] = float16.outputs(model, [{"x": x}])
    assert np.array_equal(np.isfinite(found), np.isfinite(truth))
    both = np.isfinite(truth)
    assert np.allclose(found[both], truth[both], rtol=0.01, atol=1e-3)
    said = float16.largest(model, [{"x": x}])
    assert said.is_lost == bool(expected)
    if expected:
        assert said.value == expected and said.largest > float16.MAX
        assert str(said).endswith("infinite or NaN in float16")
    else:
        assert said.largest == pytest.approx(
            max(np.abs(inner[n.output[0]].astype(float)).max() for n in model.graph.node), rel=0.01
        )


def test_a_model_in_float32_keeps_its_names_and_has_no_float16():
    model = model_of(
        "c = Cast<to = 1>(x) h = Cast<to = 10>(c) z = ConstantOfShape<value = float16[1] {2}>(s) y = Add(h, z)".replace(
            "(s)", "(n)"
        ).replace("c = Cast", "n = Shape(x) c = Cast", 1)
    )
    wide = halves.in_float32(model)
    assert [node.output for node in wide.graph.node] == [node.output for node in model.graph.node]
    assert halves.concerns(model) and not halves.concerns(wide)
