"""float16 is computed in float16, also where the CPU provider would compute in float32 and hide an
overflow.
"""

import numpy as np
import pytest
from onnx import ModelProto, helper, numpy_helper, parser
from onnx.reference import ReferenceEvaluator

from formatlab import halves, numerics, quantized
from formatlab.models import make_model

FLOATS = make_model(parser.parse_graph("floats (float[N] x) => (float[N] y) { y = Relu(x) }"))


@pytest.fixture
def loud():
    """x · 1000 · 0.001: infinite in float16 for an x of 100."""
    text = "loud (float[N] x) => (float[N] y) { a = Cast<to=10>(x) h = Mul(a, thousand) b = Mul(h, thousandth) y = Cast<to=1>(b) }"
    model = make_model(parser.parse_graph(text))
    numbers = {"thousand": 1000, "thousandth": 1e-3}
    model.graph.initializer.extend(
        numpy_helper.from_array(np.float16(number), name) for name, number in numbers.items()
    )
    return model


def test_a_value_that_overflows_inside_is_infinite(loud):
    x = np.float32([100, 60])
    [[found]] = quantized.evaluate(loud, [{"x": x}])
    assert np.array_equal(found, ReferenceEvaluator(loud).run(None, {"x": x})[0])
    assert np.isinf(found[0]) and np.isfinite(found[1])


def test_a_file_that_overflows_has_no_sqnr(loud):
    x = np.float32([100, 60])
    assert quantized.sqnr(x, quantized.evaluate(loud, [{"x": x}])[0][0]) == -np.inf


def test_only_models_with_float16_are_touched_and_the_argument_never_is(loud):
    before = loud.SerializeToString()
    assert halves.kept(FLOATS) is FLOATS
    assert len(halves.kept(loud).graph.node) == 3 * len(loud.graph.node)
    assert loud.SerializeToString() == before


def as_function(model):
    """The model as one node, which calls a local function with the model's own nodes in it. Its
    numbers are Constants there.
    """
    new = ModelProto.FromString(model.SerializeToString())
    body = [
        helper.make_node("Constant", [], [each.name], value=each) for each in new.graph.initializer
    ]
    body += new.graph.node
    function = helper.make_function("my", "body", ["x"], ["y"], body, list(new.opset_import))
    del new.graph.node[:], new.graph.initializer[:]
    new.graph.node.append(helper.make_node("body", ["x"], ["y"], domain="my"))
    new.functions.append(function)
    new.opset_import.append(helper.make_opsetid("my", 1))
    return new


@pytest.mark.parametrize("run", ["evaluate", "run_as_written"])
def test_a_value_that_overflows_in_a_function_is_infinite(loud, run):
    """`quantized.evaluate` writes functions out before; `kept` reaches into them by itself."""
    x = np.float32([100, 60])
    model = as_function(loud)
    [[found]] = (quantized.evaluate if run == "evaluate" else run_as_written)(model, [{"x": x}])
    assert np.array_equal(found, ReferenceEvaluator(model).run(None, {"x": x})[0])
    assert np.isinf(found[0]) and np.isfinite(found[1])


def run_as_written(model, feeds):
    data = halves.kept(model).SerializeToString()
    return [outputs for [outputs] in numerics.run(data, feeds, "ORT_DISABLE_ALL")]
