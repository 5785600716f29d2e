"""Quantized graphs are evaluated alike on every processor: no native INT8 kernel runs, and integer
sums are exact.

Native kernels are what they are compared with, where those are exact too: with weights of seven
bits as they are, and with all eight in a session that is told to be precise. What they do otherwise
depends on the processor, and `test_saturation.py` says how.
"""

import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper, parser
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

from formatlab import loading, numerics, quantized
from formatlab.measure.saturation import PRECISELY, saturated_product
from formatlab.models import digits, fixtures, make_model
from formatlab.quantized import Refused
from formatlab_exercises.shared.judge.quantized_census import census

INTEGER_KERNELS = {
    "MatMulInteger",
    "ConvInteger",
    "QLinearConv",
    "QLinearMatMul",
    "DynamicQuantizeLinear",
    "QGemm",
    "QLinearAdd",
}
INTEGER_KERNELS |= {
    "MatMulIntegerToFloat",
    "DynamicQuantizeMatMul",
    "MatMulNBits",
    "QLinearConcat",
    "QLinearSigmoid",
    "QLinearSoftmax",
}


def images():
    return digits.load().test_images


class Feeds(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


@pytest.fixture(scope="module")
def quantize(tmp_path_factory):
    """The digits CNN as the library quantizes it: static with the options given, or dynamic."""
    folder = tmp_path_factory.mktemp("quantized")
    source, target = folder / "float.onnx", folder / "int8.onnx"
    model = onnx.load_from_string(fixtures.read("digits-cnn"))
    del model.graph.value_info[:]
    onnx.save(model, source)

    def quantized_model(static=True, **options):
        if static:
            quantize_static(
                source, target, Feeds([{"image": digits.load().train_images[:128]}]), **options
            )
        else:
            quantize_dynamic(source, target, **options)
        return target.read_bytes()

    return quantized_model


def kernels(data, feeds, level, folder):
    """The operators whose kernels ONNX Runtime really ran, out of its own profile."""
    options = ort.SessionOptions()
    options.graph_optimization_level = loading.ORT_LEVELS[level]
    options.enable_profiling, options.profile_file_prefix = True, str(folder / "profile")
    session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    session.run(None, feeds)
    events = json.loads(Path(session.end_profiling()).read_text())
    return {event["args"]["op_name"] for event in events if "op_name" in event.get("args", {})}


def natively(data, feeds, precisely=True):
    """What the session gives that people ship: optimized, with native INT8 kernels; `precisely`:
    their sums must not saturate.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    if precisely:
        options.add_session_config_entry(*PRECISELY)
    return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"]).run(None, feeds)


def test_without_optimization_a_graph_between_q_and_dq_runs_in_float(quantize, tmp_path):
    data, feeds = quantize(quant_format=QuantFormat.QDQ, per_channel=True), {"image": images()[:4]}
    # The fusion that must not happen.
    assert kernels(data, feeds, "ORT_ENABLE_ALL", tmp_path) & INTEGER_KERNELS
    ran = kernels(
        quantized.exact(onnx.load_from_string(data)).SerializeToString(),
        feeds,
        "ORT_DISABLE_ALL",
        tmp_path,
    )
    assert {
        "Conv",
        "Gemm",
        "QuantizeLinear",
        "DequantizeLinear",
    } <= ran and not ran & INTEGER_KERNELS


@pytest.mark.parametrize(
    "options",
    [
        {"quant_format": QuantFormat.QOperator, "activation_type": QuantType.QUInt8},
        {
            "quant_format": QuantFormat.QOperator,
            "activation_type": QuantType.QInt8,
            "per_channel": True,
        },
        {"static": False, "weight_type": QuantType.QUInt8},
        {"static": False, "weight_type": QuantType.QInt8, "per_channel": True},
    ],
    ids=["qoperator", "qoperator-s8s8", "dynamic-u8", "dynamic-s8"],
)
def test_integer_operators_are_written_out_and_no_integer_kernel_runs(quantize, tmp_path, options):
    data, feeds = quantize(**options), {"image": images()[:4]}
    assert kernels(data, feeds, "ORT_DISABLE_ALL", tmp_path) & INTEGER_KERNELS
    model = quantized.exact(onnx.load_from_string(data))
    onnx.checker.check_model(model, full_check=True)
    assert (
        not kernels(model.SerializeToString(), feeds, "ORT_DISABLE_ALL", tmp_path) & INTEGER_KERNELS
    )
    # Native kernels that add in 32 bits get the same sums; requantization may then fall on the
    # other side of a half step. Signed activations do that everywhere, and refuse to be made
    # precise.
    native = natively(data, feeds, precisely=options.get("activation_type") != QuantType.QInt8)[0]
    assert quantized.sqnr(quantized.evaluate(data, [feeds])[0][0], native) > 40


def test_the_exported_outputs_keep_their_names_and_order(quantize):
    data = quantize(static=False)
    assert [value.name for value in quantized.exact(onnx.load_from_string(data)).graph.output] == [
        "logits"
    ]
    before = onnx.load_from_string(data)
    quantized.exact(before)
    assert before == onnx.load_from_string(data)


def integers(rng, dtype, *shape):
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


BITS = pytest.mark.parametrize("bits", [7, 8], ids=["seven-bits", "eight-bits"])


def weights(rng, bits, *shape):
    """Signed, of that many bits: with seven, no sum of two products with a uint8 leaves 16 bits."""
    return (integers(rng, np.int8, *shape) >> (8 - bits)).astype(np.int8)


def runtimes(bits, model, feeds):
    """ONNX Runtime's outputs where they are exact on every processor: each operator as written, or
    all of it told to be precise.
    """
    data = model.SerializeToString()
    return numerics.run(data, [feeds])[0][0] if bits == 7 else natively(data, feeds)


def model_of(text, constants=(), contrib=False):
    """A model out of ONNX's text, with constants as initializers."""
    graph = parser.parse_graph(text)
    graph.initializer.extend(
        numpy_helper.from_array(value, name) for name, value in dict(constants).items()
    )
    return make_model(graph, domains={"com.microsoft": 1} if contrib else None)


@pytest.mark.parametrize("a_type", [np.uint8, np.int8])
@pytest.mark.parametrize("b_type", [np.uint8, np.int8])
@pytest.mark.parametrize("per_column", [False, True])
def test_mat_mul_integer_is_the_standards(a_type, b_type, per_column):
    rng = np.random.default_rng(3)
    names = {np.uint8: "uint8", np.int8: "int8"}
    zero = integers(rng, b_type, 5) if per_column else integers(rng, b_type)[()].reshape(())
    constants = {
        "b": integers(rng, b_type, 7, 5),
        "a0": np.array(3, a_type),
        "b0": np.asarray(zero),
    }
    model = model_of(
        f"g ({names[a_type]}[N, 7] a) => (int32[N, 5] y) {{ y = MatMulInteger(a, b, a0, b0) }}",
        constants,
    )
    feeds = {"a": integers(rng, a_type, 6, 7)}
    expected = (feeds["a"].astype(int) - 3) @ (
        constants["b"].astype(int) - np.asarray(zero).astype(int)
    )
    [found] = quantized.evaluate(model, [feeds])[0]
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, expected)


def test_zero_points_may_be_left_out():
    rng = np.random.default_rng(4)
    weight = integers(rng, np.int8, 3, 2, 2, 2)
    feeds = {"x": integers(rng, np.uint8, 1, 2, 5, 4)}
    model = model_of(
        "g (uint8[1, 2, 5, 4] x) => (int32[1, 3, A, B] y) { y = ConvInteger(x, w) }", {"w": weight}
    )
    np.testing.assert_array_equal(
        quantized.evaluate(model, [feeds])[0][0], ReferenceEvaluator(model).run(None, feeds)[0]
    )


def test_long_sums_of_a_convolution_are_exact():
    """3000 products of 255 and 127 and a little: float32 cannot hold the sum, three digits can."""
    rng = np.random.default_rng(5)
    weight = rng.integers(125, 128, (2, 3000, 1, 1)).astype(np.int8)
    feeds = {"x": rng.integers(250, 256, (1, 3000, 1, 1)).astype(np.uint8)}
    model = model_of(
        "g (uint8[1, 3000, 1, 1] x) => (int32[1, 2, 1, 1] y) { y = ConvInteger(x, w) }",
        {"w": weight},
    )
    expected = np.einsum(
        "nc,oc->no", feeds["x"][:, :, 0, 0].astype(int), weight[:, :, 0, 0].astype(int)
    )
    assert expected.max() > 2**26
    np.testing.assert_array_equal(quantized.evaluate(model, [feeds])[0][0][:, :, 0, 0], expected)


@pytest.mark.parametrize("per_channel", [False, True])
def test_q_linear_conv_is_the_standards(per_channel):
    rng = np.random.default_rng(6)
    scale = rng.uniform(0.001, 0.01, 4).astype(np.float32) if per_channel else np.float32(0.004)
    constants = {
        **{
            "w": integers(rng, np.int8, 4, 3, 3, 2),
            "ws": np.asarray(scale),
            "w0": np.zeros(np.shape(scale), np.int8),
        },
        **{
            "xs": np.array(0.02, np.float32),
            "x0": np.array(7, np.uint8),
            "ys": np.array(0.09, np.float32),
            "y0": np.array(120, np.uint8),
        },
        "bias": rng.integers(-5000, 5000, 4).astype(np.int32),
    }
    model = model_of(
        "g (uint8[N, 3, 6, 5] x) => (uint8[N, 4, A, B] y) "
        "{ y = QLinearConv<pads=[1, 0, 1, 0], strides=[2, 1]>(x, xs, x0, w, ws, w0, ys, y0, bias) }",
        constants,
    )
    feeds = {"x": integers(rng, np.uint8, 2, 3, 6, 5)}
    # By hand, in doubles: pad with the zero point, slide, add, scale, round.
    x = np.pad(feeds["x"].astype(int) - 7, [(0, 0), (0, 0), (1, 1), (0, 0)])
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 2), axis=(2, 3))[:, :, ::2]
    total = np.einsum("nchwij,ocij->nohw", windows, constants["w"].astype(int)) + constants[
        "bias"
    ].reshape(1, -1, 1, 1)
    expected = np.clip(np.rint(total * (0.02 * np.reshape(scale, (-1, 1, 1)) / 0.09)) + 120, 0, 255)
    [found] = quantized.evaluate(model, [feeds])[0]
    assert found.dtype == np.uint8 and np.unique(found).size > 50
    assert np.abs(found - expected).max() <= 1 and (found != expected).mean() < 0.01


def test_dynamic_quantize_linear_is_the_standards():
    model = model_of(
        "g (float[N] x) => (uint8[N] y, float s, uint8 z) { y, s, z = DynamicQuantizeLinear(x) }"
    )
    for x in ([-3.0, 0.1, 2.0, 7.0], [1.0, 2.0], [-5.0, -0.5], [0.0, 0.0]):
        feeds = {"x": np.array(x, np.float32)}
        y, scale, zero = quantized.evaluate(model, [feeds])[0]
        native = numerics.run(model.SerializeToString(), [feeds])[0][0]
        np.testing.assert_array_equal(y, native[0])
        assert (scale, zero) == (native[1], native[2])


CONTRIB = {
    "add": "y = com.microsoft.QLinearAdd(a, as, a0, b, bs, b0, ys, y0)",
    "mul": "y = com.microsoft.QLinearMul(a, as, a0, b, bs, b0, ys, y0)",
    "sigmoid": "y = com.microsoft.QLinearSigmoid(a, as, a0, ys, y0)",
    "leaky": "y = com.microsoft.QLinearLeakyRelu<alpha=0.2>(a, as, a0, ys, y0)",
    "softmax": "y = com.microsoft.QLinearSoftmax<axis=-1, opset=20>(a, as, a0, ys, y0)",
    "average": "y = com.microsoft.QLinearAveragePool<kernel_shape=[2, 2], strides=[1, 1]>(a, as, a0, ys, y0)",
    "global": "y = com.microsoft.QLinearGlobalAveragePool(a, as, a0, ys, y0)",
    "concat": "y = com.microsoft.QLinearConcat<axis=1>(ys, y0, a, as, a0, b, bs, b0)",
    "where": "y = com.microsoft.QLinearWhere(c, a, as, a0, b, bs, b0, ys, y0)",
    "matmul": "y = QLinearMatMul(a, as, a0, m, ms, m0, ys, y0)",
}


@BITS
@pytest.mark.parametrize("body", CONTRIB.values(), ids=CONTRIB)
def test_operators_on_quantized_numbers_are_the_runtimes_within_a_step(body, bits):
    rng = np.random.default_rng(7)
    constants = {
        **{
            "as": np.array(0.02, np.float32),
            "a0": np.array(100, np.uint8),
            "bs": np.array(0.03, np.float32),
            "b0": np.array(90, np.uint8),
        },
        **{
            "ys": np.array(0.011, np.float32),
            "y0": np.array(60, np.uint8),
            "c": np.array([[[[True], [False], [True]]]]),
        },
        **{
            "m": weights(rng, bits, 4, 6),
            "ms": rng.uniform(0.001, 0.01, 6).astype(np.float32),
            "m0": np.zeros(6, np.int8),
        },
        "b": integers(rng, np.uint8, 2, 3, 3, 4),
    }
    used = {
        name: value
        for name, value in constants.items()
        if name in body.replace("(", " ").replace(")", " ").replace(",", " ").split()
    }
    model = model_of(
        f"g (uint8[2, 3, 3, 4] a) => (uint8[A, B, C, D] y) {{ {body} }}", used, contrib=True
    )
    feeds = {"a": integers(rng, np.uint8, 2, 3, 3, 4)}
    [found], [native] = quantized.evaluate(model, [feeds])[0], runtimes(bits, model, feeds)
    assert found.shape == native.shape and found.dtype == native.dtype and np.unique(found).size > 5
    assert np.abs(found.astype(int) - native).max() <= 1


@BITS
@pytest.mark.parametrize(
    "body",
    [
        "y = com.microsoft.MatMulIntegerToFloat(q, w, s, ws, z, w0, bias)",
        "y = com.microsoft.DynamicQuantizeMatMul(x, w, ws, w0, bias)",
        "y = com.microsoft.QGemm<transB=1, alpha=0.5>(q, s, z, wt, ws, w0, c)",
    ],
    ids=["integer-to-float", "dynamic", "gemm"],
)
def test_fused_products_are_the_runtimes(body, bits):
    rng = np.random.default_rng(8)
    w = weights(rng, bits, 9, 4)
    constants = {
        "w": w,
        "wt": w.T.copy(),
        "ws": rng.uniform(0.01, 0.1, 4).astype(np.float32),
        "w0": np.zeros(4, np.int8),
    }
    constants |= {
        "bias": rng.normal(size=4).astype(np.float32),
        "c": rng.integers(-999, 999, 4).astype(np.int32),
    }
    used = {
        name: value
        for name, value in constants.items()
        if name in body.replace(")", ",").replace("(", ",").replace(" ", "").split(",")
    }
    model = model_of(
        f"g (float[N, 9] x) => (float[N, 4] y) {{ q, s, z = DynamicQuantizeLinear(x) {body} }}",
        used,
        contrib=True,
    )
    feeds = {"x": rng.normal(size=(5, 9)).astype(np.float32)}
    [found], [native] = quantized.evaluate(model, [feeds])[0], runtimes(bits, model, feeds)
    # Both scale the same integers; the order of three roundings is what may differ.
    assert np.abs(found - native).max() <= 4 * np.finfo(np.float32).eps * np.abs(native).max()


@pytest.mark.parametrize(("bits", "symmetric"), [(4, True), (4, False), (8, True), (8, False)])
def test_weights_of_few_bits_are_dequantized(bits, symmetric):
    rng = np.random.default_rng(9)
    weight = rng.normal(size=(70, 6)).astype(np.float32)
    model = model_of("g (float[N, 70] x) => (float[N, 6] y) { y = MatMul(x, w) }", {"w": weight})
    quantizer = MatMulNBitsQuantizer(model, block_size=32, is_symmetric=symmetric, bits=bits)
    quantizer.process()
    feeds = {"x": rng.normal(size=(5, 70)).astype(np.float32)}
    [found], [native] = (
        quantized.evaluate(quantizer.model.model, [feeds])[0],
        numerics.run(quantizer.model.model.SerializeToString(), [feeds])[0][0],
    )
    assert quantized.sqnr(native, found) > 60
    assert (18 if bits == 4 else 38) < quantized.sqnr(feeds["x"] @ weight, found)
    [layer] = census(quantizer.model.model).layers
    assert (layer.weights, layer.stored, layer.activations, layer.quantized) == (
        f"uint{bits}",
        "uint8",
        "float32",
        False,
    )


class MatMulInteger(OpRun):
    """What AVX2 without VNNI does."""

    op_domain = ""

    def _run(self, a, b, a_zero_point=None, b_zero_point=None):
        return (saturated_product(a, b, int(a_zero_point)),)


def test_saturation_in_sixteen_bits_changes_the_native_result_and_not_this_one():
    rng = np.random.default_rng(10)
    weight = rng.integers(-127, 128, (64, 8)).astype(np.int8)
    model = model_of(
        "g (float[N, 64] x) => (float[N, 8] y) "
        "{ q, s, z = DynamicQuantizeLinear(x) i = MatMulInteger(q, w, z) f = Cast<to=1>(i) t = Mul(f, s) y = Mul(t, ws) }",
        {"w": weight, "ws": np.float32(0.01).reshape(1)},
    )
    feeds = {"x": rng.uniform(0.5, 1, (20, 64)).astype(np.float32)}
    [truth] = [feeds["x"].astype(np.float64) @ (weight * 0.01)]
    [saturated] = ReferenceEvaluator(model, new_ops=[MatMulInteger]).run(None, feeds)
    [found] = quantized.evaluate(model, [feeds])[0]
    assert quantized.sqnr(truth, found) > 50
    assert quantized.sqnr(truth, saturated) < 25


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("y = com.microsoft.QAttention(x)", "com.microsoft::QAttention"),
        ("y = com.microsoft.DynamicQuantizeLSTM(x)", "only one runtime knows"),
        ("y = com.ms.internal.nhwc.QLinearConv(x)", "com.ms.internal.nhwc::QLinearConv"),
    ],
)
def test_other_quantized_operators_are_refused_by_name(body, words):
    with pytest.raises(Refused, match=words):
        quantized.evaluate(
            model_of(f"g (float[N] x) => (float[N] y) {{ {body} }}", contrib=True), []
        )


def test_a_convolution_whose_weights_are_computed_is_refused():
    model = model_of(
        "g (uint8[1, 1, 3, 3] x, uint8[1, 1, 2, 2] w) => (int32[1, 1, 2, 2] y) { y = ConvInteger(x, w) }"
    )
    with pytest.raises(Refused, match="not a constant"):
        quantized.evaluate(model, [])


def test_integer_operators_in_subgraphs_are_written_out():
    rng = np.random.default_rng(11)
    weight = numpy_helper.from_array(integers(rng, np.int8, 3, 2), "w")
    branches = []
    for name, zero in (("then", 0), ("else", 5)):
        value = helper.make_tensor_value_info(name, TensorProto.INT32, ["N", 2])
        node = helper.make_node("MatMulInteger", ["a", "w", f"{name}0"], [name])
        branches.append(
            helper.make_graph(
                [node],
                name,
                [],
                [value],
                [numpy_helper.from_array(np.array(zero, np.uint8), f"{name}0")],
            )
        )
    model = model_of("g (uint8[N, 3] a, bool c) => (int32[N, 2] y) { y = Identity(c) }", {})
    model.graph.initializer.append(weight)
    model.graph.node[0].CopyFrom(
        helper.make_node("If", ["c"], ["y"], then_branch=branches[0], else_branch=branches[1])
    )
    a = integers(rng, np.uint8, 4, 3)
    for choice, zero in ((True, 0), (False, 5)):
        [found] = quantized.evaluate(model, [{"a": a, "c": np.array(choice)}])[0]
        np.testing.assert_array_equal(
            found, (a.astype(int) - zero) @ numpy_helper.to_array(weight).astype(int)
        )


def test_sqnr_is_ten_log_ten_of_powers():
    reference = np.array([[3.0, -4.0]])
    assert quantized.sqnr(reference, reference * 0.9) == pytest.approx(20)
    assert quantized.sqnr(reference, np.zeros_like(reference)) == pytest.approx(0)
    assert quantized.sqnr(reference, reference.copy()) == np.inf
    assert quantized.sqnr(reference, reference[0]) == -np.inf
    assert quantized.sqnr(reference, np.array([[3.0, np.nan]])) == -np.inf
    assert quantized.sqnr(np.zeros(2), np.ones(2)) == -np.inf
    assert quantized.sqnr(np.array([1.0, np.inf]), np.ones(2)) == -np.inf


@pytest.mark.parametrize("format", [QuantFormat.QDQ, QuantFormat.QOperator])
@pytest.mark.parametrize("per_channel", [False, True])
def test_the_census_tells_what_is_quantized_and_how(quantize, format, per_channel):
    found = census(onnx.load_from_string(quantize(quant_format=format, per_channel=per_channel)))
    assert [(layer.weights, layer.activations, layer.dynamic) for layer in found.layers] == [
        ("int8", "int8", False)
    ] * 4
    assert all(layer.quantized and layer.per_channel is per_channel for layer in found.layers)
    assert [layer.elements for layer in found.layers] == [144, 4608, 51200, 1000]
    assert found.bytes["int8"] >= 56952 and found.bytes["float32"] < 2000


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "q = QuantizeLinear(x, s, z)  d = DequantizeLinear(q, s, z)  y = MatMul(d, v)",
        "t = Div(x, s)  r = Round(t)  q = Cast<to = 3>(r)  d = DequantizeLinear(q, s)  y = MatMul(d, v)",
        "q = QuantizeLinear(x, s, z)  i = MatMulInteger(q, w, z)  f = Cast<to = 1>(i)  y = Mul(f, s)",
        "p = Reciprocal(s)  t = Mul(p, x)  r = Round(t)  q = Cast<to = 3>(r)"
        "  i = MatMulInteger(q, w, z)  f = Cast<to = 1>(i)  y = Mul(f, s)",
        "q = Cast<to = 3>(x)  o = QLinearMatMul(q, s, z, w, c, z, c, z)  y = Cast<to = 1>(o)",
    ],
    ids=["qdq", "written-out", "integer", "reciprocal", "qlinear"],
)
def test_the_census_knows_a_scale_that_each_run_computes(text, anew):
    constants = {
        "w": np.ones((3, 2), np.int8),
        "z": np.array(0, np.int8),
        "c": np.array(0.1, np.float32),
    }
    if anew:
        text = f"a = Abs(x)  m = ReduceMax<keepdims = 0>(a)  s = Mul(m, c)  {text}"
    else:
        constants["s"] = np.array(0.1, np.float32)
        if "Reciprocal" in text:
            constants["p"] = np.array(10, np.float32)
            text = text.removeprefix("p = Reciprocal(s)")
    graph = f"g (float[N, 3] x) => (float[N, 2] y) {{ v = DequantizeLinear(w, c, z)  {text} }}"
    [layer] = census(model_of(graph, constants)).layers
    assert layer.dynamic is anew and layer.weights == "int8"


def test_the_census_looks_once_at_what_many_concats_read():
    """Two Concats on each of sixty levels read both of the level before: 2 ** 60 ways lead through
    them.
    """
    levels = "".join(
        f"a{level} = Concat<axis = 0>(a{level - 1}, b{level - 1})"
        f"  b{level} = Concat<axis = 0>(b{level - 1}, a{level - 1})  "
        for level in range(1, 61)
    )
    constants = {
        "w": np.ones((3, 2), np.int8),
        "z": np.array(0, np.int8),
        "s": np.array(0.1, np.float32),
    }
    quantizes = "q = QuantizeLinear(x, s, z)  a0 = DequantizeLinear(q, s, z)  b0 = Relu(a0)"
    graph = f"g (float[N, 3] x) => (float[M, 2] y) {{ {quantizes}  {levels} v = DequantizeLinear(w, s, z)  y = MatMul(a60, v) }}"
    [layer] = census(model_of(graph, constants)).layers
    assert (layer.activations, layer.dynamic, layer.quantized) == ("int8", False, True)


def test_the_census_knows_float_dynamic_and_pretended_layers(quantize):
    assert not any(
        layer.quantized
        for layer in census(onnx.load_from_string(fixtures.read("digits-cnn"))).layers
    )
    dynamic = census(onnx.load_from_string(quantize(static=False, per_channel=True))).layers
    assert all(layer.dynamic and layer.quantized for layer in dynamic)
    # The library has no per-channel ConvInteger.
    assert [layer.per_channel for layer in dynamic] == [False, False, True, True]
    text = """g (float[N, 3] x) => (float[N, 2] y) {
        xq = QuantizeLinear(x, s, z)  xd = DequantizeLinear(xq, s, z)
        wq = QuantizeLinear(w, s, z)  wd = DequantizeLinear(wq, s, z)
        y = MatMul(xd, wd)
    }"""
    constants = {
        "w": np.ones((3, 2), np.float32),
        "s": np.array(0.1, np.float32),
        "z": np.array(0, np.int8),
    }
    [layer] = census(model_of(text, constants)).layers
    assert (layer.weights, layer.stored, layer.activations, layer.quantized) == (
        "int8",
        "float32",
        "int8",
        False,
    )


@pytest.mark.parametrize("rewrite", ["Identity", "Cast", "Mul", "Add", "Transpose"])
def test_a_float_weight_is_one_behind_nodes_that_leave_it_as_it_is(rewrite):
    """And a layer that nothing reads is no layer."""
    model = onnx.ModelProto.FromString(fixtures.read("digits-cnn"))
    before = [(layer.operator, layer.weights, layer.elements) for layer in census(model).layers]
    neutral = {"Mul": np.float32(1), "Add": np.float32(0)}
    nodes = []
    for node in list(model.graph.node):
        if node.op_type == "Conv":
            weight, options = (
                node.input[1],
                {"Cast": {"to": onnx.TensorProto.FLOAT}, "Transpose": {"perm": [0, 1, 2, 3]}},
            )
            others = [f"{weight}/neutral"] if rewrite in neutral else []
            if others:
                model.graph.initializer.append(numpy_helper.from_array(neutral[rewrite], others[0]))
            nodes.append(
                helper.make_node(
                    rewrite, [weight, *others], [f"{weight}/same"], **options.get(rewrite, {})
                )
            )
            node.input[1] = f"{weight}/same"
            idle = onnx.NodeProto()
            idle.CopyFrom(node)
            idle.output[0] += "/idle"
            nodes.append(idle)
        nodes.append(node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    found = census(model)
    assert [
        (layer.operator, layer.weights, layer.elements) for layer in found.layers
    ] == before and found.weightless == 0
