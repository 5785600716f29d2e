"""Pairs as tools make them: exporters, optimizers, quantizers, converters, and the stored answers of
the labs on surgery.
"""

import contextlib
import io
from collections import Counter

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_dynamic
from onnxruntime.quantization import quantize_static as static
from onnxruntime.transformers.float16 import convert_float_to_float16

import formatlab
from formatlab.diff.changes import Kind
from formatlab.measure.feeds import make_feeds
from formatlab.models import make_model
from formatlab.models.fixtures import FOLDER
from tests.diff.diff_edits import copy
from tests.mutants import cases_of, mutants

SURGERY = ("dropout", "gemm", "layernorm", "fp16", "saturation")
MODELS = ("bert", "digits-cnn", "made")


def original(name):
    """Without the shapes of inner values, which quantizers stumble over."""
    if name == "made":
        return made()
    model = onnx.load(FOLDER / f"{name}.onnx")
    del model.graph.value_info[:]
    return model


def made():
    """Two layers with a residual, weights of 16 x 16."""
    rng = np.random.default_rng(3)
    weights = {
        name: rng.normal(size=size).astype(np.float32)
        for name, size in {"w1": (16, 16), "b1": (16,), "w2": (16, 16), "b2": (16,)}.items()
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["p1"], name="MatMul_0"),
        helper.make_node("Add", ["p1", "b1"], ["s1"], name="Add_1"),
        helper.make_node("Relu", ["s1"], ["h"], name="Relu_2"),
        helper.make_node("MatMul", ["h", "w2"], ["p2"], name="MatMul_3"),
        helper.make_node("Add", ["p2", "b2"], ["s2"], name="Add_4"),
        helper.make_node("Add", ["s2", "h"], ["y"], name="Add_5"),
    ]
    graph = helper.make_graph(
        nodes,
        "made",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 16])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 16])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    return make_model(graph)


def fused():
    after = made()
    del after.graph.node[3:5]
    gemm = helper.make_node("Gemm", ["h", "w2", "b2"], ["s2"], name="Gemm_0")
    after.graph.node.insert(3, gemm)
    return after


def disturbed():
    """One weight is 2 % off."""
    after = made()
    values = numpy_helper.to_array(after.graph.initializer[2])
    noise = np.random.default_rng(0).normal(size=values.shape).astype(np.float32)
    noise *= np.float32(0.02) * np.linalg.norm(values) / np.linalg.norm(noise)
    after.graph.initializer[2].CopyFrom(numpy_helper.from_array(values + noise, "w2"))
    return after


def accounted(found):
    """Do A's operators, without what went and with what came, give those of B?"""
    for scope in found.scopes:
        pairs = scope.pairs
        left = Counter(node.operator for node in pairs.a.nodes)
        for region in scope.regions:
            left.subtract(pairs.a.nodes[at].operator for at in region.a)
            left.update(pairs.b.nodes[at].operator for at in region.b)
        assert +left == Counter(node.operator for node in pairs.b.nodes), scope.title
        assert set(pairs.forth) | {at for each in scope.regions for at in each.a} == set(
            range(len(pairs.a.nodes))
        )


def answered(function, given):
    """What a stored answer returns, as bytes; None where it raises or gives no model."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
        answer = function(ModelProto.FromString(given))
        if isinstance(answer, ModelProto):
            return answer.SerializeToString(deterministic=True)
    return None


@pytest.mark.slow
@pytest.mark.parametrize("exercise", SURGERY)
def test_every_stored_answer_of_surgery_is_accounted_for(exercise):
    cases = [case for case in cases_of(exercise, large=False) if case.public][:2]
    compared = 0
    for mutant in mutants(exercise):
        [function] = mutant.functions.values()
        for case in cases:
            given = case.files["model.onnx"]
            data = answered(function, given)
            if data is None:
                continue
            try:
                found = formatlab.diff(given, data, inputs=0)
            except formatlab.diff.CannotDiff as refused:
                assert "\n" not in str(refused)
                continue
            accounted(found)
            compared += 1
            if ModelProto.FromString(given) == ModelProto.FromString(data):
                assert found.is_same, (mutant.name, found.text)
    assert compared


def said(found):
    return {each.kind.value for each in found.changes}


def test_a_fusion_names_what_became_what():
    found = formatlab.diff(made(), fused())
    assert [each.text for each in found.changes] == ["`MatMul_3` and `Add_4` became `Gemm_0`"]
    assert found.changes[0].kind == Kind.FUSED
    assert found.agreement.verdict == "same"
    back = formatlab.diff(fused(), made(), inputs=0)
    assert [each.text for each in back.changes] == ["`Gemm_0` became `MatMul_3` and `Add_4`"]


def test_a_weight_says_how_far_it_is_off():
    found = formatlab.diff(made(), disturbed())
    assert [each.text for each in found.changes] == ["the weight `w2` is 2 % different"]
    assert found.agreement.verdict == "other"
    assert found.agreement.first == ("p2", "p2")


def test_dropout_out_of_a_real_model():
    found = formatlab.diff(FOLDER / "bert-dropout.onnx", FOLDER / "bert.onnx", inputs=0)
    assert len(found.changes) == 1
    assert found.changes[0].text.startswith("7 Dropout nodes were removed, and what read them")


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("level", ["DISABLE_ALL", "ENABLE_BASIC", "ENABLE_EXTENDED", "ENABLE_ALL"])
def test_what_an_optimizer_level_does(name, level, tmp_path):
    options = ort.SessionOptions()
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, f"ORT_{level}")
    options.optimized_model_filepath = str(tmp_path / "optimized.onnx")
    options.log_severity_level = 4
    model = original(name)
    ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    found = formatlab.diff(model, tmp_path / "optimized.onnx", inputs=0)
    accounted(found)
    structural = said(found) - {"opset", "metadata"}
    if level == "DISABLE_ALL":
        assert not structural, found.text
    elif level != "ENABLE_BASIC":
        assert "fused" in structural, found.text
    assert not structural & {"values", "invalid", "interface"}, found.text


@pytest.mark.parametrize("name", MODELS)
def test_dynamic_int8_is_told_as_quantized(name, tmp_path):
    model = original(name)
    quantize_dynamic(copy(model), tmp_path / "int8.onnx")
    found = formatlab.diff(model, tmp_path / "int8.onnx", inputs=0)
    accounted(found)
    assert "quantized" in said(found), found.text
    assert not said(found) & {"values", "rewired", "removed", "interface"}, found.text


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("form", [QuantFormat.QDQ, QuantFormat.QOperator])
def test_static_int8_is_told_as_quantized(name, form, tmp_path):
    model = original(name)
    sizes = {"sequence": 5} if name == "bert" else {}
    feeds = [make_feeds(model, 2, sizes, seed=seed) for seed in range(2)]
    static(copy(model), tmp_path / "int8.onnx", Reader(feeds), quant_format=form)
    found = formatlab.diff(model, tmp_path / "int8.onnx", inputs=0)
    accounted(found)
    assert "quantized" in said(found), found.text
    assert not said(found) & {"values", "rewired", "interface", "invalid"}, found.text
    if form == QuantFormat.QDQ and name == "bert":
        # All of the model is still there: numbers were only put into another type around it.
        assert len(found.scopes[0].pairs.forth) == len(found.scopes[0].pairs.a.nodes)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("keep", [True, False])
def test_float16_is_told_as_rounded_weights(name, keep, tmp_path):
    model = original(name)
    half = convert_float_to_float16(copy(model), keep_io_types=keep)
    found = formatlab.diff(model, half, inputs=0)
    accounted(found)
    texts = [each.text for each in found.changes]
    assert any("weights are FLOAT16 and were FLOAT, rounded" in text for text in texts), texts
    assert not said(found) & {"removed", "fused", "replaced", "rewired"}, found.text
    assert len(found.changes) <= 8, found.text


def test_both_exporters_give_one_function(tmp_path):
    torch = pytest.importorskip("torch")
    module = torch.nn.Sequential(
        torch.nn.Linear(6, 8), torch.nn.GELU(), torch.nn.LayerNorm(8), torch.nn.Linear(8, 3)
    ).eval()
    x = torch.zeros(2, 6)
    torch.onnx.export(
        module,
        (x,),
        tmp_path / "old.onnx",
        dynamo=False,
        opset_version=18,
        input_names=["x"],
        output_names=["y"],
    )
    torch.onnx.export(
        module,
        (x,),
        tmp_path / "new.onnx",
        dynamo=True,
        opset_version=18,
        input_names=["x"],
        output_names=["y"],
        external_data=False,
        verbose=False,
    )
    found = formatlab.diff(tmp_path / "old.onnx", tmp_path / "new.onnx")
    accounted(found)
    assert found.agreement.verdict == "same", found.text
    assert not said(found) & {"values", "interface", "invalid"}, found.text
