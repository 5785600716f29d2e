"""The page on quantization: its numbers are those of numpy, ml_dtypes, ONNX Runtime and formatlab,
and its controls work.
"""

import data_quantize
import ml_dtypes
import numpy as np
import onnxruntime as ort
import pytest
from onnx import parser
from playwright.sync_api import expect

from formatlab import sqnr
from formatlab.models import make_model

pytestmark = pytest.mark.xdist_group("alive")
FORMATS = {
    "FP16": (np.float16, np.uint16),
    "BF16": (ml_dtypes.bfloat16, np.uint16),
    "FP8 E4M3": (ml_dtypes.float8_e4m3fn, np.uint8),
    "FP8 E5M2": (ml_dtypes.float8_e5m2, np.uint8),
    "FP32": (np.float32, np.uint32),
}
MINUS = "\N{MINUS SIGN}"
ALIKE = "(list) => list.map((x) => Number.isFinite(x) ? (Object.is(x, -0) ? '-0' : x) : String(x))"


@pytest.fixture(scope="module", autouse=True)
def data(site):
    _, folder = site
    data_quantize.write(folder / "_static" / "data")


def numbers(rng, count=400):
    """Asymmetric float32 numbers with an outlier, zeros and exact halves of a step."""
    return np.concatenate([rng.normal(0.3, 1, count), [0, -0.0, 9.5], np.arange(-3, 4) / 2]).astype(
        np.float32
    )


# With 127 codes up to 63.5 the scale is 0.5, so that odd quarters lie in the middle between two
# codes.
TIES = np.append(np.arange(-40, 41) / 4, 63.5).astype(np.float32)


def by_numpy(x, low, high, bits):
    scale = np.float32(
        (np.float32(max(high, 0)) - np.float32(min(low, 0))) / np.float32(2**bits - 1)
    )
    zero = np.rint(np.float32(0) - np.float32(min(low, 0)) / scale)
    codes = np.clip(np.rint(x / scale) + zero, 0, 2**bits - 1)
    return scale, zero, codes, (codes - zero).astype(np.float32) * scale


@pytest.mark.parametrize("bits", [2, 3, 4, 8])
def test_codes_and_sqnr_are_those_of_numpy(javascript, bits):
    rng = np.random.default_rng(bits)
    for _ in range(5):
        x = numbers(rng)
        low, high = (
            float(np.float32(x.min() * rng.uniform(0.3, 1.1))),
            float(np.float32(x.max() * rng.uniform(0.3, 1.1))),
        )
        found = javascript(
            "quantize",
            """(() => { const x = Float32Array.from(a[0]), p = m.parameters(a[1], a[2], a[3], false), j = m.judge(x, p);
            return [p.scale, p.zero, [...x].map((v) => m.quantize(v, p)), [...j.found], j.sqnr]; })()""",
            [x.tolist(), low, high, bits],
        )
        scale, zero, codes, back = by_numpy(x, low, high, bits)
        assert found[0] == scale and found[1] == zero
        assert found[2] == codes.tolist()
        assert found[3] == back.tolist()
        assert found[4] == pytest.approx(sqnr.sqnr(x, back), rel=1e-12)


@pytest.mark.parametrize(
    "x", [numbers(np.random.default_rng(1)), TIES], ids=["any", "halves of a step"]
)
def test_symmetric_codes_are_those_of_onnx_runtime(javascript, x):
    graph = parser.parse_graph(
        "g (float[N] x, float s, int8 z) => (int8[N] q, float[N] y) { q = QuantizeLinear(x, s, z) y = DequantizeLinear(q, s, z) }"
    )
    session = ort.InferenceSession(
        make_model(graph).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    most = float(np.abs(x).max())
    scale, codes, back = javascript(
        "quantize",
        """(() => { const p = m.parameters(-a[1], a[1], 8, true), q = a[0].map((v) => m.quantize(v, p));
        return [p.scale, q, q.map((v) => m.dequantize(v, p))]; })()""",
        [x.tolist(), most],
    )
    expected = session.run(
        None, {"x": x, "s": np.array(scale, np.float32), "z": np.array(0, np.int8)}
    )
    assert scale == np.float32(most) / np.float32(127)
    assert [codes, back] == [value.tolist() for value in expected]


@pytest.mark.parametrize("symmetric", [False, True])
def test_a_range_of_nothing_but_0_has_the_scale_1(javascript, symmetric):
    """As the lab's own check wants it, where no number differs from 0."""
    found = javascript(
        "quantize",
        """(() => { const p = m.parameters(0, 0, 8, a), j = m.judge([-0.5, 0, 0.75], p);
        return [p.scale, Object.is(p.zero, -0) ? "-0" : p.zero, [...j.found], j.sqnr]; })()""",
        symmetric,
    )
    assert found[0] == 1 and found[1] == 0
    assert all(np.isfinite(found[2])) and np.isfinite(found[3])


@pytest.mark.parametrize("symmetric", [False, True])
def test_both_ends_of_a_range_at_0_give_numbers_and_a_picture(open_page, symmetric):
    """The page's errors fail the test as well: a picture of NaN is nine of them."""
    bench = open_page("quantization").locator("quantization-bench")
    if symmetric:
        bench.get_by_label("Symmetric, signed codes").check()
    bench.get_by_label("Smallest number").fill("0")
    bench.get_by_label("Largest number").fill("0")
    expect(bench.locator("dd").first).to_have_text("1")
    expect(bench.locator("output[for=low]")).to_have_text("0")
    assert "NaN" not in bench.inner_text()


@pytest.mark.parametrize("name", FORMATS)
def test_every_pattern_is_the_number_that_python_reads(javascript, name):
    dtype, pattern = FORMATS[name]
    if name == "FP32":
        rng = np.random.default_rng(0)
        edges = [
            0,
            1,
            0x80000000,
            0x7F7FFFFF,
            0x7F800000,
            0xFF800000,
            0x7FC00000,
            0x00800000,
            0x007FFFFF,
        ]
        bits = np.concatenate([rng.integers(0, 2**32, 20_000, dtype=np.uint64), edges]).astype(
            np.uint32
        )
    else:
        bits = np.arange(np.iinfo(pattern).max + 1, dtype=np.int64).astype(pattern)
    with np.errstate(invalid="ignore"):
        expected = bits.view(dtype).astype(np.float64)
    text = javascript(
        "floats",
        f"({ALIKE})(a[1].map((b) => m.decode(m.FORMATS[a[0]], b).value))",
        [name, bits.tolist()],
    )
    found = np.array([float(value) for value in text])
    assert np.array_equal(found, expected, equal_nan=True)
    assert np.array_equal(np.signbit(found[expected == 0]), np.signbit(expected[expected == 0]))


@pytest.mark.parametrize("name", FORMATS)
def test_a_number_gets_the_pattern_that_python_gives(javascript, name):
    dtype, pattern = FORMATS[name]
    rng = np.random.default_rng(2)
    x = (rng.normal(size=4000) * 2.0 ** rng.integers(-30, 20, 4000)).astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        # Halves between two numbers of every small format.
        ties = np.arange(1, 2**13, dtype=np.float32) / 64
        x = np.concatenate(
            [
                x,
                ties,
                -ties,
                np.float32(
                    [
                        0,
                        -0.0,
                        1e30,
                        -1e30,
                        448,
                        464,
                        465,
                        480,
                        57344,
                        61439,
                        61440,
                        65504,
                        65519,
                        65520,
                    ]
                ),
            ]
        )
        expected = x.astype(dtype)
    found = np.array(
        javascript("floats", "a[1].map((v) => m.encode(m.FORMATS[a[0]], v))", [name, x.tolist()]),
        np.int64,
    ).astype(pattern)
    same = (found == expected.view(pattern)) | (np.isnan(expected) & np.isnan(found.view(dtype)))
    assert same.all(), list(zip(x[~same][:5], found[~same][:5], expected[~same][:5], strict=True))


@pytest.mark.parametrize("name", ["FP16", "BF16", "FP32"])
def test_spacing_is_that_of_numpy(javascript, name):
    dtype, pattern = FORMATS[name]
    limit = np.array(np.inf, dtype).view(pattern)
    bits = np.linspace(0, int(limit) - 2, 3000).astype(pattern)
    x = bits.view(dtype)
    expected = np.nextafter(x, np.array(np.inf, dtype)).astype(np.float64) - x.astype(np.float64)
    found = javascript(
        "floats", "a[1].map((b) => m.spacing(m.FORMATS[a[0]], b))", [name, bits.tolist()]
    )
    assert np.array_equal(np.array(found, np.float64), expected)


def test_fewer_bits_show_a_lower_sqnr_and_the_best_range_clips(open_page):
    page = open_page("quantization")
    bench = page.locator("quantization-bench")
    result, bits = bench.locator(".side .big"), bench.get_by_label("Bits", exact=True)
    expect(result).to_contain_text("dB")

    def shown():
        return float(result.inner_text().replace(MINUS, "-").removesuffix(" dB"))

    four = shown()
    bits.focus()
    page.keyboard.press("ArrowLeft")
    three = shown()
    assert three < four
    bench.get_by_role("button", name="Find the best range").click()
    assert shown() > three
    weight = data_quantize.tensors()[data_quantize.WEIGHT]
    bench.get_by_role("button", name="Fit to the data").click()
    _, _, _, back = by_numpy(weight, weight.min(), weight.max(), 3)
    expect(result).to_have_text(f"{sqnr.sqnr(weight, back):.1f} dB")


def test_the_zero_point_moves_the_range(open_page):
    bench = open_page("quantization").locator("quantization-bench")
    zero = bench.get_by_label("Zero point")
    zero.fill("0")
    expect(bench.locator("dd").nth(1)).to_have_text("0")
    expect(bench.locator("output[for=low]")).to_have_text("0")
    bench.get_by_label("Symmetric, signed codes").check()
    expect(zero).to_be_disabled()


def test_a_bit_flips_by_keyboard_and_by_tap(open_page):
    page = open_page("quantization", width=390, has_touch=True)
    part = page.locator("float-bits")
    part.get_by_label("Type a number").fill("2048")
    page.keyboard.press("Enter")
    expect(part.locator("dl")).to_contain_text("2 = 2¹")
    sign = part.get_by_label("sign bit: 0")
    sign.focus()
    page.keyboard.press("Space")
    expect(part.locator(".big")).to_have_text(f"{MINUS}2048")
    page.keyboard.press("End")
    page.keyboard.press("Space")
    expect(part.locator(".big")).to_have_text(f"{MINUS}2050")
    part.get_by_label("sign bit: 1").tap()
    expect(part.locator(".big")).to_have_text("2050")
    part.get_by_text("FP8 E4M3", exact=True).first.tap()
    expect(part.locator(".big")).to_have_text("NaN")


def test_a_word_is_no_number(open_page):
    part = open_page("quantization").locator("float-bits")
    part.get_by_label("Type a number").fill("many")
    part.get_by_label("Type a number").press("Enter")
    expect(part.get_by_label("Type a number")).to_have_attribute("aria-invalid", "true")
    expect(part.get_by_text("That is not a number")).to_be_visible()
    part.get_by_label("Type a number").fill("2")
    part.get_by_label("Type a number").press("Enter")
    expect(part.get_by_text("That is not a number")).to_be_hidden()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(open_page, theme):
    page = open_page("quantization", width=390, theme=theme)
    expect(page.locator("quantization-bench[ready]")).to_be_visible()
    expect(page.locator("float-bits[ready]")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
