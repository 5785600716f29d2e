"""The exercise int8_static: its cases, what it accepts, what it says of the mistakes that it knows,
and that no CPU changes a mark.
"""

import tempfile
from collections import Counter

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper, parser
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process

from formatlab import loading, numerics, quantized
from formatlab.measure.saturation import saturated_product
from formatlab.models import make_model
from formatlab_exercises.int8_static.ask import unpacked
from formatlab_exercises.int8_static.judge import case_models, images, rungs, spelling
from formatlab_exercises.shared.judge.quantized_census import census
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import answers, mutants, reference_functions
from tests.seeds import seeds

EXERCISE = get("int8_static")
# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-int8_static")
STORED = {mutant.name: mutant.functions["quantize_cnn"] for mutant in mutants("int8_static")}
PUBLIC = {case.name: case for case in EXERCISE.public_cases()}
HIDDEN = {case.name: case for case in EXERCISE.cases(7)}


def reference(model, calibration):
    return reference_functions("int8_static")["quantize_cnn"](model, calibration)


@pytest.fixture(scope="module")
def digests():
    """The reference's digest of a case, computed once."""
    known = {}

    def digest(case):
        key = case.name, case.seed
        if key not in known:
            known[key] = EXERCISE.digest(
                case, answers(EXERCISE, {"quantize_cnn": reference}, [case])[case.name]
            )
        return known[key]

    return digest


@pytest.fixture
def verdict(digests):
    """The ladder on some cases only."""

    def climbed(function, cases):
        given = answers(EXERCISE, {"quantize_cnn": function}, cases)
        return climb(EXERCISE, cases, given, {case.name: digests(case) for case in cases})

    return climbed


def quantized_by_library(model, calibration, **options):
    class Reader(CalibrationDataReader):
        def __init__(self):
            self.feeds = iter(calibration)

        def get_next(self):
            return next(self.feeds, None)

    with tempfile.TemporaryDirectory() as folder:
        quant_pre_process(model, f"{folder}/float.onnx")
        options = {
            "activation_type": QuantType.QUInt8,
            "weight_type": QuantType.QInt8,
            "per_channel": True,
            **options,
        }
        quantize_static(f"{folder}/float.onnx", f"{folder}/int8.onnx", Reader(), **options)
        return onnx.load(f"{folder}/int8.onnx")


def after_reference(edit):
    """The reference's model, spoilt."""

    def quantize_cnn(model, calibration):
        new = reference(model, calibration)
        return edit(new) or new

    return quantize_cnn


def test_the_reference_keeps_the_bands_of_the_lab(digests):
    """34 dB on an easy network, 16 dB where channels are rescaled: its weights have seven bits,
    which no processor saturates.
    """
    assert digests(PUBLIC["digits"])["sqnr"].min() >= 34
    for case in (
        PUBLIC["digits-rescaled"],
        HIDDEN["digits-rescaled-new-weights"],
        HIDDEN["rescaled"],
    ):
        assert digests(case)["sqnr"].min() >= 16


@pytest.mark.parametrize("name", ["digits", "digits-rescaled"])
def test_no_processor_saturates_the_references_products(name):
    case = PUBLIC[name]
    model = reference(
        ModelProto.FromString(case.files["model.onnx"]),
        iter(unpacked(case.files["calibration.safetensors"])),
    )
    weights = [
        numpy_helper.to_array(tensor)
        for tensor in model.graph.initializer
        if tensor.data_type == TensorProto.INT8
    ]
    assert len(weights) > 3 and all(
        2 * 255 * abs(weight.astype(int)).max() <= np.iinfo(np.int16).max for weight in weights
    )


@seeds(6, 1)
def test_cases_are_valid_float_models_that_run_on_every_batch(seeds):
    for seed in seeds:
        for case in EXERCISE.graded_cases(seed):
            data = case.files["model.onnx"]
            loading.validate(data)
            layers = census(loading.parse(data)).layers
            assert len(layers) >= 3 and not any(layer.quantized for layer in layers)
            feeds = unpacked(case.files["calibration.safetensors"])
            for values in numerics.run(data, [*feeds[:1], *images.fresh(case)]):
                assert all(np.isfinite(output).all() and output.std() > 0 for output in values[0])


def test_operators_vary_with_the_seed():
    operators = {
        tuple(node.op_type for node in loading.parse(case.files["model.onnx"]).graph.node)
        for seed in range(6)
        for case in EXERCISE.cases(seed)
    }
    assert len(operators) > 15


def tensors_in_nodes(graph):
    return [name for node in graph.node if node.op_type == "Constant" for name in node.output]


def readers(graph):
    return Counter(name for node in graph.node for name in node.input)


# Ways to write a model of which the lab's text says that they may occur.
SPELLINGS = {
    "a weight in a Constant node": lambda graph: any(
        node.input[1] in tensors_in_nodes(graph)
        for node in graph.node
        if node.op_type in ("Conv", "Gemm", "MatMul")
    ),
    "a weight of two layers": lambda graph: any(
        readers(graph)[tensor.name] > 1 for tensor in graph.initializer
    ),
    "layers without names": lambda graph: (
        not any(node.name for node in graph.node if node.op_type in ("Conv", "Gemm", "MatMul"))
    ),
    "a tensor that nothing reads": lambda graph: any(
        not readers(graph)[tensor.name] for tensor in graph.initializer
    ),
    "a node that nothing reads": lambda graph: any(
        not readers(graph)[node.output[0]]
        and node.output[0] not in {value.name for value in graph.output}
        for node in graph.node
    ),
}


@pytest.mark.parametrize("name", SPELLINGS)
@pytest.mark.parametrize("drawn", [PUBLIC, HIDDEN], ids=["public", "hidden"])
def test_each_spelling_of_the_text_occurs(name, drawn):
    graphs = [loading.parse(case.files["model.onnx"]).graph for case in drawn.values()]
    assert any(SPELLINGS[name](graph) for graph in graphs)


def test_a_bias_may_stand_in_an_add():
    """Where the last layer has one; in other models it is inside a Gemm."""
    found = []
    for seed in range(6):
        data = case_models.build("residual", np.random.default_rng(seed), 0.6).SerializeToString()
        graph = loading.parse(spelling.spelled("residual", data)).graph
        stored = {tensor.name for tensor in graph.initializer}
        products = {node.output[0] for node in graph.node if node.op_type == "MatMul"}
        added = [node for node in graph.node if node.op_type == "Add"]
        found.append(any(stored & {*node.input} and products & {*node.input} for node in added))
        assert all(node.op_type != "Gemm" for node in graph.node)
    assert any(found)


@pytest.mark.parametrize("edits", spelling.SPELLED.values(), ids=spelling.SPELLED)
def test_another_spelling_is_the_same_function(edits):
    rng = np.random.default_rng(3)
    model = case_models.build("pooled", rng, 0.6)
    other = ModelProto.FromString(model.SerializeToString())
    for edit in edits:
        edit(other)
    onnx.checker.check_model(other, full_check=True)
    [image] = model.graph.input
    shape = [dim.dim_value for dim in image.type.tensor_type.shape.dim[1:]]
    feeds = [{image.name: rng.normal(size=(3, *shape)).astype(np.float32)}]
    [[want]], [[have]] = quantized.evaluate(model, feeds), quantized.evaluate(other, feeds)
    assert np.abs(want - have).max() < 1e-4 * np.abs(want).max()


def test_rescaling_keeps_the_function():
    digits, rescaled = (
        loading.parse(PUBLIC[name].files["model.onnx"]) for name in ("digits", "digits-rescaled")
    )
    feeds = images.fresh(PUBLIC["digits"])
    [[before], _], [[after], _] = (
        numerics.run(model.SerializeToString(), feeds) for model in (digits, rescaled)
    )
    assert numerics.relative_error(before[0], after[0]) < 1e-5
    weight = numpy_helper.to_array(
        next(tensor for tensor in rescaled.graph.initializer if len(tensor.dims) == 4)
    )
    channels = np.abs(weight).max(axis=(1, 2, 3))
    assert channels.max() > 20 * channels.min()


def test_fresh_images_are_those_of_the_calibration_and_do_not_reach_the_student():
    for case in (*PUBLIC.values(), *HIDDEN.values()):
        feeds = unpacked(case.files["calibration.safetensors"])
        assert case.files.keys() == {
            "model.onnx",
            "calibration.safetensors",
        } and case.parameters.keys() == {"ranges", "unit"}
        for name, fresh in images.fresh(case)[0].items():
            seen = np.concatenate([values[name] for values in feeds])
            assert {row.tobytes() for row in seen}.isdisjoint(row.tobytes() for row in fresh)
            assert abs(float(seen.mean() - fresh.mean())) < 0.15 * float(np.ptp(seen))
            assert seen.min() - 0.1 * np.ptp(
                seen
            ) <= fresh.min() and fresh.max() <= seen.max() + 0.1 * np.ptp(seen)


def test_calibration_can_be_gone_through_once(verdict):
    kinds = []

    def quantize_cnn(model, calibration):
        kinds.append(iter(calibration) is calibration)
        new = reference(model, calibration)
        assert list(calibration) == []
        return new

    assert verdict(quantize_cnn, [PUBLIC["digits"]]).broken is None and kinds == [True]


def requantized(sums, factor, zero):
    return np.clip(np.rint(sums * factor) + int(zero), 0, 255).astype(np.uint8)


class QLinearConv(OpRun):
    op_domain = ""

    def _run(self, x, xs, x0, w, ws, w0, ys, y0, bias, pads=None, kernel_shape=None, **_):
        pads, (height, width) = pads or [0] * 4, w.shape[2:]
        x = np.pad(x, [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])], constant_values=x0)
        windows = np.lib.stride_tricks.sliding_window_view(
            x, (height, width), axis=(2, 3)
        ).transpose(0, 2, 3, 1, 4, 5)
        rows = windows.reshape(-1, np.prod(w.shape[1:]))
        sums = saturated_product(rows, w.reshape(len(w), -1).T, int(x0)) + bias
        found = requantized(sums, xs * ws / ys, y0)
        return (found.reshape(*windows.shape[:3], -1).transpose(0, 3, 1, 2),)


class QGemm(OpRun):
    op_domain = "com.microsoft"

    def _run(self, a, as_, a0, b, bs, b0, c, ys=None, y0=None, alpha=1.0, transA=0, transB=0):
        sums = (saturated_product(a, b.T if transB else b, int(a0)) + c) * alpha
        return (
            (sums * (as_ * bs)).astype(np.float32)
            if ys is None
            else requantized(sums, as_ * bs / ys, y0),
        )


class SaturatingSession:
    """A session on a processor whose INT8 kernels saturate; every other graph runs as usual."""

    def __init__(self, data, level):
        model = ModelProto.FromString(data)
        integer = {"QLinearConv", "QGemm"} & {node.op_type for node in model.graph.node}
        # The evaluator knows no older DequantizeLinear.
        next(entry for entry in model.opset_import if not entry.domain).version = 21
        self.inner = (
            ReferenceEvaluator(model, new_ops=[QLinearConv, QGemm])
            if integer
            else self.native(data, level)
        )

    native = staticmethod(loading.session)

    def run(self, names, feeds, options=None):
        return self.inner.run(names, feeds)


def test_a_processor_whose_kernels_saturate_changes_no_mark(verdict, monkeypatch):
    def quantize_cnn(model, calibration):
        return quantized_by_library(model, calibration, quant_format=QuantFormat.QOperator)

    cases = [PUBLIC["digits"], PUBLIC["digits-rescaled"]]
    here = verdict(quantize_cnn, cases)
    assert here.broken is None, here.broken
    monkeypatch.setattr(loading, "session", SaturatingSession)
    assert verdict(quantize_cnn, cases) == here
    # And it would, if native kernels were asked: the test is one.
    monkeypatch.setattr(quantized, "runnable", lambda data: data)
    assert verdict(quantize_cnn, cases).broken.name == "numerics"


@pytest.mark.parametrize(
    "options",
    [
        {"weight_type": QuantType.QUInt8},
        {"quant_format": QuantFormat.QOperator},
        {"extra_options": {"WeightSymmetric": False}},
        {"reduce_range": True},
    ],
    ids=["unsigned-weights", "qoperator", "asymmetric-weights", "seven-bits"],
)
def test_the_librarys_other_settings_are_right_too(verdict, options):
    """Seven bits of weight, as processors without VNNI want them, too."""
    cases = [
        PUBLIC["digits"],
        PUBLIC["digits-rescaled"],
        PUBLIC["two-inputs"],
        HIDDEN["residual"],
        HIDDEN["depthwise"],
    ]
    found = verdict(
        lambda model, calibration: quantized_by_library(model, calibration, **options), cases
    )
    assert found.broken is None, found.broken


def test_what_does_not_matter_does_not_matter(verdict):
    def rewritten(new):
        new.producer_name, new.doc_string, new.graph.name, new.ir_version = (
            "somebody",
            "int8",
            "other",
            9,
        )
        outputs = {value.name for value in [*new.graph.input, *new.graph.output]}
        names = {
            name: f"n/{name}"
            for node in new.graph.node
            for name in [*node.input, *node.output]
            if name and name not in outputs
        }
        for tensor in list(new.graph.initializer):  # every second constant as a node
            tensor.name = names.get(tensor.name, tensor.name)
        for node in new.graph.node:
            node.name = ""
            node.input[:] = [names.get(name, name) for name in node.input]
            node.output[:] = [names.get(name, name) for name in node.output]
        for tensor in list(new.graph.initializer)[::2]:
            new.graph.node.insert(0, helper.make_node("Constant", [], [tensor.name], value=tensor))
            new.graph.initializer.remove(tensor)
        del new.graph.value_info[:]

    found = verdict(after_reference(rewritten), list(PUBLIC.values()))
    assert found.broken is None, found.broken


def test_an_initializer_among_the_inputs_has_no_images(verdict):
    def listed(new):
        new.graph.initializer.append(numpy_helper.from_array(np.float32([0.5]), "extra"))
        new.graph.input.append(helper.make_tensor_value_info("extra", TensorProto.FLOAT, [1]))
        read = ["extra", "image_scale", "image_zero_point"]
        new.graph.node.append(helper.make_node("QuantizeLinear", read, ["nothing"]))

    found = verdict(after_reference(listed), [PUBLIC["digits"]])
    assert found.broken is None, found.broken


@pytest.mark.parametrize(
    ("result", "found"),
    [
        (None, "NoneType"),
        (b"bytes", "bytes"),
        ("int8.onnx", "str"),
        (onnx.GraphProto(), "GraphProto"),
    ],
)
def test_other_types_are_refused_by_name(verdict, result, found):
    broken = verdict(lambda model, calibration: result, [PUBLIC["digits"]]).broken
    assert (broken.name, broken.found) == ("type", found)


def dynamically(model, calibration):
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(model, f"{folder}/float.onnx")
        quantize_dynamic(f"{folder}/float.onnx", f"{folder}/int8.onnx")
        return onnx.load(f"{folder}/int8.onnx")


def from_feeds(change):
    return lambda model, calibration: quantized_by_library(model, map(change, calibration))


@pytest.mark.parametrize(
    ("function", "case", "words"),
    [
        (dynamically, "digits", "Pre-process first"),
        (
            from_feeds(lambda feeds: {"image": next(iter(feeds.values()))}),
            "two-inputs",
            "every input of the model, by name",
        ),
        (
            from_feeds(lambda feeds: {**feeds, "label": feeds["image"]}),
            "digits",
            "an entry that is no input",
        ),
        (
            lambda model, calibration: list(calibration)[100],
            "digits",
            "a position that the sequence",
        ),
    ],
    ids=["old-shapes", "one-input", "extra-input", "other"],
)
def test_the_libraries_errors_have_causes(verdict, function, case, words):
    broken = verdict(function, [PUBLIC[case]]).broken
    assert broken.name == "type" and words in broken.cause, broken


def float_beside(new):
    """The float layers stay, and the quantized ones count for nothing."""
    original = loading.parse(PUBLIC["digits"].files["model.onnx"])
    names = {
        name: f"f/{name}"
        for node in original.graph.node
        for name in [*node.input, *node.output]
        if name not in ("image", "")
    }
    for node in original.graph.node:
        copy = new.graph.node.add()
        copy.CopyFrom(node)
        copy.name = f"f/{node.name}"
        copy.input[:] = [names.get(name, name) for name in node.input]
        copy.output[:] = [names.get(name, name) for name in node.output]
    for tensor in original.graph.initializer:
        new.graph.initializer.add().CopyFrom(tensor)
        new.graph.initializer[-1].name = names[tensor.name]
    writer = next(node for node in new.graph.node if "logits" in node.output)
    writer.output[:] = ["eight_bits"]
    new.graph.node.append(helper.make_node("Identity", ["f/logits"], ["logits"]))


def set_scale(new, factor):
    """The weights of the last layer in steps of another size."""
    scale = next(tensor for tensor in new.graph.initializer if tensor.name == "out.weight_scale")
    scale.CopyFrom(
        numpy_helper.from_array(numpy_helper.to_array(scale) * np.float32(factor), scale.name)
    )


def baked(new):
    del new.graph.node[:]
    new.graph.node.append(helper.make_node("ConstantOfShape", ["shape"], ["logits"]))
    new.graph.initializer.append(numpy_helper.from_array(np.array([5, 10]), "shape"))


def half_output(new):
    new.graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT16
    before_the_output(new, "Cast", to=TensorProto.FLOAT16)


def before_the_output(new, operator, **attributes):
    writer = next(node for node in new.graph.node if "logits" in node.output)
    writer.output[:] = ["before"]
    new.graph.node.append(helper.make_node(operator, ["before"], ["logits"], **attributes))


@pytest.mark.parametrize(
    ("spoil", "rung", "words"),
    [
        (float_beside, "structure", "none of 4 layers is quantized"),
        (baked, "structure", "depends on no input"),
        (lambda new: set_scale(new, 1.5), "numerics", "The input's range is right"),
        (lambda new: before_the_output(new, "Sqrt"), "numerics", "NaN or infinity"),
        (half_output, "contract", "an output of type float16"),
        (
            lambda new: new.graph.output[0].__setattr__("name", "scores") or rename_output(new),
            "contract",
            "'scores'",
        ),
        (lambda new: new.graph.node[-1].__setattr__("domain", "com.evil"), "loads", "com.evil"),
        (lambda new: new.graph.node.pop() and None, "loads", "onnx.checker"),
        (
            lambda new: new.graph.initializer.extend(
                [numpy_helper.from_array(np.ones((200, 200), np.int32), "more")]
            ),
            "quality",
            "wider type",
        ),
    ],
)
def test_spoilt_answers_are_named(verdict, spoil, rung, words):
    found = verdict(after_reference(spoil), [PUBLIC["digits"]])
    assert found.broken.name == rung, found.broken
    assert words in f"{found.broken.expected} {found.broken.found} {found.broken.cause}", (
        found.broken
    )


def rename_output(new):
    for node in new.graph.node:
        node.output[:] = ["scores" if name == "logits" else name for name in node.output]


def test_a_layer_that_was_cut_out_is_missed(verdict):
    def without_hidden_layer(new):
        """The second Gemm reads the first hundred numbers of what the first one read."""
        gemms = [node for node in new.graph.node if node.op_type == "Gemm"]
        new.graph.initializer.append(numpy_helper.from_array(np.arange(100), "first"))
        position = list(new.graph.node).index(gemms[1])
        new.graph.node.insert(
            position, helper.make_node("Gather", [gemms[0].input[0], "first"], ["cut"], axis=1)
        )
        gemms[1].input[0] = "cut"
        used = {name for node in new.graph.node if node is not gemms[0] for name in node.input}
        new.graph.node.remove(gemms[0])
        for node in list(new.graph.node):
            if gemms[0].output[0] in node.input:
                new.graph.node.remove(node)
        assert used

    broken = verdict(after_reference(without_hidden_layer), [PUBLIC["digits"]]).broken
    assert broken.name in ("loads", "structure")


def test_a_model_of_an_optimized_session_is_refused_in_words(verdict):
    def optimized(new):
        nodes = [node for node in new.graph.node if node.op_type == "Conv"]
        nodes[0].domain, nodes[0].op_type = "com.ms.internal.nhwc", "Conv"

    broken = verdict(after_reference(optimized), [PUBLIC["digits"]]).broken
    assert broken.name == "loads" and "com.ms.internal.nhwc" in broken.found


def test_hidden_findings_repeat_no_names_and_no_ranges(verdict):
    secret = "leaked_secret"

    def leak_output(new):
        new.graph.output[0].name = secret
        for node in new.graph.node:
            node.output[:] = [secret if name == "logits" else name for name in node.output]

    def leak_read(new):
        new.graph.node[-1].input[0] = secret

    def leak_scale(new):
        scale = next(tensor for tensor in new.graph.initializer if tensor.name == "image_scale")
        scale.CopyFrom(numpy_helper.from_array(np.array(0.123456, np.float32), scale.name))

    for edit in (leak_output, leak_read, leak_scale):
        for rung in verdict(after_reference(edit), [HIDDEN["digits-rescaled-new-weights"]]).rungs:
            assert secret not in f"{rung.expected} {rung.found} {rung.cause}"
            assert "31.4" not in f"{rung.expected} {rung.found} {rung.cause}"


def test_a_report_that_somebody_forged_is_no_answer(digests):
    case = PUBLIC["digits"]
    given = answers(EXERCISE, {"quantize_cnn": reference}, [case])["digits"]
    for report in (
        b"",
        b"[]",
        b'{"argument_changed": 0, "taken": 6}',
        b'{"argument_changed": false}',
        b'{"argument_changed": false, "taken": true}',
    ):
        forged = type(given)("returned", {**given.files, rungs.REPORT: report})
        assert (
            climb(EXERCISE, [case], {"digits": forged}, {"digits": digests(case)}).broken.name
            == "type"
        )


def spelled(graph, **tensors):
    """A small CNN of a text, with its tensors as initializers."""
    graph = parser.parse_graph(graph)
    graph.initializer.extend(
        numpy_helper.from_array(value, name) for name, value in tensors.items()
    )
    return make_model(graph, 20)


def noise_of(model, seed):
    """The SQNR of each output of the solution's model, on images that it has not seen."""
    rng, shape = (
        np.random.default_rng(seed),
        loading.parse(model.SerializeToString()).graph.input[0],
    )
    sizes = [dim.dim_value for dim in shape.type.tensor_type.shape.dim[1:]]
    seen, fresh = (
        [{"x": rng.uniform(-1, 2, (24, *sizes)).astype(np.float32)} for _ in range(2)]
        for _ in range(2)
    )
    onnx.checker.check_model(model, full_check=True)
    small = reference(ModelProto.FromString(model.SerializeToString()), iter(seen))
    found = quantized.evaluate(small.SerializeToString(), fresh[:1])[0]
    wanted = quantized.evaluate(model.SerializeToString(), fresh[:1])[0]
    return [quantized.sqnr(*pair) for pair in zip(wanted, found, strict=True)]


FORMS_OF_A_BIAS = {
    "vector": lambda row: row,
    "row": lambda row: row[None],
    "one-number": lambda row: row[:1],
    "no-dimensions": lambda row: row[0],
}


@settings(max_examples=12, deadline=None)
@given(
    transposed=st.booleans(),
    alpha=st.sampled_from([1, 0.25, 3]),
    beta=st.sampled_from([1, 0, -2, 0.5]),
    form=st.sampled_from(sorted(FORMS_OF_A_BIAS)),
    shared=st.booleans(),
    seed=st.integers(0, 99),
)
def test_the_solution_keeps_a_gemm_in_every_spelling(transposed, alpha, beta, form, shared, seed):
    rng = np.random.default_rng(seed)
    bias = FORMS_OF_A_BIAS[form](rng.normal(size=12).astype(np.float32))
    weights = [(rng.normal(size=(12, 12)) / 4).astype(np.float32) for _ in range(2)]
    second = "w" if shared else "v"
    options = f"<transB = {int(transposed)}, alpha = {alpha:.2f}, beta = {beta:.2f}>"
    model = spelled(
        f"""g (float[N, 12] x) => (float[N, 12] y) {{
            h = Gemm {options} (x, w, b)
            r = Relu(h)
            y = Gemm {options} (r, {second}, b)
        }}""",
        b=np.asarray(bias),
        **dict(zip(("w", "v"), weights, strict=True)),
    )
    # INT8 leaves so small a layer 21 dB and more; what the library loses leaves 7.
    assert min(noise_of(model, seed)) > 16


@pytest.mark.parametrize("operator", ["Relu(a)", "Clip(a, low, high)", "LeakyRelu(a)"])
@pytest.mark.parametrize("twice", [False, True])
def test_the_solution_keeps_an_output_that_is_read_again(operator, twice):
    """Also where the default domain is imported under both of its names."""
    rng = np.random.default_rng(5)
    first, second = ((rng.normal(size=(4, size, 3, 3)) / 4).astype(np.float32) for size in (3, 4))
    bounds = {"low": np.float32(0), "high": np.float32(6)}
    model = spelled(
        f"""g (float[N, 3, 8, 8] x) => (float[N, 4, 8, 8] y, float[N, 4, 8, 8] a) {{
            a = Conv <pads = [1, 1, 1, 1]> (x, w)
            r = {operator}
            y = Conv <pads = [1, 1, 1, 1]> (r, v)
        }}""",
        w=first,
        v=second,
        **{name: np.asarray(bound) for name, bound in bounds.items() if name in operator},
    )
    if twice:
        model.opset_import.append(helper.make_opsetid("ai.onnx", 20))
    assert min(noise_of(model, 5)) > 24


def test_what_the_quantizer_gets_wrong_is_not_handed_on(monkeypatch):
    """Whatever it is: here the weights of another scale."""

    def spoils(prepared, target, reader, **options):
        while reader.get_next():
            pass
        model = onnx.load(prepared)
        for tensor in model.graph.initializer:
            if len(tensor.dims) == 4:
                spoilt = numpy_helper.to_array(tensor) * np.float32(4)
                tensor.CopyFrom(numpy_helper.from_array(spoilt, tensor.name))
        onnx.save(model, target)

    solution = reference_functions("int8_static")["quantize_cnn"]
    monkeypatch.setitem(solution.__globals__, "quantize_static", spoils)
    case = PUBLIC["digits"]
    with pytest.raises(ValueError, match="SQNR"):
        solution(
            ModelProto.FromString(case.files["model.onnx"]),
            unpacked(case.files["calibration.safetensors"]),
        )


@settings(max_examples=8, deadline=None)
@given(st.sets(st.sampled_from(["kernel", "shift", "weight", "bias"]), min_size=1))
def test_an_input_with_a_default_is_kept_or_refused(overridable):
    """What a caller may replace is no constant, though the quantizer takes it for one."""
    graph = parser.parse_graph(
        """g (float[n, 3, 6, 6] x) => (float[n, 5] y) {
            a = Conv(x, kernel, shift)
            flat = Flatten(a)
            y = Gemm(flat, weight, bias)
        }"""
    )
    rng = np.random.default_rng(5)
    shapes = {"kernel": (4, 3, 3, 3), "shift": (4,), "weight": (64, 5), "bias": (5,)}
    for name, shape in shapes.items():
        array = rng.normal(size=shape).astype(np.float32)
        graph.initializer.append(numpy_helper.from_array(array, name))
        if name in overridable:
            graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
    model = make_model(graph, 20)
    onnx.checker.check_model(model, full_check=True)
    feeds = [{"x": rng.normal(size=(4, 3, 6, 6)).astype(np.float32)} for _ in range(3)]
    try:
        small = reference(model, feeds)
    except ValueError as refused:
        assert "the quantizer took an input away" in str(refused)
    else:
        names = [[value.name for value in each.graph.input] for each in (model, small)]
        assert names[0] == names[1]
