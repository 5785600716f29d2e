"""Where B adds error: each part of B runs on A's values, so nothing that it inherits is held against it.

The first value that differs is the first layer of every INT8 and float16 file, and the readers of a
value that was folded into what gives it.
"""

import numpy as np
import onnx
import pytest
from onnx import numpy_helper, parser
from onnxruntime.quantization import QuantFormat
from onnxruntime.quantization import quantize_static as static
from onnxruntime.transformers.float16 import convert_float_to_float16

import formatlab
from formatlab.models import make_model
from tests.diff.diff_edits import copy
from tests.diff.test_diff_pairs import Reader

RNG = np.random.default_rng(0)
NUMBERS = {
    "w": RNG.normal(size=(16, 16)) / 4,
    "v": RNG.normal(size=(16, 16)) / 4,
    "u": RNG.normal(size=(16, 8)) / 4,
    "k": RNG.normal(size=(4, 2, 3, 3)) / 3,
    "last": RNG.normal(size=(4, 4, 1, 1)),
    "gamma": RNG.uniform(0.5, 2, 4),
    "beta": RNG.normal(size=4),
    "mean": RNG.normal(size=4),
    "var": RNG.uniform(0.001, 0.01, 4),
    "below": -np.abs(RNG.normal(size=16)) - 30,
}
LAYERS = """h = MatMul(x, w) n = Tanh(h) p = MatMul(n, v) r = Sigmoid(p) q = Mul(r, n) y = MatMul(q, u)"""


def graph(body, ends="float[N, 16] x) => (float[N, M] y", **numbers):
    model = make_model(parser.parse_graph(f"g ({ends}) {{ {body} }}"))
    read = {name for node in model.graph.node for name in node.input}
    model.graph.initializer.extend(
        numpy_helper.from_array(np.asarray(value, np.float32), name)
        for name, value in {**NUMBERS, **numbers}.items()
        if name in read
    )
    return model


def place(a, b):
    """The value of B that is named, and what is said."""
    found = formatlab.diff(a, b).agreement
    return found.first and found.first[1], found.text


def convolution(epsilon, factor=1.0):
    """Convolution and normalization as two nodes, and folded into one with this epsilon; behind them
    a second convolution, which is `factor` times larger in the other model.
    """
    ends = "float[N, 2, 6, 6] x) => (float[N, 4, 6, 6] y"
    first = "c = Conv<pads = [1, 1, 1, 1]>(x, k"
    behind = "r = Relu(NAME) y = Conv(r, last)"
    normalized = f"{first}) b = BatchNormalization(c, gamma, beta, mean, var)"
    two = graph(f"{normalized} {behind.replace('NAME', 'b')}", ends)
    scale = NUMBERS["gamma"] / np.sqrt(NUMBERS["var"] + epsilon)
    one = graph(
        f"{first}, bias) {behind.replace('NAME', 'c')}",
        ends,
        k=NUMBERS["k"] * scale[:, None, None, None],
        bias=NUMBERS["beta"] - NUMBERS["mean"] * scale,
        last=NUMBERS["last"] * factor,
    )
    return two, one


def test_a_fold_is_no_place_and_a_wrong_one_is():
    """The folded Conv is A's Conv among nodes, and gives another value."""
    value, said = place(*convolution(1e-5, 1.01))
    assert value == "y", said
    value, said = place(*convolution(0))
    assert value == "r" and "the last of 2 nodes" in said, said


@pytest.mark.parametrize(
    ("before", "after", "value"),
    [
        ("v", "v", ""),
        ("p = MatMul(n, v)", "p = MatMul(n, w)", "p"),
        ("r = Sigmoid(p)", "r = HardSigmoid(p)", "q"),
        ("q = Mul(r, n)", "e = Cast<to = 10>(r) f = Cast<to = 1>(e) q = Mul(f, n)", "q"),
    ],
)
def test_the_part_that_adds_error_is_named_and_not_what_inherits_it(before, after, value):
    other = graph(LAYERS.replace(before, after).replace("h = MatMul", "z = Identity(x) h = MatMul"))
    found, said = place(graph(LAYERS), other)
    assert (found or "") == value, said
    assert ("B adds error at" in said) == bool(value)


def test_an_error_that_vanishes_behind_its_node_is_no_false_pair():
    """A Relu whose readers see zeros heals whatever stands before it."""
    body = "h = MatMul(x, w) c = Add(h, below) d = Relu(c) p = MatMul(x, v) s = Add(d, p) y = Concat<axis = 1>(s, c)"
    found, said = place(graph(body), graph(body.replace("MatMul(x, w)", "MatMul(x, v)")))
    assert found == "h", said


def test_two_places_are_counted():
    other = LAYERS.replace("MatMul(n, v)", "MatMul(n, w)")
    found, said = place(graph(LAYERS), graph(other, u=NUMBERS["u"] * 1.01))
    assert found == "p" and "1 more place behind it adds error too" in said, said


@pytest.fixture(scope="module")
def quantized(tmp_path_factory):
    model = graph(LAYERS)
    path = tmp_path_factory.mktemp("int8") / "int8.onnx"
    feeds = [{"x": np.clip(RNG.normal(size=(64, 16)), -3, 3).astype(np.float32)} for _ in range(4)]
    static(
        copy(model),
        path,
        Reader(feeds),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=["MatMul"],
    )
    return model, onnx.load(path)


def test_a_good_int8_file_has_no_place_and_a_bad_scale_is_one(quantized):
    model, good = quantized
    found, said = place(model, good)
    assert found is None and "No place stands out" in said, said
    bad = copy(good)
    scale = next(tensor for tensor in bad.graph.initializer if tensor.name == "n_scale")
    scale.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(scale) / 16, scale.name))
    found, said = place(model, bad)
    assert found and "where parts like it are at" in said, said
    reads = [node for node in bad.graph.node if found in node.output]
    assert reads and reads[0].op_type == "MatMul" and "v" in reads[0].input[1], said


def test_a_table_in_float16_is_no_place():
    """It only moves numbers, which were rounded as all others were."""
    ends = "int64[N] i) => (float[N, M] y"
    sound = graph(
        "e = Gather(table, i) h = MatMul(e, w) n = Tanh(h) p = MatMul(n, v) y = MatMul(p, u)",
        ends,
        table=RNG.normal(size=(30, 16)),
    )
    found, said = place(sound, convert_float_to_float16(copy(sound), keep_io_types=True))
    assert found is None and "No place stands out" in said, said


def test_float16_is_computed_in_float16_and_an_overflow_is_named():
    sound = graph(LAYERS)
    found, said = place(sound, convert_float_to_float16(copy(sound), keep_io_types=True))
    assert found is None and "Nothing overflows: the largest number is" in said, said
    loud = graph(
        "h = MatMul(x, w) a = Mul(h, big) c = Mul(a, small) y = MatMul(c, u)", big=3e4, small=1e-4
    )
    found, said = place(loud, convert_float_to_float16(copy(loud), keep_io_types=True))
    assert found == "a", said
    assert "dB on this CPU" in said and "an output is NaN or infinite" in said
    assert "`a`, which Mul gives, is infinite or NaN in B alone" in said


def test_what_draws_random_numbers_is_the_reason():
    body = LAYERS.replace("r = Sigmoid(p)", "r = Sigmoid(p)")
    drops = body.replace(
        "q = Mul(r, n)", "t = Constant<value = bool {1}>() o = Dropout(r, , t) q = Mul(o, n)"
    )
    found, said = place(graph(body), graph(drops))
    assert "B draws random numbers" in said and "Dropout in training mode" in said
    found, said = place(graph(drops), graph(body))
    assert found is None and "nothing was decided: A draws random numbers" in said
    assert "times float32's own error" not in said
