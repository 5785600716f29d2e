"""Parts 2 and 3 of the lab `int8_static`: what the references make of the library's own models, and
what no answer may do to a check.
"""

import tempfile
from dataclasses import replace

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, numpy_helper, parser
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from formatlab import quantized
from formatlab.models import digits, fixtures, make_model
from formatlab_exercises.saturation.judge import rungs
from formatlab_exercises.saturation.judge.mended import Mended, mended
from formatlab_exercises.sensitivity.ask import SMALL
from formatlab_exercises.sensitivity.judge import cases as choosing_cases
from formatlab_exercises.sensitivity.judge import rungs as choices
from formatlab_exercises.shared.judge.stored import Weight, weights
from formatlab_exercises.shared.judge.twins import Layer, twins
from formatlab_exercises.shared.judge.twins import feeds as twin_feeds
from formatlab_exercises.shared.surgery import MODEL, REPORT
from nbjudge.contract import Answer
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import answers, mutants, reference_functions

MENDING, CHOOSING = get("saturation"), get("sensitivity")


class Reader(CalibrationDataReader):
    def __init__(self, batches):
        self.feeds = iter([{"image": batch} for batch in batches])

    def get_next(self):
        return next(self.feeds, None)


@pytest.fixture(scope="module")
def by_the_library():
    """The digits CNN as `quantize_static` writes it, with codes of eight bits for weights."""
    types = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
    with tempfile.TemporaryDirectory() as folder:
        quant_pre_process(
            ModelProto.FromString(fixtures.read("digits-cnn")), f"{folder}/prepared.onnx"
        )
        reader = Reader(np.split(digits.load().train_images[:128], 2))
        quantize_static(
            f"{folder}/prepared.onnx", f"{folder}/int8.onnx", reader, per_channel=True, **types
        )
        return onnx.load(f"{folder}/int8.onnx")


def native(model, feeds):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    ).run(None, feeds)[0]


def verdict(exercise, functions, cases):
    right = answers(exercise, reference_functions(exercise.id), cases)
    references = {case.name: exercise.digest(case, right[case.name]) for case in cases}
    given = (
        functions
        if all(isinstance(each, Answer) for each in functions.values())
        else answers(exercise, functions, cases)
    )
    return climb(exercise, cases, given, references)


def test_a_mended_model_computes_in_a_session_what_its_file_says(by_the_library):
    mended = reference_functions("saturation")["without_saturation"](by_the_library)
    feeds = {"image": digits.load().test_images[:200]}
    [[exact]] = quantized.evaluate(mended, [feeds])
    assert quantized.sqnr(exact, native(mended, feeds)) > 40
    assert not any(weight.saturates for weight in weights(mended.SerializeToString()).values())
    assert any(weight.saturates for weight in weights(by_the_library.SerializeToString()).values())


def test_a_bias_that_keeps_its_scale_is_right_in_the_file_and_wrong_in_a_session():
    """Why the last rung of `saturation` looks at scales: nothing else of the ladder would see it."""
    _, data = twins(
        np.random.default_rng(3), [(Layer("Conv", 16),), (Layer("Gemm", 20),), (Layer("GemmT", 8),)]
    )
    model = ModelProto.FromString(data)
    for tensor in model.graph.initializer:
        value = numpy_helper.to_array(tensor)
        if tensor.name.endswith("weight_quantized"):
            tensor.CopyFrom(
                numpy_helper.from_array(np.rint(value / 2).astype(np.int8), tensor.name)
            )
        if tensor.name.endswith("weight_scale"):
            tensor.CopyFrom(numpy_helper.from_array(value * np.float32(2), tensor.name))
    feeds = twin_feeds(data, np.random.default_rng(4), 100)
    [[before]], [[after]] = quantized.evaluate(data, [feeds]), quantized.evaluate(model, [feeds])
    assert quantized.sqnr(before, after) > quantized.sqnr(before, native(model, feeds)) + 3


def test_sorted_pairs_are_those_that_can_meet():
    """The rule looks at sorted codes. Held against every pair of a row, for rows that are near the
    limit.
    """
    rng = np.random.default_rng(0)
    for _ in range(60):
        codes = np.concatenate([rng.integers(-20, 20, 5), rng.integers(-128, 128, 2)]).astype(
            np.int8
        )
        sums = [int(a) + int(b) for i, a in enumerate(codes) for b in codes[i + 1 :]]
        leaves = any(255 * each > 32767 or 255 * each < -32768 for each in sums)
        [weight] = weights(_gemm(codes).SerializeToString()).values()
        assert weight.saturates == leaves, codes


def _gemm(row):
    _, data = twins(np.random.default_rng(1), [(Layer("GemmT", 1),)])
    model = ModelProto.FromString(data)
    codes = next(
        tensor for tensor in model.graph.initializer if tensor.name == "layer_0.weight_quantized"
    )
    filled = np.zeros(codes.dims, np.int8)
    filled[0, : len(row)] = row
    codes.CopyFrom(numpy_helper.from_array(filled, codes.name))
    return model


@pytest.mark.parametrize("exercise", [MENDING, CHOOSING], ids=lambda exercise: exercise.id)
def test_a_forged_answer_is_no_answer(exercise):
    cases = exercise.public_cases()
    report = b'{"argument_changed": false, "again": "same"}'
    for model, noted in (
        (b"", b""),
        (b"x" * 40, report),
        (cases[0].files[MODEL], b"[]"),
        (b"\x08\x0a", report),
    ):
        forged = {case.name: Answer("returned", {MODEL: model, REPORT: noted}) for case in cases}
        assert verdict(exercise, forged, cases).score <= exercise.points / 10


def test_odd_shapes_of_codes_and_scales_break_no_check(by_the_library):
    """A model of the library in place of every case's: other layers, other names, and scales that
    belong to nothing.
    """
    report = b'{"argument_changed": false, "again": "same"}'
    for exercise in (MENDING, CHOOSING):
        cases = exercise.cases(2)
        forged = {
            case.name: Answer(
                "returned", {MODEL: by_the_library.SerializeToString(), REPORT: report}
            )
            for case in cases
        }
        assert verdict(exercise, forged, cases).score <= exercise.points / 2


@pytest.mark.parametrize("name", ["valid_halves", "valid_factor", "valid_unsigned"])
def test_right_answers_stand_far_from_the_bounds(name):
    for layer in _mended(name):
        assert layer.furthest <= 1.001
        assert max(abs(layer.upwards), abs(layer.inwards)) < rungs.ONE_WAY / 1.5


@pytest.mark.parametrize(
    ("name", "measure", "least"),
    [
        ("too_few_bits", "furthest", 2 * rungs.SLACK),
        ("floors", "upwards", 0.99),
        ("cuts_towards_zero", "inwards", 0.99),
    ],
)
def test_wrong_answers_stand_far_from_the_bounds(name, measure, least):
    """In every layer, so that no case is wrong by luck."""
    for layer in _mended(name):
        assert abs(getattr(layer, measure)) > least


def _mended(name):
    stored = {each.name: each.functions for each in mutants("saturation")}
    cases = MENDING.cases(5)
    given = answers(MENDING, stored[name], cases)
    return [layer for case in cases for layer in mended(case, given[case.name])]


def test_ties_that_all_go_up_are_no_rounding_to_nearest():
    """np.floor(x + 0.5) takes them up, as a shift takes them down."""
    codes = np.resize(np.arange(-64, 64), (8, 36))
    weight = Weight("Conv", 0, codes, np.ones(8), np.zeros(8), None, None)
    up = replace(weight, codes=np.floor(codes / 2 + 0.5), scale=np.full(8, 2.0))
    even = replace(up, codes=np.rint(codes / 2))
    found = [rungs._rounded_one_way(Mended(weight, after)) for after in (up, even)]
    assert found[0].found == "nearly all ties go up" and found[1] is None


def test_what_no_weight_shows_is_looked_for():
    """Another scale of an activation, with every weight in its place."""

    def wider(model):
        new = stored["valid_unsigned"](model)
        for tensor in new.graph.initializer:
            if tensor.name == "image_scale":
                tensor.CopyFrom(
                    numpy_helper.from_array(numpy_helper.to_array(tensor) * 2, tensor.name)
                )
        return new

    stored = {
        each.name: each.functions["without_saturation"]
        for each in mutants("saturation")
        if each.functions
    }
    broken = verdict(MENDING, {"without_saturation": wider}, MENDING.cases(3)).broken
    assert (broken.name, broken.misconception) == ("numerics", "")
    assert "leave the nodes" in broken.cause


@pytest.mark.parametrize("seed", range(4))
def test_the_layer_that_fits_is_worth_more_than_chance_makes_of_it(seed):
    """Of `too-large`, where a second coarse layer stays. `sensitivity` forgives one decibel."""
    case = choosing_cases.case_of("too-large", "too-large", seed, True)
    [mutant] = [each for each in mutants("sensitivity") if each.name == "unchanged"]
    right, left = (
        choices.noise(case, answers(CHOOSING, functions, [case])[case.name])
        for functions in (reference_functions("sensitivity"), mutant.functions)
    )
    assert right - left > 3


# Ways to write the two models of which the text of Part 3 says that they may occur.
SPELLINGS = {
    "a name that is taken": lambda model, small: any(
        numpy_helper.to_array(stored(small)[name]).dtype != np.float32
        for name in stored(model).keys() & stored(small).keys()
    ),
    "a bias of two layers": lambda model, small: any(
        sum(name in node.input for node in model.node) > 1 for name in stored(model)
    ),
    "a weight of two layers": lambda model, small: any(
        sum(node.input[1:2] == [name] for node in model.node) > 1 for name in stored(model)
    ),
    "no zero point": lambda model, small: any(
        node.op_type == "DequantizeLinear" and len(node.input) == 2 for node in small.node
    ),
    "an axis from the end": lambda model, small: any(
        attribute.name == "axis" and attribute.i < 0
        for node in small.node
        for attribute in node.attribute
    ),
    "a bias in an Add": lambda model, small: any(
        node.op_type == "Add" and stored(model).keys() & set(node.input) for node in model.node
    ),
}


def stored(graph):
    return {tensor.name: tensor for tensor in graph.initializer}


@pytest.mark.parametrize("name", SPELLINGS)
@pytest.mark.parametrize(
    "drawn", [CHOOSING.public_cases, lambda: CHOOSING.cases(3)], ids=["public", "hidden"]
)
def test_each_spelling_of_the_text_occurs(name, drawn):
    pairs = [
        [ModelProto.FromString(case.files[file]).graph for file in (MODEL, SMALL)]
        for case in drawn()
    ]
    assert any(SPELLINGS[name](*pair) for pair in pairs)


def test_that_the_ends_are_not_the_sensitive_ones_is_said_only_where_it_is_true():
    """The first layer belongs into float here, and the answer takes the last."""

    def last_in_float(model, small, feeds, spare):
        new = ModelProto.FromString(small.SerializeToString())
        before, after = (
            [node for node in each.graph.node if node.op_type in choices.LAYERS][-1]
            for each in (model, new)
        )
        after.input[:] = before.input
        kept = [tensor for tensor in model.graph.initializer if tensor.name in before.input]
        new.graph.initializer.extend(kept)
        return new

    [case] = [case for case in CHOOSING.cases(5) if case.name == "at-the-start"]
    rungs = verdict(CHOOSING, {"keep_float": last_in_float}, [case]).rungs
    assert {rung.misconception for rung in rungs if rung.name == "numerics"} == {"another-layer"}


@st.composite
def layers_that_share(draw):
    """Two Gemms in QDQ form, whose weights, biases, scales and zero points may be the same tensors,
    in the spellings that ONNX allows.
    """
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    large = st.sampled_from([127, 64, 20])
    tensors = {
        "xs": np.float32(0.02),
        "xz": np.uint8(128),
        "hs": np.float32(0.05),
        "hz": np.uint8(9),
    }
    names, lines = {}, []
    for layer, x in (("1", "xs"), ("2", "hs")):
        shares = layer == "2" and draw(st.booleans())
        w = "w1" if shares else f"w{layer}"
        ws = "ws1" if shares or (layer == "2" and draw(st.booleans())) else f"ws{layer}"
        if w not in tensors:
            most = draw(large)
            tensors[w] = rng.integers(-most, most + 1, (6, 6)).astype(np.int8)
        tensors.setdefault(ws, np.float32(draw(st.sampled_from([0.01, 0.013]))))
        zero = draw(st.sampled_from([None, 0, 3, -5])) if w == f"w{layer}" else names["w1"]
        names[w] = zero
        b, bs = f"b{layer}", f"bs{layer}"
        if draw(st.booleans()):
            tensors[b] = rng.integers(-999, 999, 6).astype(np.int32)
            tensors[bs] = np.float32(tensors[ws] * tensors[x])
            lines.append(f"{b}d = DequantizeLinear({b}, {bs})")
        else:
            b = ""
        written = f"{w}{ws}d"
        if not any(line.startswith(f"{written} =") for line in lines):
            part = ""
            if zero is not None:
                tensors[f"{w}z"] = np.int8(zero)
                part = f", {w}z"
            lines.append(f"{written} = DequantizeLinear({w}, {ws}{part})")
        turned = draw(st.sampled_from(["", "<transB = 1>"]))
        data, out = ("xd", "h") if layer == "1" else ("hd", "y")
        lines.append(f"{out} = Gemm {turned} ({data}, {written}{f', {b}d' if b else ''})")
        if layer == "1":
            lines += ["hq = QuantizeLinear(h, hs, hz)", "hd = DequantizeLinear(hq, hs, hz)"]
    text = "xq = QuantizeLinear(x, xs, xz) xd = DequantizeLinear(xq, xs, xz) " + " ".join(lines)
    graph = parser.parse_graph(f"g (float[N, 6] x) => (float[N, 6] y) {{ {text} }}")
    read = {name for node in graph.node for name in node.input}
    graph.initializer.extend(
        numpy_helper.from_array(np.asarray(value), name)
        for name, value in tensors.items()
        if name in read
    )
    return make_model(graph, 20)


def real(weight):
    return (weight.codes - weight.zero.astype(float)[:, None]) * weight.scale[:, None]


@settings(max_examples=150, deadline=None)
@given(layers_that_share())
def test_the_solution_keeps_its_rules_whoever_reads_a_tensor(model):
    onnx.checker.check_model(model, full_check=True)
    data = model.SerializeToString(deterministic=True)
    new = reference_functions("saturation")["without_saturation"](model)
    assert model.SerializeToString(deterministic=True) == data
    onnx.checker.check_model(new, full_check=True)
    before, after = weights(data), weights(new.SerializeToString())
    assert before.keys() == after.keys() == {"h", "y"}
    for name, old in before.items():
        changed = after[name]
        assert not changed.saturates
        if not old.saturates:
            assert old.same(changed)
            continue
        assert (np.abs(real(changed) - real(old)) <= old.scale[:, None] * (1 + 1e-6)).all()
        if old.bias is not None:
            ratio = changed.bias[1] / (changed.scale * changed.x_scale)
            assert np.allclose(ratio, old.bias[1] / (old.scale * old.x_scale), rtol=1e-5)
            moved = changed.bias[0] * changed.bias[1] - old.bias[0] * old.bias[1]
            assert (np.abs(moved) <= old.bias[1] * (1 + 1e-5)).all()
    again = reference_functions("saturation")["without_saturation"](new)
    assert again.SerializeToString(deterministic=True) == new.SerializeToString(deterministic=True)
