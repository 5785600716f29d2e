"""`why` on pairs that differ in what reads what, in whose weights are whose, and in files of 8 bits."""

import importlib.util
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from formatlab import why
from formatlab.why import levels
from tests.why import why_causes, why_pairs
from tests.why.why_causes import model, numbers, rows, weight, whole

UPSTREAM = Path(__file__).resolve().parents[2] / "upstream"


@pytest.mark.parametrize("name", why_causes.PAIRS)
def test_a_planted_cause_is_proved_and_a_sound_pair_is_rounding(name):
    first, second, feeds, kind, blamed = why_causes.PAIRS[name]
    b, names = why_pairs.renamed(second(), sum(map(ord, name)))
    answer = why(first(), b, feeds=feeds)
    if not kind:
        assert (answer.verdict, answer.causes) == ("rounding", []), answer.text
        return
    assert answer.verdict == "different"
    assert (answer.cause.kind, answer.cause.proved) == (kind, True), answer.text
    assert answer.where.output in {names.get(each, each) for each in blamed}, answer.text
    assert answer.numbers["after_units"] <= 4


def test_a_wiring_that_brings_the_outputs_nothing_is_not_proved():
    """What the part would read instead is wrong in B itself, and the part is only given A's."""
    text = "g (float[N, 8] x) => (float[N, 8] y, float[N, 8] z) { h = MatMul(x, w) %s t = Tanh(%s) y = MatMul(t, v) z = MatMul(h, u) }"
    same = {"v": weight(8, 8, 2), "u": weight(8, 8, 3)}
    a = model(text % ("", "h"), w=weight(8, 8, 1), **same)
    b = model(text % ("d = MatMul(x, o)", "d"), w=weight(8, 8, 6), o=weight(8, 8, 1), **same)
    answer = why(a, b, feeds={"x": numbers(9, 8, seed=5)})
    assert answer.verdict == "different"
    assert not any(cause.proved and cause.kind == "operator" for cause in answer.causes), (
        answer.text
    )


def test_an_offset_is_proved_where_it_holds_on_rows_that_it_was_not_taken_from():
    w, v, bias = weight(8, 8, 1), weight(8, 4, 2), numbers(4, seed=3)
    text = (
        "g (float[N, 8] x) => (float[N, 4] y) { h = MatMul(x, w) %s k = Add(m, bias) y = Tanh(k) }"
    )
    shifted = model(
        text % "c = Add(h, s) m = MatMul(c, v)", w=w, v=v, bias=bias, s=numbers(8, seed=4)
    )
    plain = model(text % "m = MatMul(h, v)", w=w, v=v, bias=bias)
    squared = model(text % "c = Mul(h, h) m = MatMul(c, v)", w=w, v=v, bias=bias)
    feeds = {"x": numbers(20, 8, seed=5)}
    answer = why(shifted, plain, feeds=feeds)
    assert answer.verdict == "different" and answer.cause.proved, answer.text
    answer = why(squared, plain, feeds=feeds)
    assert "offset" not in answer.text, answer.text


# Training mode.


def batches(training):
    """A Conv and its BatchNormalization; folded where `training` is None."""
    gamma, beta = 1 + numbers(6, seed=1, by=0.3), numbers(6, seed=2, by=0.3)
    mean, variance = numbers(6, seed=3, by=0.3), np.exp(numbers(6, seed=4))
    w, bias = numbers(6, 3, 3, 3, seed=5, by=0.2), numbers(6, seed=6, by=0.1)
    head = "g (float[N, 3, 6, 6] x) => (float[N, 4] y) { c = Conv(x, w, bias)"
    tail = "r = Relu(n) m = GlobalAveragePool(r) f = Flatten(m) y = MatMul(f, v) }"
    stored = {"v": weight(6, 4, 7)}
    if training is None:
        by = gamma.astype(np.float64) / np.sqrt(variance.astype(np.float64) + 1e-5)
        stored |= {"w": (w * by[:, None, None, None]).astype(np.float32)}
        stored |= {"bias": ((bias - mean) * by + beta).astype(np.float32)}
        return model(f"{head.replace('c = ', 'n = ')} {tail}", **stored)
    stored |= {"w": w, "bias": bias, "ga": gamma, "be": beta, "mu": mean, "va": variance}
    outputs = "n, mean, var" if training else "n"
    return model(
        f"{head} {outputs} = BatchNormalization <training_mode = {training}> (c, ga, be, mu, va) {tail}",
        **stored,
    )


def test_training_mode_is_the_cause_where_the_other_file_has_folded_the_layer():
    """The Conv of the folded file has other weights, and none of them is wrong."""
    feeds = {"x": numbers(5, 3, 6, 6, seed=8)}
    assert why(batches(None), batches(0), feeds=feeds).verdict == "rounding"
    answer = why(batches(None), batches(1), feeds=feeds)
    assert [cause.kind for cause in answer.causes] == ["training-mode"], answer.text
    assert answer.cause.proved and answer.where.operator == "BatchNormalization"
    expected = {"y": levels.outputs(batches(None), [feeds], "DISABLE_ALL")[0][0]}
    answer = why(batches(1), feeds=feeds, expected=expected)
    assert (answer.verdict, answer.cause.kind, answer.cause.proved) == (
        "different",
        "training-mode",
        True,
    ), answer.text


# Files of 8 bits.


def layers(width=32, depth=5):
    body, last, stored = "", "x", {}
    for at in range(depth):
        body += f"h{at} = MatMul({last}, w{at}) r{at} = Relu(h{at}) "
        stored[f"w{at}"] = weight(width, width, at) * np.float32(1.4)
        last = f"r{at}"
    text = f"g (float[N, {width}] x) => (float[N, 8] y) {{ {body} y = MatMul({last}, out) }}"
    return model(text, **stored, out=weight(width, 8, 99))


def quantized(float_model, x, folder, **options):
    from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static

    class Rows(CalibrationDataReader):
        def __init__(self):
            self.left = iter([{"x": x}])

        def get_next(self):
            return next(self.left, None)

    onnx.save(float_model, folder / "float.onnx")
    options = {"activation_type": QuantType.QInt8, "per_channel": True, **options}
    quantize_static(folder / "float.onnx", folder / "int8.onnx", Rows(), **options)
    return onnx.load(folder / "int8.onnx")


def test_scales_in_another_order_are_read_from_the_file(tmp_path):
    """The outputs keep 29 dB, which would pass for eight bits."""
    a, x = layers(), numbers(64, 32, seed=3)
    sound = quantized(a, x, tmp_path)
    assert why(a, sound, feeds={"x": x}).verdict == "rounding"
    scale = next(each for each in sound.graph.initializer if each.name == "w3_scale")
    turned = np.ascontiguousarray(numpy_helper.to_array(scale)[::-1])
    scale.CopyFrom(numpy_helper.from_array(turned, scale.name))
    answer = why(a, sound, feeds={"x": x})
    assert (answer.verdict, answer.cause.kind, answer.cause.proved) == ("different", "range", True)
    assert "in another order than the channels" in answer.text, answer.text
    assert answer.where.operator == "DequantizeLinear"


def test_weights_that_were_scaled_on_purpose_before_they_became_integers_are_sound(tmp_path):
    """As smoothing does: a channel of one weight by a number, and the row of the next through it."""
    a, x = layers(), numbers(64, 32, seed=3)
    smooth = onnx.ModelProto.FromString(a.SerializeToString())
    by = np.exp(numbers(32, seed=5))
    for name, change in (("w2", lambda w: w * by), ("w3", lambda w: w / by[:, None])):
        tensor = next(each for each in smooth.graph.initializer if each.name == name)
        tensor.CopyFrom(numpy_helper.from_array(change(numpy_helper.to_array(tensor)), name))
    answer = why(a, quantized(smooth, x, tmp_path), feeds={"x": x})
    assert answer.verdict == "rounding", answer.text


def by_hand(axis=1, read_at=128):
    """One layer in 8 bits, with a scale for each column of its weight; float where `axis` is None."""
    wide = weight(8, 8, 2) * np.linspace(0.2, 3, 8, dtype=np.float32)
    stored = {"w2": weight(8, 4, 3)}
    text = "g (float[N, 5, 8] x) => (float[N, 5, 4] y) {{ {} t = Relu(m) y = MatMul(t, w2) }}"
    if axis is None:
        return model(text.format("m = MatMul(x, w)"), w=wide, **stored)
    scales = np.abs(wide).max(axis=0) / 127
    stored |= {"sw": scales, "w": np.rint(wide / scales).astype(np.int8)}
    stored |= {"zw": np.zeros(8, np.int8), "sx": np.float32(6 / 127)}
    stored |= {"zx": np.uint8(128), "zy": np.uint8(read_at)}
    return model(
        text.format(
            "xq = QuantizeLinear(x, sx, zx) xd = DequantizeLinear(xq, sx, zy) "
            f"wd = DequantizeLinear <axis = {axis}> (w, sw, zw) m = MatMul(xd, wd)"
        ),
        **stored,
    )


def test_integers_that_are_read_by_another_zero_point_than_they_were_written_by_are_no_rounding():
    """The outputs keep 25 dB, which would pass for eight bits."""
    x = {"x": numbers(3, 5, 8, seed=9)}
    assert why(by_hand(None), by_hand(), feeds=x).verdict == "rounding"
    answer = why(by_hand(None), by_hand(read_at=127), feeds=x)
    assert (answer.verdict, answer.cause.kind, answer.cause.proved) == ("different", "range", True)
    assert "another zero point than the QuantizeLinear before it" in answer.text, answer.text
    assert answer.where.operator == "DequantizeLinear"


def test_scales_along_the_wrong_axis_of_a_square_weight_are_an_attribute():
    answer = why(by_hand(None), by_hand(axis=0), feeds={"x": numbers(3, 5, 8, seed=9)})
    assert (answer.verdict, answer.cause.kind, answer.cause.proved) == (
        "different",
        "attribute",
        True,
    )
    assert "along the wrong axis" in answer.text and answer.where.output == "wd", answer.text


def test_a_mask_that_is_quantized_is_a_range(tmp_path):
    """Its number takes the whole range, so that all scores become one."""
    a = model(
        """g (float[N, 6, 8] x) => (float[N, 6, 8] y) {
        q = MatMul(x, wq) k = MatMul(x, wk) v = MatMul(x, wv) t = Transpose <perm = [0, 2, 1]> (k) s = MatMul(q, t)
        m = Add(s, mask) p = Softmax(m) c = MatMul(p, v) y = MatMul(c, wo) }""",
        mask=np.triu(np.full((6, 6), np.finfo(np.float32).min, np.float32), 1),
        **{f"w{name}": weight(8, 8, seed) for seed, name in enumerate("qkvo", 1)},
    )
    x = numbers(4, 6, 8, seed=5)
    b = quantized(a, x, tmp_path, op_types_to_quantize=["MatMul", "Add"], per_channel=False)
    answer = why(a, b, feeds={"x": x})
    assert (answer.verdict, answer.cause.kind, answer.cause.proved) == ("different", "range", True)
    assert "a mask's number" in answer.text and answer.where.operator == "QuantizeLinear"


# Outputs.


def test_outputs_that_have_each_other_s_names_are_the_cause():
    text = "g (float[N, 8] x) => (float[N, 8] p, float[N, 8] q) { %s }"
    a = model(text % "p = MatMul(x, w) q = Tanh(p)", w=weight(8, 8, 1))
    b = model(text % "q = MatMul(x, w) p = Tanh(q)", w=weight(8, 8, 1))
    answer = why(a, b, feeds={"x": numbers(9, 8, seed=5)})
    assert (answer.verdict, answer.cause.kind, answer.cause.proved) == ("different", "layout", True)
    assert "The outputs `p` and `q` of B have changed places" in answer.text, answer.text
    assert answer.numbers["after_units"] <= 4


# Sequences.


def parts_of(by, size=2):
    return model(
        """g (float[N, 6] x) => (seq(float[N, R]) y) {
        m = Mul(x, c) y = SplitToSequence <axis = 1, keepdims = 1> (m, size) }""",
        c=np.float32(by),
        size=np.int64(size),
    )


def test_an_output_that_is_a_sequence_is_compared_number_by_number():
    feeds = {"x": numbers(3, 6, seed=2)}
    assert why(parts_of(2), feeds=feeds).verdict == "rounding"
    assert why(parts_of(2), parts_of(2), feeds=feeds).verdict == "rounding"
    answer = why(parts_of(2), parts_of(2.1), feeds=feeds)
    assert (answer.verdict, answer.cause.proved, answer.where.output) == ("different", True, "m")
    answer = why(parts_of(2), parts_of(2, 3), feeds=feeds)
    assert answer.verdict == "different", answer.text
    assert "what gives `y`, which is no tensor, was not searched" in answer.text


# Masks in float16.


def masked(low, kind="float"):
    dtype = np.float16 if kind == "float16" else np.float32
    with np.errstate(over="ignore"):
        low = np.array(low).astype(dtype)
    return model(
        f"""g ({kind}[N, 5, 8] x, bool[N, 5] mask) => ({kind}[N, 5, 4] y) {{
        q = MatMul(x, w) k = Transpose <perm = [0, 2, 1]> (x) s = MatMul(q, k) u = Unsqueeze(mask, one)
        z = Where(u, zero, low) m = Add(s, z) p = Softmax(m) c = MatMul(p, x) y = MatMul(c, w2) }}""",
        one=whole(1),
        zero=dtype(0),
        low=low,
        w=weight(8, 8, 2).astype(dtype),
        w2=weight(8, 4, 3).astype(dtype),
    )


def test_a_mask_s_number_that_float16_made_infinite_is_an_overflow():
    mask = np.ones((3, 5), bool)
    mask[2] = False  # NaN where all is masked
    feeds = {"x": numbers(3, 5, 8, seed=9), "mask": mask}
    answer = why(masked(-3.4e38), masked(-3.4e38, "float16"), feeds=feeds)
    assert (answer.verdict, answer.cause.kind, answer.cause.proved) == (
        "different",
        "float16-overflow",
        True,
    ), answer.text
    assert "the number `low` of Where is -3.4e+38 in A" in answer.text.replace("The n", "the n")
    feeds["mask"] = mask | True
    assert why(masked(-3.4e38), masked(-1e4, "float16"), feeds=feeds).verdict == "rounding"


# What the outputs do not show.


def test_an_epsilon_that_the_outputs_do_not_show_is_named_in_a_note():
    """Its rows are many times larger than its epsilon's root, and two layers lie behind it."""

    def encoder(epsilon, axis=-1):
        return rows(
            f"n = LayerNormalization <epsilon = {epsilon}, axis = {axis}> (x, s, b) h = MatMul(n, w1) "
            "a = Add(h, far) o = LayerNormalization(a, s, b) y = MatMul(o, w2)",
            far=numbers(8, seed=6, by=300.0),
        )

    feeds = {"x": why_causes.X["x"] * 3}
    answer = why(encoder(1e-12), encoder(1e-4), feeds=feeds)
    assert answer.verdict == "rounding", answer.text
    assert (
        "the outputs do not show it, but `epsilon` of LayerNormalization is 0.0001 in B"
        in answer.text
    )
    # The same axis, counted from the front, is no other setting.
    assert "do not show it" not in why(encoder(1e-12), encoder(1e-12, axis=2), feeds=feeds).text


# Faults of today's tools.


def upstream(name):
    spec = importlib.util.spec_from_file_location(name, UPSTREAM / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_a_relu_that_a_quantizer_takes_for_the_output_before_it(tmp_path):
    script = upstream("ort_quantize_relu")
    from onnxruntime.quantization import quantize_static

    x = np.random.default_rng(0).uniform(-1, 1, (64, 4)).astype(np.float32)
    onnx.save(onnx.parser.parse_model(script.MODEL), tmp_path / "float.onnx")
    quantize_static(tmp_path / "float.onnx", tmp_path / "int8.onnx", script.Rows(x))
    answer = why(tmp_path / "float.onnx", tmp_path / "int8.onnx", feeds={"x": x})
    assert (answer.verdict, answer.cause.kind, answer.cause.proved) == ("different", "range", True)


def test_a_pad_that_was_fused_into_a_pool():
    script = upstream("ort_pad_pool")
    a = onnx.parser.parse_model(script.MODEL)
    feeds = {"x": np.array([[[[-1, -2], [-3, 4]]]], np.float32)}
    answer = why(a, feeds=feeds)
    assert (answer.verdict, answer.cause.kind, answer.cause.proved) == (
        "different",
        "optimization",
        True,
    )
    optimizer = pytest.importorskip("onnxoptimizer")
    answer = why(a, optimizer.optimize(a), feeds=feeds)
    assert (answer.verdict, answer.where.operator) == ("different", "MaxPool"), answer.text


def test_nodes_that_are_not_sorted_are_named_and_change_no_number():
    from onnxruntime.transformers.float16 import convert_float_to_float16

    a = onnx.parser.parse_model(upstream("ort_float16_order").MODEL)
    b = convert_float_to_float16(a, keep_io_types=True)
    answer = why(a, b, feeds={"x": numbers(6, 4)})
    assert answer.verdict == "rounding"
    assert "the nodes of B are not sorted: Relu reads" in answer.text
    assert "not sorted" not in why(a, a, feeds={"x": numbers(6, 4)}).text


# Memory.


def test_values_that_memory_does_not_hold_lie_in_files_and_change_nothing(tmp_path, monkeypatch):
    """Each session gives one value, and none of them stays in memory."""
    from formatlab.diff.parts import flat
    from formatlab.why import steps, values

    first, second, feeds, *_ = why_causes.PAIRS["residual"]
    ask = steps.Ask(a=flat(first()), b=flat(second()), feeds=feeds, folder=tmp_path)
    whole = steps.Steps(ask, lambda *_: None).run()
    assert whole.cause.proved and not list(tmp_path.iterdir())
    monkeypatch.setattr(steps, "MOST_BYTES", 0)
    monkeypatch.setattr(values, "FIRST", 1)
    monkeypatch.setattr(values, "AT_ONCE", 1)
    filed = steps.Steps(ask, lambda *_: None).run()
    assert (filed.headline, filed.causes) == (whole.headline, whole.causes)
    assert len(list(tmp_path.iterdir())) == len(first().graph.node) + len(second().graph.node)


# Another processor.


def test_numbers_of_a_processor_whose_products_saturate_are_known():
    """The pair is sound here, and its program ran where they do."""
    from formatlab.measure import saturation

    a = why_pairs.encoder(why_pairs.weights())
    feeds = {"x": numbers(4, 6, why_pairs.D, seed=1)}
    b = why_pairs.qdq(a, feeds)
    exact = levels.outputs(b, [feeds], "DISABLE_ALL")[0]
    answer = why(b, feeds=feeds, expected={"y": exact[0]})
    assert "the file gives what your program got" in answer.text
    assert answer.cause is None or answer.cause.kind != "inputs"
    saturated = saturation.on_avx2(b, [feeds])[0]
    answer = why(b, feeds=feeds, expected={"y": saturated[0]})
    assert (answer.verdict, answer.cause.kind, answer.cause.proved) == (
        "different",
        "saturation",
        True,
    )
    other = why(b, feeds=feeds, expected={"y": exact[0] * np.float32(1.5)})
    assert (other.verdict, other.cause.proved) == ("different", False)
    raw = {"x": feeds["x"] * np.float32(255)}
    answer = why(b, feeds=raw, expected={"y": exact[0]})
    assert (answer.cause.kind, answer.cause.proved) == ("inputs", True), answer.text
    wide = levels.outputs(a, [feeds], "DISABLE_ALL")[0]
    assert "ask about the float model" in why(b, feeds=feeds, expected={"y": wide[0]}).text
