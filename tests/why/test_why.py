"""`course why`: rounding or a bug, which node, and a cause that a repair proves."""

import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper, parser
from typer.testing import CliRunner

from formatlab import why
from formatlab.cli import app, commands_of
from formatlab.why import levels, repairs
from tests.why import why_pairs

ROOT = Path(__file__).resolve().parents[2]
QUICK = ("04", "06", "09", "14", "17", "20")
SOUND = ("03", "16", "18")
SEED = 100


def planted(number_of_pairs=None):
    """{number: (A, B, inputs, verdict, kinds, outputs of the nodes to blame)}, B under other names."""
    found = {}
    cases = itertools.islice(why_pairs.cases(), number_of_pairs)
    for place, (name, a, b, feeds, verdict, kind, blamed) in enumerate(cases):
        wrong = blamed(b)
        b, names = why_pairs.renamed(b, SEED + place)
        if feeds is None:
            feeds = {a.graph.input[0].name: numbers(2, 5, why_pairs.D, seed=3)}
        kinds = [each for each in kind.split(", ") if each]
        found[name[:2]] = (a, b, feeds, verdict, kinds, [names.get(each, each) for each in wrong])
    return found


@pytest.fixture(scope="module")
def pairs():
    """Without the two that torch exports."""
    return planted(24)


def model(text, **stored):
    found = parser.parse_model(f'<ir_version: 10, opset_import: ["" : 20]> {text}')
    for name, value in stored.items():
        found.graph.initializer.append(numpy_helper.from_array(value, name))
    return found


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def held(pair):
    a, b, feeds, verdict, kinds, blamed = pair
    answer = why(a, b, feeds=feeds)
    assert answer.verdict == verdict, answer.text
    if verdict != "rounding":
        assert answer.cause.kind in kinds, answer.text
        assert answer.where.output in blamed, answer.text
    return answer


@pytest.mark.parametrize("number", QUICK)
def test_a_planted_cause_is_found_and_proved(pairs, number):
    answer = held(pairs[number])
    assert answer.cause.proved, answer.text


@pytest.mark.parametrize("number", SOUND)
def test_a_sound_model_is_rounding(pairs, number):
    assert not held(pairs[number]).causes


def test_float16_with_inputs_and_outputs_in_float32_is_rounding(pairs):
    """The Casts at its ends round as the file declares, and are no fault."""
    from onnxruntime.transformers.float16 import convert_float_to_float16

    a, _, feeds, *_ = pairs["16"]
    half = convert_float_to_float16(a, keep_io_types=True)
    assert why(a, half, feeds=feeds).verdict == "rounding"
    assert why(half, feeds=feeds).verdict == "rounding"


@pytest.mark.slow
def test_every_planted_pair():
    found = planted()
    assert len(found) == 26
    for pair in found.values():
        held(pair)


@pytest.mark.slow
def test_drawn_inputs_call_no_sound_model_different(pairs):
    for number, (a, b, *_rest) in pairs.items():
        if pairs[number][3] == "rounding":
            assert why(a, b).verdict != "different", number


def test_a_cause_that_nothing_repairs_is_not_proved():
    """B has another function, which no attribute, weight or operator of A gives."""
    w = numbers(6, 6)
    a = model(
        "g (float[N, 6] x) => (float[N, 6] y) { h = MatMul(x, w) t = Tanh(h) y = MatMul(t, w) }",
        w=w,
    )
    b = model(
        "g (float[N, 6] x) => (float[N, 6] y) { h = MatMul(x, w) c = Cos(h) t = Mul(c, h) y = MatMul(t, w) }",
        w=w,
    )
    answer = why(a, b, feeds={"x": numbers(8, 6, seed=1)})
    assert answer.verdict == "different" and not answer.cause.proved
    assert "Cause, not proved" in answer.text


def test_an_exact_zero_that_became_another_number_is_no_infinity():
    """A's part only moves numbers, and B's MaxPool pads with -infinity in place of A's zeros."""
    head = "p (float[N, 2, 4, 4] x) => (float[N, 2, 2, 2] y) <int64[8] pads = {0, 0, 1, 1, 0, 0, 1, 1}>"
    pool = "MaxPool <kernel_shape = [3, 3], strides = [2, 2]"
    a = model(f"{head} {{ t = Tanh(x) p = Pad(t, pads) m = {pool}> (p) y = Sigmoid(m) }}")
    b = model(f"{head} {{ t = Tanh(x) m = {pool}, pads = [1, 1, 1, 1]> (t) y = Sigmoid(m) }}")
    answer = why(a, b, feeds={"x": numbers(20, 2, 4, 4)})
    assert answer.verdict == "different" and answer.where.output == "m"
    assert "dB below its numbers" in answer.text and "infinity" not in answer.text


def test_an_error_that_vanishes_behind_its_node_is_still_found_there():
    """What only a sign hides is no pair of values that was none."""
    text = """g (float[N, 6] x) => (float[N, 6] y, float[N, 6] z) {{
        h = MatMul(x, w) n = LayerNormalization <epsilon: float = {epsilon}> (h, s)
        g = Sign(n) y = MatMul(g, w) z = MatMul(n, w) }}"""
    stored = {"w": numbers(6, 6), "s": np.ones(6, np.float32)}
    a = model(text.format(epsilon=1e-5), **stored)
    b = model(text.format(epsilon=1e-2), **stored)
    answer = why(a, b, feeds={"x": numbers(8, 6, seed=1)})
    assert (answer.where.output, answer.cause.kind, answer.cause.proved) == ("n", "attribute", True)


def test_two_causes_at_one_place_have_a_share_each():
    text = "g (float[N, 6] x) => (float[N, 6] y) {{ y = Gemm <alpha: float = {alpha}, beta: float = 2> (x, w, b) }}"
    w = numbers(6, 6)
    bias = numbers(6, seed=2)
    wrong = w.copy()
    wrong[2, 3] += 0.5
    a = model(text.format(alpha=1.0), w=w, b=bias)
    b = model(text.format(alpha=1.01), w=wrong, b=bias)
    answer = why(a, b, feeds={"x": numbers(16, 6, seed=1)})
    assert {cause.kind for cause in answer.causes} == {"attribute", "weight"}
    assert all(cause.proved for cause in answer.causes)
    assert answer.numbers["after_units"] <= 4


def test_weights_of_another_layer_prove_nothing():
    """The control: a tensor that has the same shape and is not A's here."""
    w = numbers(6, 6)
    v = numbers(6, 6, seed=5)
    text = "g (float[N, 6] x) => (float[N, 6] y) { h = MatMul(x, w) t = Tanh(h) y = MatMul(t, v) }"
    a = model(text, w=w, v=v)
    b = model(text.replace("Tanh", "Sin"), w=w, v=v)
    answer = why(a, b, feeds={"x": numbers(8, 6, seed=1)})
    assert (answer.where.output, answer.cause.kind) == ("t", "operator")
    assert answer.cause.proved and "Sin stands in B where A has Tanh" in answer.text


def test_an_input_in_another_layout_is_said_to_be_one_and_no_bug():
    w = numbers(4, 3, 3, 3)
    a = model(
        "g (float[N, 3, 8, 8] x) => (float[N, 4, 8, 8] y) { y = Conv <pads: ints = [1, 1, 1, 1]> (x, w) }",
        w=w,
    )
    b = model(
        "g (float[N, 8, 8, 3] x) => (float[N, 4, 8, 8] y) "
        "{ t = Transpose <perm: ints = [0, 3, 1, 2]> (x) y = Conv <pads: ints = [1, 1, 1, 1]> (t, w) }",
        w=w,
    )
    answer = why(a, b)
    assert (answer.verdict, answer.causes) == ("rounding", [])
    assert "axes in the order [0, 2, 3, 1] of A's" in answer.text


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (lambda x: x / 255, "divides `x` by 255"),
        (lambda x: np.flip(x, 1), "colours of `x` are in another order"),
        (lambda x: np.flip(x, 1) / 255, "colours of `x`"),
    ],
)
def test_what_a_program_does_to_its_inputs_is_found(tmp_path, prepare, says):
    net = why_pairs.convnet()
    fed = np.abs(numbers(2, 3, 8, 8)) * 60
    session = levels.runs.session(net)
    got = session.run(None, {"x": np.ascontiguousarray(prepare(fed)).astype(np.float32)})[0]
    np.savez(tmp_path / "x.npz", x=fed)
    np.savez(tmp_path / "y.npz", y=got)
    answer = why(net, feeds=tmp_path / "x.npz", expected=tmp_path / "y.npz")
    assert (answer.verdict, answer.cause.kind, answer.cause.proved) == ("different", "inputs", True)
    assert says in answer.text


def test_what_a_program_got_rightly_is_rounding():
    net = why_pairs.convnet()
    fed = numbers(2, 3, 8, 8)
    got = levels.runs.session(net, "ENABLE_ALL").run(None, {"x": fed})[0]
    answer = why(net, feeds={"x": fed}, expected={"y": got})
    assert answer.verdict == "rounding" and "gives what your program got" in answer.text
    answer = why(net, feeds={"x": fed}, expected={"y": got + 0.1})
    assert answer.verdict == "different" and not answer.cause.proved


def test_a_level_is_bisected_to_its_optimizer(pairs):
    """At BASIC, ONNX Runtime takes out a Dropout that is in training mode."""
    _, b, feeds, *_ = pairs["13"]
    [base] = levels.outputs(b, [feeds], "DISABLE_ALL")
    measure = levels.Measure(base=[base], exact=None, wanted=None)
    found = levels.fault(b, [feeds], measure, lambda _: None)
    assert found is not None and found.level == "ENABLE_BASIC"
    assert "Level1_RuleBasedTransformer" in levels.modifying(b, "ENABLE_BASIC")


def test_a_reproducer_runs_by_itself_and_has_none_of_the_weights(pairs, tmp_path):
    a, b, feeds, *_ = pairs["22"]
    answer = why(a, b, feeds=feeds, reproducer=tmp_path / "bug")
    assert answer.reproducer == str(tmp_path / "bug")
    code = (tmp_path / "bug" / "reproduce.py").read_text()
    imported = {
        line.split()[1] for line in code.splitlines() if line.startswith(("import ", "from "))
    }
    assert imported == {"sys", "pathlib", "numpy", "onnxruntime"} and len(code.splitlines()) <= 25
    command = [sys.executable, "-P", tmp_path / "bug" / "reproduce.py"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
    parts = {side: onnx.load(tmp_path / "bug" / f"{side}.onnx") for side in "ab"}
    own = {
        tensor.raw_data
        for tensor in (*a.graph.initializer, *b.graph.initializer)
        if len(tensor.raw_data) > 8
    }
    for part in parts.values():
        assert not own & {tensor.raw_data for tensor in part.graph.initializer}
        assert len(part.graph.node) < 5
    # The control: with A in place of B nothing is found.
    onnx.save(parts["a"], tmp_path / "bug" / "b.onnx")
    for name in ("a.npz", "b.npz"):
        with np.load(tmp_path / "bug" / "a.npz") as arrays:
            np.savez(tmp_path / "bug" / name, **dict(arrays))
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_a_native_fault_is_a_finding_with_its_node(tmp_path):
    w = numbers(6, 6)
    text = "g (float[N, 6] x) => (float[N, 6] y) { h = MatMul(x, w) t = Tanh(h) y = MatMul(t, w) }"
    a = model(text, w=w)
    b = model(text.replace("t =", "boom =").replace("(t,", "(boom,"), w=w)
    for name, each in (("a", a), ("b", b)):
        onnx.save(each, tmp_path / f"{name}.onnx")
    fault = json.dumps({"dies": "SIGSEGV", "name": "boom"})
    script = "import sys; from formatlab import why; a = why(*sys.argv[1:]); print(a.verdict, a.where and a.where.output, a.headline)"
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "a.onnx", tmp_path / "b.onnx"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests" / "odd_runtime"), "ODD_RUNTIME": fault},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("different boom "), done.stdout + done.stderr
    assert "SIGSEGV" in done.stdout


def test_the_time_is_bounded_and_what_was_found_is_kept(pairs):
    a, b, feeds, *_ = pairs["23"]
    answer = why(a, b, feeds=feeds, seconds=0)
    assert answer.verdict == "different"
    assert any("was over before everything was tried" in note for note in answer.notes)


def test_statuses_and_json(pairs, tmp_path):
    paths = {}
    for name, each in (("a", pairs["05"][0]), ("b", pairs["05"][1]), ("random", pairs["19"][0])):
        paths[name] = str(tmp_path / f"{name}.onnx")
        onnx.save(each, paths[name])

    def ran(*words):
        return CliRunner().invoke(app, ["why", *words])

    different = ran(paths["a"], paths["b"], "--json", "-")
    report = json.loads(different.stdout)
    assert different.exit_code == 1
    assert report["verdict"] == "different" and report["cause"]["kind"] == "attribute"
    assert report["cause"]["proved"] and report["where"]["operator"] == "LayerNormalization"
    assert report["where"]["a_value"] and report["where"]["b_value"] in report["where"]["region"]
    assert ran(paths["a"], paths["a"]).exit_code == 0
    assert ran(paths["random"], paths["random"]).exit_code == 3
    missing = ran(paths["a"], str(tmp_path / "none.onnx"))
    assert missing.exit_code == 2 and "is not there" in missing.output
    assert "Traceback" not in missing.output


def test_a_repair_takes_one_thing_and_no_part():
    """Each edit leaves the nodes of B as they are, apart from one that is bypassed or put in front."""
    a = why_pairs.rms()
    node = helper.make_node("Relu", ["@"], ["r"])
    before = [each.op_type for each in a.graph.node]
    repairs.insert_before(a, a.graph.node[1].output[0], 0, node)
    assert [each.op_type for each in a.graph.node] == [before[0], "Relu", *before[1:]]
    assert a.graph.input[0].type.tensor_type.elem_type == TensorProto.FLOAT


def test_the_guide_says_what_comes(tmp_path, monkeypatch):
    """Its two examples, run as they stand there."""
    guide = (ROOT / "docs" / "why.md").read_text()
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)
    blocks = [block for language, block in fences if language == "python"]
    commands = [
        line.split()[1:]
        for line in re.findall(r"^formatlab why .*--reproducer.*$", guide, re.MULTILINE)
    ]
    said = [block for language, block in fences if not language and block.startswith("Different")]
    assert len(blocks) == len(commands) == len(said) == 2
    monkeypatch.chdir(tmp_path)
    for block, command, text in zip(blocks, commands, said, strict=True):
        subprocess.run([sys.executable, "-c", block], check=True, capture_output=True)
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 1
        assert done.stdout.startswith(text), done.stdout
    package = (ROOT / "workbench" / "README.md").read_text()
    assert "\n".join(said[0].splitlines()[:3]) in package


FRONT = "g (float[N, 6] x) => (float[N, 4] y)"
PLAIN = FRONT + " { h = MatMul(x, w) y = MatMul(h, v) }"
IMAGE = "g (float[1, 2, 6, 6] x) => (float[1, 2, H, W] y)"
SLICED = FRONT + " {{ h = MatMul(x, w) s = Slice(h, starts, ends, axes, steps) y = MatMul(s, u) }}"
SLICES = {
    "half": {"starts": [0], "ends": [3], "steps": [1]},
    "every other": {"starts": [1], "ends": [6], "steps": [2]},
}


def whole(**stored):
    return {name: np.array(value, np.int64) for name, value in stored.items()}


def sliced(how):
    return model(
        SLICED.format(),
        w=numbers(6, 6),
        u=numbers(3, 4, seed=2),
        **whole(axes=[-1], **SLICES[how]),
    )


def padded(pads):
    text = IMAGE + ' { a = Tanh(x) p = Pad <mode: string = "reflect"> (a, pads) y = Sin(p) }'
    return model(text, **whole(pads=pads))


def resized(opset, **attributes):
    node = helper.make_node("Resize", ["a", "", "scales"], ["r"], **attributes, cubic_coeff_a=-0.75)
    found = model(IMAGE + " { a = Tanh(x) y = Sin(a) }", scales=np.array([1, 1, 2, 2], np.float32))
    found.graph.node.insert(1, node)
    found.graph.node[2].input[0] = "r"
    found.opset_import[0].version = opset
    return found


def prepared():
    text = FRONT + " { c = Sub(x, m) d = Div(c, s) h = MatMul(d, w) y = MatMul(h, v) }"
    m, s = np.full(6, 0.4, np.float32), np.linspace(0.2, 0.3, 6, dtype=np.float32)
    return model(text, w=numbers(6, 6), v=numbers(6, 4, seed=2), m=m, s=s)


def unprepared():
    return model(PLAIN, w=numbers(6, 6), v=numbers(6, 4, seed=2))


def brain16():
    text = "{ h = MatMul(x, w) r = Cast <to: int = 16> (h) f = Cast <to: int = 1> (r) y = MatMul(f, v) }"
    return model(f"{FRONT} {text}", w=numbers(6, 6), v=numbers(6, 4, seed=2))


def joins(order):
    text = "{ h = MatMul(x, w) s = Sin(h) c = Concat <axis: int = -1> (%s) y = MatMul(c, v) }"
    return model(f"{FRONT} {text % order}", w=numbers(6, 6), v=numbers(12, 4, seed=2))


NEW = dict(mode="linear", coordinate_transformation_mode="half_pixel", antialias=0)
OLD = dict(mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")


@pytest.mark.parametrize(
    ("a", "b", "kind", "blamed"),
    [
        (lambda: sliced("half"), lambda: sliced("every other"), "attribute", "s"),
        (
            lambda: padded([0, 0, 1, 1, 0, 0, 1, 1]),
            lambda: padded([0, 0, 0, 0, 0, 0, 2, 2]),
            "attribute",
            "p",
        ),
        (lambda: resized(20, **NEW), lambda: resized(17, **OLD), "attribute", "r"),
        (unprepared, prepared, "inputs", "c"),
        (prepared, unprepared, "inputs", "h"),
        (unprepared, brain16, "cast", "r"),
        (lambda: joins("h, s"), lambda: joins("s, h"), "layout", "c"),
    ],
    ids=["slice", "pad", "resize", "prepared", "unprepared", "bfloat16", "concat"],
)
def test_what_several_numbers_or_nodes_say_together_is_one_cause(a, b, kind, blamed):
    first, second = a(), b()
    shape = (8, 6) if first.graph.input[0].type.tensor_type.shape.dim[0].dim_param else (1, 2, 6, 6)
    answer = why(first, second, feeds={"x": numbers(*shape, seed=1)})
    cause = answer.cause
    assert (cause.kind, cause.proved, answer.where.output) == (kind, True, blamed), answer.text


def test_a_range_that_the_outputs_show_is_different_and_one_that_fits_is_not():
    """Its Relu was left out, as quantizers do, and 19 dB would pass for INT8."""
    text = """g (float[N, 8] x) => (float[N, 8] y) {
        a = MatMul(x, w) r = Clip(a, low, high) b = MatMul(r, w) c = MatMul(b, w) y = MatMul(c, w) }"""
    x, w = numbers(64, 8, seed=1), numbers(8, 8) / 3
    ends = {"low": np.zeros((), np.float32), "high": np.full((), 1.0, np.float32)}
    a = model(text, w=w, **ends)

    def quantized(by):
        stages = []
        stored = {"w": w, "zero": np.array(-128, np.int8), "middle": np.zeros((), np.int8)}
        last = "x"
        for at, name in enumerate(["a", "b", "c", "y"]):
            scale, zero = (4 / 127, "middle") if at != 1 else (by / 255, "zero")
            stored[f"s{at}"] = np.array(scale, np.float32)
            stages.append(
                f"q{at} = QuantizeLinear({last}, s{at}, {zero}) d{at} = DequantizeLinear(q{at}, s{at}, {zero}) "
                f"{name} = MatMul(d{at}, w)"
            )
            last = name
        body = " ".join(stages)
        return model(f"g (float[N, 8] x) => (float[N, 8] y) {{ {body} }}", **stored)

    assert why(a, quantized(1.0), feeds={"x": x}).verdict == "rounding"
    answer = why(a, quantized(20.0), feeds={"x": x})
    assert (answer.verdict, answer.where.output, answer.cause.kind) == ("different", "q1", "range")
    assert answer.cause.proved


def test_values_with_a_mask_are_matched_by_what_it_leaves():
    from formatlab.why.values import matched

    mask = np.where(np.arange(24).reshape(4, 6) % 3 == 0, np.float32(-3.4e38), np.float32(0))
    first, second = numbers(4, 6) + mask, numbers(4, 6, seed=1) + mask
    near = second + numbers(4, 6, seed=2) * np.float32(1e-6)
    given = [{"first": first, "second": second}]
    assert matched([], given, [{"v": near}]) == [("second", "v")]
    assert matched([], [{"first": first}], [{"v": near}]) == []


def test_an_activation_that_a_quantizer_left_out_is_no_cut_range():
    """The QuantizeLinear that begins at 0 is the Relu, so half of what it is given is cut off rightly."""
    stored = {"w": numbers(8, 8) / 3, "middle": np.zeros((), np.int8), "s": np.float32([4 / 127])}
    stored |= {"low": np.array(-128, np.int8), "r": np.array(3 / 255, np.float32)}
    stored["s"] = stored["s"].reshape(())
    text = """g (float[N, 8] x) => (float[N, 8] y) {
        q = QuantizeLinear(x, s, middle) d = DequantizeLinear(q, s, middle) a = MatMul(d, w)
        p = QuantizeLinear(a, r, low) e = DequantizeLinear(p, r, low) b = MatMul(e, w)
        o = QuantizeLinear(b, s, middle) f = DequantizeLinear(o, s, middle) y = MatMul(f, w) }"""
    answer = why(model(text, **stored), feeds={"x": numbers(64, 8, seed=1)})
    assert answer.verdict == "rounding", answer.text


def test_an_output_that_is_empty_is_said_not_to_be_compared():
    """No score is high enough for a box, as in a detector that finds nothing."""
    text = """g (float[3, 4] x) => (float[3, 4] y, float[K, 4] z) {
        y = Sigmoid(x) n = NonZero(never) r = Reshape(n, all) b = MatMul(x, w) z = Gather(b, r) }"""
    never = {"never": np.zeros(3, np.bool_), "all": np.array([-1])}
    a = model(text, w=numbers(4, 4), **never)
    b = model(text, w=numbers(4, 4, seed=1), **never)
    answer = why(a, b, feeds={"x": numbers(3, 4)})
    assert "`z` was empty" in answer.text
    del a.graph.output[0], b.graph.output[0]
    assert why(a, b, feeds={"x": numbers(3, 4)}).verdict == "undecided"


@pytest.mark.parametrize("program", ["formatlab", "course"])
def test_help_shows_the_command_under_the_name_that_was_typed(program):
    said = CliRunner().invoke(commands_of(program), ["why", "--help"]).output
    other = {"formatlab": "course", "course": "formatlab"}[program]
    assert f"{program} why before.onnx" in said and f"{other} why" not in said
