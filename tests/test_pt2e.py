"""The file that PT2E wrote of the digits CNN, by tools/record_pt2e.py: what the page says of it."""

from collections import Counter

import onnx
import pytest
from onnx import ModelProto

from formatlab import quantized
from formatlab.models import digits, fixtures


@pytest.fixture(scope="module")
def pt2e():
    return ModelProto.FromString(fixtures.read("digits-cnn-pt2e"))


def test_it_is_valid_says_what_made_it_and_holds_integers(pt2e):
    onnx.checker.check_model(pt2e, full_check=True)
    made_with = {each.key: each.value for each in pt2e.metadata_props}
    assert made_with.keys() >= {"torch", "torchao", "onnx", "onnxscript", "python"}
    kinds = Counter(node.op_type for node in pt2e.graph.node)
    assert kinds["QuantizeLinear"] and kinds["DequantizeLinear"] > kinds["QuantizeLinear"]
    weights = [t for t in pt2e.graph.initializer if len(t.dims) > 1]
    assert {each.data_type for each in weights} == {onnx.TensorProto.INT8}


def test_it_computes_what_the_digits_cnn_computes(pt2e):
    images = digits.load()
    test = {"image": images.test_images}
    [[expected]] = quantized.evaluate(fixtures.read("digits-cnn"), [test])
    [[found]] = quantized.evaluate(pt2e, [test])
    assert quantized.sqnr(expected, found) > 40
    assert digits.accuracy(found, images.test_labels) > 0.98
