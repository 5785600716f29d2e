"""The outputs "on AVX2, emulated" are those of ONNX Runtime's own kernels on AVX2.

Each of them is held against the instruction, written down in NumPy, on every processor. Where
products saturate (an old processor, or `make test-emulated`), they are held against the session
itself, number by number; where they do not, the session has to be exact.
"""

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import ModelProto, helper, numpy_helper, parser
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from formatlab import measure, quantized
from formatlab.measure import processors
from formatlab.measure.saturation import PRECISELY, on_avx2, saturated_product
from formatlab.models import digits, fixtures, make_model
from formatlab.quantized_operators.pairs import can_overflow

STEP = np.float32(0.01)


def drawn(dtype, *shape, seed=0):
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min, info.max + 1, shape).astype(dtype)


def model_of(text, **constants):
    graph = parser.parse_graph(text)
    for name, value in constants.items():
        graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    model = make_model(graph)
    if "com.microsoft" in text:
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return model


def native(model, feeds, level="ENABLE_ALL", precisely=False):
    options = ort.SessionOptions()
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, f"ORT_{level}")
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    if precisely:
        options.add_session_config_entry(*PRECISELY)
    session = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, feeds)[0]


def agrees(model, feeds, expected):
    """The emulated output is the expected one, and this processor's is the emulated or exact one."""
    found = on_avx2(model, [feeds])[0][0]
    np.testing.assert_array_equal(found, expected)
    here = found if measure.saturates() else quantized.evaluate(model, [feeds])[0][0]
    np.testing.assert_array_equal(native(model, feeds), here)


def requantized(sums, factor, dtype):
    limits = np.iinfo(dtype)
    codes = np.rint(sums.astype(np.float32) * factor) + np.float32(limits.max // 2 + 1)
    return np.clip(codes, limits.min, limits.max).astype(dtype)


@given(st.data())
def test_a_matrix_product_is_what_the_instruction_makes_of_it(data):
    """Any number of rows, terms and columns, with codes near the ends, where pairs overflow."""
    rows, terms, columns = (data.draw(st.integers(1, most)) for most in (3, 13, 5))
    seed = data.draw(st.integers(0, 999))
    a = drawn(np.uint8, rows, terms, seed=seed) | np.uint8(data.draw(st.sampled_from([0, 0x80])))
    b = drawn(np.int8, terms, columns, seed=seed + 1)
    zeros = data.draw(st.sampled_from([(0, 0), (130, -3)]))
    model = model_of(
        f"g (uint8[{rows}, {terms}] a) => (int32[{rows}, {columns}] y) {{ y = MatMulInteger(a, b, a0, b0) }}",
        b=b,
        a0=np.uint8(zeros[0]),
        b0=np.int8(zeros[1]),
    )
    agrees(model, {"a": a}, saturated_product(a, b, *zeros))


def test_long_sums_have_more_pairs_than_are_computed_at_once():
    a, b = np.full((3, 101), 255, np.uint8), np.full((101, 4), 127, np.int8)
    b[:, 1] = -128
    b[::3, 2] = 5
    b[:, 3] = 64
    model = model_of(
        "g (uint8[3, 101] a) => (int32[3, 4] y) { y = MatMulInteger(a, b, a0) }",
        b=b,
        a0=np.uint8(3),
    )
    agrees(model, {"a": a}, saturated_product(a, b, 3))


@pytest.mark.parametrize("turned", [(0, 0), (0, 1), (1, 1)], ids=str)
def test_a_qgemm_finds_its_pairs_along_the_sum(turned):
    a, b = drawn(np.uint8, 6, 33), drawn(np.int8, 33, 7, seed=1)
    bias = np.arange(7, dtype=np.int32) * 1000
    scales = np.linspace(0.01, 0.02, 7, dtype=np.float32)
    given_a = np.ascontiguousarray(a.T if turned[0] else a)
    shape = ", ".join(map(str, given_a.shape))
    model = model_of(
        f"g (uint8[{shape}] a) => (float[6, 7] y) "
        f"{{ y = com.microsoft.QGemm<transA = {turned[0]}, transB = {turned[1]}>(a, s, a0, b, t, b0, c) }}",
        s=STEP,
        a0=np.uint8(7),
        b=np.ascontiguousarray(b.T if turned[1] else b),
        t=scales,
        b0=np.zeros(7, np.int8),
        c=bias,
    )
    sums = saturated_product(a, b, 7) + bias
    agrees(model, {"a": given_a}, sums.astype(np.float32) * (STEP * scales))


def test_rows_of_any_rank_and_a_product_that_quantizes_its_own_activation():
    x = np.random.default_rng(0).normal(size=(2, 3, 34)).astype(np.float32)
    b = drawn(np.int8, 34, 6)
    model = model_of(
        "g (float[2, 3, 34] x) => (float[2, 3, 6] y) "
        "{ q, s, z = DynamicQuantizeLinear(x) i = MatMulInteger(q, b, z) f = Cast<to = 1>(i) t = Mul(s, bs) y = Mul(f, t) }",
        b=b,
        bs=STEP.reshape(1),
    )
    low, high = min(x.min(), 0), max(x.max(), 0)
    scale = np.float32((high - low) / np.float32(255))
    zero = np.rint(-low / scale)
    codes = np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.uint8)
    sums = saturated_product(codes.reshape(-1, 34), b, int(zero)).reshape(2, 3, 6)
    found = on_avx2(model, [{"x": x}])[0][0]
    np.testing.assert_allclose(found, sums * (scale * STEP), rtol=1e-6)
    if measure.saturates():
        np.testing.assert_array_equal(native(model, {"x": x}), found)


# Channels, outputs, window, groups, and the attributes that move the window.
CONVS = [
    (1, 16, (3, 3), 1, "pads = [1, 1, 1, 1]"),
    (3, 8, (3, 3), 1, "pads = [1, 1, 1, 1]"),
    (16, 32, (3, 3), 1, "pads = [1, 0, 1, 0]"),
    (5, 7, (1, 1), 1, "strides = [2, 2]"),
    (6, 4, (3, 3), 2, "dilations = [2, 2]"),
    (8, 16, (3, 3), 8, "pads = [1, 1, 1, 1]"),
    (3, 8, (2,), 1, "strides = [2]"),
    (2, 4, (2, 3, 2), 1, "pads = [1, 0, 1, 1, 1, 0]"),
]
ONE_CHANNEL_EACH = [(8, 8, (3, 3), 8, ""), (16, 16, (3, 3), 16, "pads = [1, 1, 1, 1]")]


def conv_of(operator, types, case, outputs, operands, **constants):
    channels, count, window, groups, moved = case
    sides = [7 + side for side in range(len(window))]
    shape = ", ".join(map(str, [2, channels, *sides]))
    ranks = ", ".join(f"side{side}" for side in range(len(window)))
    attributes = f"group = {groups}{', ' * bool(moved)}{moved}"
    x = drawn(types[0], 2, channels, *sides)
    w = drawn(types[1], count, channels // groups, *window, seed=1)
    model = model_of(
        f"g ({x.dtype}[{shape}] x) => ({outputs}[2, {count}, {ranks}] y) {{ y = {operator}<{attributes}>({operands}) }}",
        w=w,
        **constants,
    )
    return model, x, w


def convolved(x, w, zero, case, multiply, channels_last):
    """The sums of a convolution by `multiply(rows, columns)`: a row is one window of one group."""
    _, count, window, groups, moved = case
    given_attributes = helper.make_node("Conv", [], [])
    if moved:
        name, numbers = moved.split(" = ")
        given_attributes.attribute.append(
            helper.make_attribute(name, [int(number) for number in numbers.strip("[]").split(",")])
        )
    attributes = {each.name: list(each.ints) for each in given_attributes.attribute}
    rank = len(window)
    pads = attributes.get("pads", [0] * 2 * rank)
    strides = attributes.get("strides", [1] * rank)
    dilations = attributes.get("dilations", [1] * rank)
    around = [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:], strict=True)]
    padded = np.pad(x, around, constant_values=zero)
    reach = [(side - 1) * apart + 1 for side, apart in zip(window, dilations, strict=True)]
    windows = np.lib.stride_tricks.sliding_window_view(
        padded, reach, axis=tuple(range(2, 2 + rank))
    )
    windows = windows[(slice(None),) * 2 + tuple(slice(None, None, step) for step in strides)]
    windows = windows[(..., *(slice(None, None, apart) for apart in dilations))]
    parts = []
    for group in range(groups):
        inputs = slice(group * w.shape[1], (group + 1) * w.shape[1])
        rows = np.moveaxis(windows[:, inputs], 1, -1 if channels_last else 1 + rank)
        weight = w[group * count // groups : (group + 1) * count // groups]
        weight = np.moveaxis(weight, 1, -1) if channels_last else weight
        places = rows.shape[: 1 + rank]
        sums = multiply(rows.reshape(int(np.prod(places)), -1), weight.reshape(len(weight), -1).T)
        parts.append(np.moveaxis(sums.reshape(*places, -1), -1, 1))
    return np.concatenate(parts, axis=1)


def in_pairs(zero):
    return lambda rows, columns: saturated_product(rows, columns, zero)


def in_32_bits(zero):
    return lambda rows, columns: (rows.astype(np.int64) - zero) @ columns.astype(np.int64)


@pytest.mark.parametrize("case", CONVS + ONE_CHANNEL_EACH, ids=str)
def test_a_convolution_finds_its_pairs_in_the_window_with_the_channels_last(case):
    """Padding has the code of the zero point. With one channel for each output sums are exact."""
    factors = np.linspace(0.5, 1, case[1], dtype=np.float32) * STEP
    terms = case[0] // case[3] * np.prod(case[2])
    coarse = np.float32(0.02 * np.sqrt(terms))
    bias = np.arange(case[1], dtype=np.int32) * 500
    model, x, w = conv_of(
        "QLinearConv",
        (np.uint8, np.int8),
        case,
        "uint8",
        "x, s, x0, w, t, w0, u, y0, b",
        s=STEP,
        x0=np.uint8(130),
        t=factors,
        w0=np.zeros(case[1], np.int8),
        u=coarse,
        y0=np.uint8(128),
        b=bias,
    )
    added = (in_32_bits if case in ONE_CHANNEL_EACH else in_pairs)(130)
    bias = bias.reshape(-1, *[1] * len(case[2]))
    sums = convolved(x, w, 130, case, added, channels_last=True) + bias
    factor = (STEP * factors / coarse).reshape(bias.shape)
    agrees(model, {"x": x}, requantized(sums, factor, np.uint8))


@pytest.mark.parametrize("case", CONVS[:6] + ONE_CHANNEL_EACH[:1], ids=str)
def test_a_conv_integer_multiplies_the_weight_by_the_activation(case):
    """So it saturates where the weight is unsigned and the activation signed, and nowhere else."""
    for types in ((np.int8, np.uint8), (np.uint8, np.int8), (np.uint8, np.uint8)):
        model, x, w = conv_of(
            "ConvInteger", types, case, "int32", "x, w, x0", x0=np.array(3, types[0])
        )

        def multiply(rows, columns, types=types):
            if types[0] == np.uint8:
                return in_32_bits(3)(rows, columns)
            sums = saturated_product(columns.T, rows.T).T
            return sums - 3 * columns.astype(np.int64).sum(axis=0)

        expected = convolved(x, w, 3, case, multiply, channels_last=False)
        agrees(model, {"x": x}, expected)


@pytest.mark.parametrize(
    "types",
    [(np.uint8, np.uint8), (np.int8, np.int8), (np.int8, np.uint8)],
    ids=["u8u8", "s8s8", "s8u8"],
)
def test_other_pairs_of_types_lose_nothing(types):
    a, b = drawn(types[0], 5, 67), drawn(types[1], 67, 6, seed=1)
    text = f"g ({a.dtype}[5, 67] a) => (int32[5, 6] y) {{ y = MatMulInteger(a, b, a0) }}"
    model = model_of(text, b=b, a0=np.array(3, a.dtype))
    agrees(model, {"a": a}, in_32_bits(3)(a, b))


@given(st.integers(-128, 127), st.integers(-128, 127))
def test_only_pairs_that_an_activation_can_overflow_are_computed(first, second):
    codes = np.arange(256)
    sums = codes[:, None] * first + codes * second
    overflows = (sums > 32767).any() or (sums < -32768).any()
    found = can_overflow(np.int8([[first], [second]]), np.iinfo(np.uint8))
    assert found.tolist() == [[overflows]]


def test_a_signed_factor_that_is_no_constant_is_refused():
    """Which pairs overflow is only known from the weights."""
    model = model_of(
        "g (int8[6, 4] b) => (int32[3, 4] y) { y = MatMulInteger(a, b) }",
        a=drawn(np.uint8, 3, 6),
    )
    with pytest.raises(quantized.Refused, match="MatMulInteger"):
        on_avx2(model, [{"b": drawn(np.int8, 6, 4)}])


class Feeds(CalibrationDataReader):
    def __init__(self, images):
        self.feeds = iter([{"image": batch} for batch in np.split(images, 5)])

    def get_next(self):
        return next(self.feeds, None)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The digits CNN in static INT8, as the page on INT8 writes it."""
    folder = tmp_path_factory.mktemp("static")
    model = ModelProto.FromString(fixtures.read("digits-cnn"))
    del model.graph.value_info[:]
    onnx.save(model, folder / "float.onnx")

    def made(**options):
        types = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
        form = {"quant_format": QuantFormat.QDQ}
        images = Feeds(digits.load().train_images[:320])
        target = folder / "int8.onnx"
        quantize_static(folder / "float.onnx", target, images, **form | types | options)
        return onnx.load(target)

    return made


@pytest.fixture(scope="module")
def images():
    return {"image": digits.load().test_images[:64]}


@pytest.fixture(scope="module")
def logits(images):
    return quantized.evaluate(fixtures.read("digits-cnn"), [images])[0][0]


QDQ_AND_INTEGER = pytest.mark.parametrize("form", list(QuantFormat), ids=lambda form: form.name)


@QDQ_AND_INTEGER
def test_a_network_loses_what_its_session_loses_on_avx2(written, images, logits, form):
    """A scale for each channel loses more, weights of seven bits nothing, and it is the session
    that decides the types: of QDQ it makes int8 activations uint8, of integer operators it does not.
    """
    signed = {"activation_type": QuantType.QInt8}
    loses = {}
    for name, options in {
        "one scale": {},
        "per channel": {"per_channel": True},
        "seven bits": {"per_channel": True, "reduce_range": True},
        "signed": signed,
    }.items():
        model = written(quant_format=form, **options)
        emulated = on_avx2(model, [images])[0][0]
        exact = quantized.evaluate(model, [images])[0][0]
        here = native(model, images)
        expected = emulated if measure.saturates() else exact
        assert quantized.sqnr(expected, here) > 60, name
        loses[name] = quantized.sqnr(logits, exact) - quantized.sqnr(logits, emulated)
    assert loses["per channel"] > loses["one scale"] + 3 > 10
    assert abs(loses["seven bits"]) < 0.1
    assert loses["signed"] > 10 if form == QuantFormat.QDQ else abs(loses["signed"]) < 0.1


def test_a_precise_session_and_one_that_fuses_nothing_lose_nothing(written, images):
    model = written(per_channel=True)
    exact = quantized.evaluate(model, [images])[0][0]
    for options in ({"precisely": True}, {"level": "DISABLE_ALL"}):
        found = on_avx2(model, [images], **options)[0][0]
        assert quantized.sqnr(exact, found) > 60
        assert quantized.sqnr(native(model, images, **options), found) > 60
    # An integer product that is in the file needs no fusion.
    integer = written(per_channel=True, quant_format=QuantFormat.QOperator)
    assert quantized.sqnr(exact, on_avx2(integer, [images], "DISABLE_ALL")[0][0]) < 30


def test_a_model_may_be_bytes_and_is_not_changed(written, images):
    model = written()
    before = model.SerializeToString()
    [[from_bytes]], [[from_model]] = on_avx2(before, [images]), on_avx2(model, [images])
    np.testing.assert_array_equal(from_bytes, from_model)
    assert model.SerializeToString() == before


def test_the_recorded_losses_are_what_is_computed_here(written):
    """What was recorded on AVX2 is what the emulation finds, and VNNI and AMX are exact."""
    images = {"image": digits.load().test_images}
    # A few at a time: a run may take ten seconds of the processor, and an emulated one is slow.
    few = [{"image": part} for part in np.array_split(images["image"], 20)]
    logits = quantized.evaluate(fixtures.read("digits-cnn"), [images])[0][0]
    rows = {each.instructions: each for each in processors.RECORDED}
    for name, options in {"sqnr": {}, "sqnr_per_channel": {"per_channel": True}}.items():
        model = written(**options)
        exact = quantized.sqnr(logits, quantized.evaluate(model, [images])[0][0])
        outputs = np.concatenate([on_avx2(model, [part])[0][0] for part in few])
        emulated = quantized.sqnr(logits, outputs)
        assert getattr(rows["AVX2 alone"], name) == pytest.approx(emulated, abs=0.5)
        assert getattr(rows["AVX-512 VNNI"], name) == pytest.approx(exact, abs=0.5)
        assert getattr(rows["AMX"], name) == pytest.approx(exact, abs=0.5)


def test_a_processor_that_was_not_measured_says_why():
    for each in processors.RECORDED:
        measured = each.times.keys() == set(processors.TYPES) and each.sqnr is not None
        assert measured or (not each.times and "not recorded, because" in each.where)
        assert len(each.row()) == len(processors.HEADINGS)
