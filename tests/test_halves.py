"""float16 is computed in float16, also where the CPU provider would compute in float32 and hide an
overflow.
"""

import numpy as np
import pytest
from onnx import numpy_helper, parser
from onnx.reference import ReferenceEvaluator

from formatlab import halves, quantized
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
