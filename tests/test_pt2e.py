"""The files that PT2E wrote of the digits CNN: what the page says of them."""

from collections import Counter

import onnx
import pytest
from onnx import ModelProto

from formatlab import quantized
from formatlab.models import digits, fixtures


def recorded(name):
    return ModelProto.FromString(fixtures.read(name))


@pytest.fixture(scope="module", params=["digits-cnn-pt2e", "digits-cnn-pt2e-trained"])
def pt2e(request):
    return recorded(request.param)


def test_it_is_valid_says_what_made_it_and_holds_integers(pt2e):
    onnx.checker.check_model(pt2e, full_check=True)
    made_with = {each.key: each.value for each in pt2e.metadata_props}
    assert made_with.keys() >= {"torch", "torchao", "onnx", "onnxscript", "python"}
    kinds = Counter(node.op_type for node in pt2e.graph.node)
    assert kinds["QuantizeLinear"] and kinds["DequantizeLinear"] > kinds["QuantizeLinear"]
    weights = [t for t in pt2e.graph.initializer if len(t.dims) > 1]
    assert {each.data_type for each in weights} == {onnx.TensorProto.INT8}


@pytest.fixture(scope="module")
def images():
    return digits.load()


@pytest.fixture(scope="module")
def expected(images):
    return outputs(fixtures.read("digits-cnn"), images)


def outputs(model, images):
    [[found]] = quantized.evaluate(model, [{"image": images.test_images}])
    return found


def test_it_knows_the_digits(pt2e, images):
    assert digits.accuracy(outputs(pt2e, images), images.test_labels) > 0.98


def test_calibrated_it_computes_what_the_digits_cnn_computes(images, expected):
    assert quantized.sqnr(expected, outputs(recorded("digits-cnn-pt2e"), images)) > 40


def test_trained_it_computes_something_else_and_says_how_long(images, expected):
    """Its weights have moved, so decibels against the first network say little of it."""
    trained = recorded("digits-cnn-pt2e-trained")
    assert quantized.sqnr(expected, outputs(trained, images)) < 30
    notes = {each.key: each.value for each in trained.metadata_props}
    assert notes["epochs"] == "3" and float(notes["learning rate"]) > 0
