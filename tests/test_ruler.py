"""The ruler of the exercises that edit a model: right answers lie far below what it allows, and a
model whose weights lost six bits above, far above in a case of each item.
"""

import math

import numpy as np
import pytest
from onnx import ModelProto, parser

from formatlab import numerics
from formatlab.measure.yardstick import ALLOWED
from formatlab_exercises.shared.judge import models, ruler
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.exercises import get
from tests.mutants import SEED, asked_once, cases_of, mutants, reference_functions, references

SURGERIES = ("dropout", "gemm", "layernorm")


def together(exercise):
    """On the worker that grades the exercise's stored answers."""
    return pytest.param(exercise, marks=pytest.mark.xdist_group(f"mutants-{exercise}"))


def units(exercise, functions):
    """For each case, the error of an answer's model at both levels."""
    cases = cases_of(exercise)
    answers = asked_once(get(exercise), functions, cases)
    digests = references(exercise, SEED, cases)
    found = {}
    for case in cases:
        runs = [
            [outputs for [outputs] in numerics.run(answers[case.name].files[MODEL], inputs, level)]
            for inputs in [models.inputs_of(case)]
            for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_ALL")
        ]
        found[case.name] = max(ruler.units(digests[case.name], each) for each in runs)
    return found


@pytest.mark.parametrize("exercise", map(together, SURGERIES))
def test_right_answers_stay_below_half_of_what_is_allowed(exercise):
    right = [mutant.functions for mutant in mutants(exercise) if not mutant.rung]
    for functions in (reference_functions(exercise), *right):
        found = units(exercise, functions)
        assert {name: error for name, error in found.items() if error >= ALLOWED / 2} == {}


@pytest.mark.xdist_group("mutants-gemm")
def test_weights_of_18_bits_are_refused_and_cost_each_item_by_a_margin():
    [functions] = [m.functions for m in mutants("gemm") if m.name == "weights_of_18_bits"]
    found = units("gemm", functions)
    # What has no float64 run has no units: there the pair of float16 decides.
    without = {"whole-numbers", "integers"}
    assert {name for name, error in found.items() if error <= ALLOWED} == without
    hidden = {case.name: found[case.name] for case in cases_of("gemm") if not case.public}
    for item in get("gemm").items:
        most = max(error for name, error in hidden.items() if item.gives_for(name))
        assert most > 2 * ALLOWED, item.name


MODEL_OF_ONE_SUM = """
    <ir_version: 10, opset_import: ["" : 18]>
    sums (float[N, 3] x) => (float[N, 2] y, int64[2] dims) <float[3, 2] w = {1, -2, 3, 0.5, 1, -1}> {
        y = MatMul(x, w)
        dims = Shape(x)
    }"""


def digest():
    data = parser.parse_model(MODEL_OF_ONE_SUM).SerializeToString()
    inputs = numerics.feeds(ModelProto.FromString(data), 3)
    runs = [outputs for [outputs] in numerics.run(data, inputs)]
    return ruler.digest(data, inputs), runs


def test_a_number_that_is_off_an_integer_and_a_shape_are_told_apart():
    reference, runs = digest()
    assert ruler.difference(reference, runs, ["y", "dims"]) is None
    shifted = [[y + np.float32(1e-5), dims] for y, dims in runs]
    assert ruler.difference(reference, shifted, ["y", "dims"]).kind == "value"
    assert ruler.difference(reference, shifted, ["y", "dims"]).output == "y"
    other = [[y, dims + 1] for y, dims in runs]
    assert ruler.difference(reference, other, ["y", "dims"]).output == "dims"
    turned = [[y.T, dims] for y, dims in runs]
    assert ruler.difference(reference, turned, ["y", "dims"]).kind == "shape"
    lost = [[np.full_like(y, math.nan), dims] for y, dims in runs]
    assert ruler.difference(reference, lost, ["y", "dims"]).kind == "finite"


def test_what_has_no_float64_run_is_compared_by_the_spacing_of_its_type():
    reference, runs = digest()
    plain = {key: value for key, value in reference.items() if not key.startswith(ruler.EXACT)}
    assert ruler.difference(plain, runs, ["y", "dims"]) is None
    off = [[y * np.float32(1 + 1e-4), dims] for y, dims in runs]
    assert ruler.difference(plain, off, ["y", "dims"]).output == "y"
    close = [[y * np.float32(1 + 2e-7), dims] for y, dims in runs]
    assert ruler.difference(plain, close, ["y", "dims"]) is None
