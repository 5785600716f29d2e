"""What native INT8 kernels compute on this processor, and what they compute on every one.

Each statement about a native kernel is of one of two kinds: it holds everywhere, or it says what
holds where products saturate and what holds where they do not. `saturates` tells which of the two
this processor is.
"""

import os
import platform

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from formatlab import measure, quantized
from formatlab.measure import saturation
from formatlab.measure.saturation import PRECISELY, native_product, saturated_product
from formatlab.models import digits, fixtures

# Rows, terms and columns: one and several rows take different kernels, and every remainder of a
# block of terms has its own end.
SHAPES = [(1, 1, 1), (1, 5, 3), (2, 2, 4), (3, 9, 1), (6, 64, 17), (17, 67, 5), (4, 300, 16)]
ZEROS = [(0, 0), (7, 0), (130, -3)]
shapes = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "x".join(map(str, shape)))


def drawn(dtype, *shape, seed=0):
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min, info.max + 1, shape).astype(dtype)


def exact(a, b, a_zero=0, b_zero=0):
    return (a.astype(np.int64) - a_zero) @ (b.astype(np.int64) - b_zero)


@shapes
@pytest.mark.parametrize("zeros", ZEROS, ids=str)
def test_a_native_product_of_uint8_and_int8_is_what_this_processor_makes_of_it(shape, zeros):
    rows, terms, columns = shape
    a, b = drawn(np.uint8, rows, terms), drawn(np.int8, terms, columns, seed=1)
    expected = saturated_product if measure.saturates() else exact
    np.testing.assert_array_equal(native_product(a, b, *zeros), expected(a, b, *zeros))


@pytest.mark.parametrize(
    "types",
    [(np.uint8, np.uint8), (np.int8, np.uint8), (np.int8, np.int8)],
    ids=["u8u8", "s8u8", "s8s8"],
)
@shapes
def test_native_products_of_the_other_pairs_of_types_are_exact_everywhere(types, shape):
    rows, terms, columns = shape
    a, b = drawn(types[0], rows, terms), drawn(types[1], terms, columns, seed=1)
    np.testing.assert_array_equal(native_product(a, b, 3, 5), exact(a, b, 3, 5))


@shapes
def test_weights_of_seven_bits_are_exact_everywhere(shape):
    rows, terms, columns = shape
    a, b = (
        np.full((rows, terms), 255, np.uint8),
        (drawn(np.int8, terms, columns) >> 1).astype(np.int8),
    )
    b[:, 0] = -64  # the worst there is: every pair is -2 * 255 * 64, which 16 bits just hold
    np.testing.assert_array_equal(native_product(a, b), exact(a, b))
    np.testing.assert_array_equal(saturated_product(a, b), exact(a, b))


def test_the_probe_says_what_the_processors_flags_say():
    """ONNX Runtime takes a dot product in 32 bits where there is one, and what saturates on every
    other x86 processor.
    """
    # An emulated processor's flags are not those that the system lists: `make test-emulated` tells
    # them.
    flags = (
        os.environ.get("EMULATED_FLAGS", "").split() or measure.Card.of_this_machine().flags or ()
    )
    x86 = platform.machine() in ("x86_64", "AMD64")
    assert measure.saturates() == (x86 and not {"avx512_vnni", "avx_vnni", "amx_int8"} & set(flags))


def test_the_probe_does_not_guess(monkeypatch):
    for native, answer in ((saturated_product, True), (exact, False)):
        monkeypatch.setattr(saturation, "native_product", native)
        assert saturation.saturates.__wrapped__() is answer
    monkeypatch.setattr(saturation, "native_product", lambda a, b: exact(a, b) + 1)
    with pytest.raises(RuntimeError, match="129541"):
        saturation.saturates.__wrapped__()


class Feeds(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter([feeds])

    def get_next(self):
        return next(self.feeds, None)


@pytest.fixture(scope="module")
def quality(tmp_path_factory):
    """SQNR in dB of the digits CNN with static INT8: exactly, natively, and in a session that is
    told to be precise.
    """
    folder = tmp_path_factory.mktemp("quality")
    source, target = folder / "float.onnx", folder / "int8.onnx"
    model = onnx.load_from_string(fixtures.read("digits-cnn"))
    del model.graph.value_info[:]
    onnx.save(model, source)
    data = digits.load()
    feeds = {"image": data.test_images[:64]}
    reference = run(source.read_bytes(), feeds)

    def measured(**options):
        types = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8} | options
        quantize_static(
            source,
            target,
            Feeds({"image": data.train_images[:64]}),
            quant_format=QuantFormat.QDQ,
            **types,
        )
        found = target.read_bytes()
        answers = (
            quantized.evaluate(found, [feeds])[0][0],
            run(found, feeds),
            run(found, feeds, precisely=True),
        )
        return [quantized.sqnr(reference, answer) for answer in answers]

    return measured


def run(data, feeds, precisely=False):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    if precisely:
        options.add_session_config_entry(*PRECISELY)
    return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"]).run(None, feeds)[
        0
    ]


@pytest.mark.parametrize("per_channel", [False, True])
def test_static_int8_loses_what_saturates_and_a_precise_session_gets_it_back(quality, per_channel):
    exactly, natively, precisely = quality(per_channel=per_channel)
    assert exactly > 39 and abs(precisely - exactly) < 0.5
    if measure.saturates():
        assert natively < exactly - 10
    else:
        assert abs(natively - exactly) < 0.5


@pytest.mark.parametrize(
    "options",
    [
        {"reduce_range": True, "per_channel": True},
        {"reduce_range": True},
        {"weight_type": QuantType.QUInt8},
    ],
    ids=["seven-bits-per-channel", "seven-bits", "unsigned-weights"],
)
def test_weights_that_cannot_saturate_are_as_good_natively_on_every_processor(quality, options):
    exactly, natively, precisely = quality(**options)
    assert exactly > 37 and abs(natively - exactly) < 0.5 and abs(precisely - exactly) < 0.5
