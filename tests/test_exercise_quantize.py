"""The lab `quantize`: its three exercises agree with ONNX Runtime, their cases leave no doubt, and
no answer leaks or crashes a check.
"""

from fractions import Fraction

import calibration_cases
import numpy as np
import onnxruntime as ort
import pytest
import torch
from hypothesis import example, settings
from hypothesis import given as drawn
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from onnx import numpy_helper, parser

from formatlab.models import make_model
from formatlab_exercises.calibration.judge import computed as cuts
from formatlab_exercises.calibration.judge import stored
from formatlab_exercises.calibration.judge.cases import EQUAL
from formatlab_exercises.integer_layer.judge.cases import BEYOND, BOTH, beyond, is_clear
from formatlab_exercises.shared.arrays import ANSWER, CHANGED, GIVEN, packed, unpacked
from nbjudge.contract import Answer
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import answers, grade, mutants, reference_functions
from tests.seeds import seeds

LABS = ("quantize", "integer_layer", "calibration")
CODES, LAYER, CUT = (get(name) for name in LABS)
each_lab = pytest.mark.parametrize("exercise", [CODES, LAYER, CUT], ids=LABS)


DYNAMIC = "g (float[N] x) => (uint8[N] y, float s, uint8 z) { y, s, z = DynamicQuantizeLinear(x) }"


def run(text, **arrays):
    graph = parser.parse_graph(text)
    fed = {value.name for value in graph.input}
    graph.initializer.extend(
        numpy_helper.from_array(np.asarray(v), name)
        for name, v in arrays.items()
        if name not in fed
    )
    model = make_model(graph, domains={"com.microsoft": 1})
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {name: arrays[name] for name in fed})


def given(case):
    return unpacked(case.files[GIVEN])


def verdict(exercise, functions, cases):
    right = answers(exercise, reference_functions(exercise.id), cases)
    references = {case.name: exercise.digest(case, right[case.name]) for case in cases}
    found = (
        functions
        if isinstance(functions, dict)
        and all(isinstance(each, Answer) for each in functions.values())
        else None
    )
    return climb(exercise, cases, found or answers(exercise, functions, cases), references)


def test_asymmetric_codes_are_those_of_dynamic_quantize_linear():
    quantize = reference_functions("quantize")["quantize"]
    for case in CODES.graded_cases(7):
        x = given(case)["x"]
        if case.parameters["symmetric"] or "ties" in case.name or "beyond" in case.name:
            continue  # on exact ties the operator computes in steps of its own
        codes, scale, zero = quantize(x, False)
        finite = np.isfinite(x)
        theirs = run(DYNAMIC, x=x[finite])
        assert np.array_equal(codes[finite], theirs[0]) and int(zero) == int(theirs[2]), case.name
        # The operator subtracts in float32, and the solution in float64.
        assert float(scale) == pytest.approx(float(theirs[1]), rel=2e-7), case.name


def test_codes_are_those_of_quantize_linear_with_the_same_scale():
    quantize = reference_functions("quantize")["quantize"]
    for case in CODES.graded_cases(8):
        symmetric = case.parameters["symmetric"]
        codes, scale, zero = quantize(given(case)["x"].ravel(), symmetric)
        kind = np.int8 if symmetric else np.uint8
        text = f"g (float[N] x) => ({np.dtype(kind)}[N] y) {{ y = QuantizeLinear(x, s, z) }}"
        [theirs] = run(text, x=given(case)["x"].ravel(), s=np.float32(scale), z=kind(zero))
        assert np.array_equal(codes, np.maximum(theirs, -127) if symmetric else theirs), case.name


@pytest.mark.parametrize("infinite", [-np.inf, np.inf])
def test_one_infinite_number_makes_the_scale_infinite_in_three_libraries(infinite):
    """So a call of any of them is no answer, and the lab says so."""
    from onnx import TensorProto
    from onnxruntime.quantization.quant_utils import quantize_data

    x = np.float32([-1, 0.5, 2, infinite])
    with np.errstate(invalid="ignore"):
        _, scale, codes = quantize_data(x, TensorProto.UINT8, False)
    assert np.isinf(scale) and len(set(codes[:3].tolist())) == 1
    codes, scale, _ = run(DYNAMIC, x=x)
    assert np.isinf(scale) and len(set(codes[:3].tolist())) == 1
    observer = torch.ao.quantization.MinMaxObserver(quant_min=0, quant_max=255)
    observer(torch.from_numpy(x))
    assert torch.isinf(observer.calculate_qparams()[0]).all()


@example(np.float32([1e-45, 0]), False)
@settings(deadline=None)
@drawn(
    arrays.arrays(np.float32, st.integers(1, 8), elements=st.floats(width=32, allow_nan=False)),
    st.booleans(),
)
def test_every_finite_range_has_codes_whatever_its_width(x, symmetric):
    """Also one that is wider than float32, and one whose steps are smaller than its smallest number."""
    finite = x[np.isfinite(x)].astype(np.float64)
    if not finite.size:
        return
    codes, scale, zero = reference_functions("quantize")["quantize"](x, symmetric)
    low, high = min(finite.min(), 0.0), max(finite.max(), 0.0)
    lowest, highest = (-127, 127) if symmetric else (0, 255)
    span = 2 * max(-low, high) if symmetric else high - low
    assert float(scale) == pytest.approx(span / (highest - lowest) if span else 1, rel=1e-12)
    for number, code in zip(x, codes.tolist(), strict=True):
        steps = float(number) / float(scale) + zero if np.isfinite(number) else number
        nearest = min(max(steps, lowest), highest)
        assert abs(code - nearest) <= 0.5 + 1e-9 and lowest <= code <= highest


BEYOND_INT32 = {
    "x": np.uint8([[14, 9]]),
    "x_scale": np.float32(0.5),
    "x_zero": np.uint8(10),
    "w": np.int8([[2], [-1]]),
    "w_zero": np.zeros(1, np.int8),
    "y_scale": np.float32(1),
    "y_zero": np.uint8(100),
}


@settings(deadline=None)
@drawn(st.floats(1e-18, 1), st.floats(-100, 100, width=32))
def test_a_bias_of_any_number_of_steps_joins_the_sum_exactly(w_scale, bias):
    """From a bias of a few steps to one of more than int32, and int64, hold."""
    layer, scale = reference_functions("integer_layer")["integer_linear"], np.float32([w_scale])
    [[code]] = layer(**BEYOND_INT32, w_scale=scale, bias=np.float32([bias]))
    step = Fraction(0.5) * Fraction(float(scale[0]))
    exact = (9 + round(Fraction(float(np.float32(bias))) / step)) * step
    assert abs(code - min(max(exact + 100, 0), 255)) <= Fraction(1, 2) + Fraction(1, 10**4)


def test_every_tensor_holds_an_infinite_number_and_a_finite_one():
    for case in CODES.graded_cases(9):
        assert np.isinf(given(case)["x"]).sum() == 1, case.name


def test_the_layer_is_the_librarys_with_a_bias_bit_for_bit():
    """QGemm takes the bias. Unsigned weights, because pairs of signed ones saturate on some
    processors.
    """
    layer = reference_functions("integer_layer")["integer_linear"]
    for seed in range(5):
        case = next(case for case in LAYER.cases(seed) if case.name == "unsigned-weights-new")
        arrays = given(case)
        bias = np.rint(arrays["bias"] / (arrays["x_scale"] * arrays["w_scale"])).astype(np.int32)
        text = """g (uint8[N, K] x) => (uint8[N, M] y) {
            y = com.microsoft.QGemm(x, x_scale, x_zero, w, w_scale, w_zero, bias, y_scale, y_zero)
        }"""
        [theirs] = run(text, **{**arrays, "bias": bias})
        assert np.array_equal(
            layer(**{name: value if value.ndim else value[()] for name, value in arrays.items()}),
            theirs,
        )


def test_a_sum_that_saturates_in_pairs_is_right_as_on_processors_where_it_is_exact():
    """What MatMulInteger gives for uint8 and int8 on processors without VNNI, on every processor:
    whoever calls it gets one mark on all of them.
    """

    def saturating(x, x_scale, x_zero, w, w_scale, w_zero, bias, y_scale, y_zero):
        wide, weights = x.astype(np.int32), w.astype(np.int32)
        total = np.zeros((len(x), w.shape[1]), np.int32)
        for k in range(0, len(w), 2):
            pair = wide[:, k : k + 2] @ weights[k : k + 2]
            total += np.clip(pair, -(2**15), 2**15 - 1)
        total = total - np.int32(x_zero) * weights.sum(axis=0)
        steps = total + np.rint(bias / (x_scale * w_scale))
        steps = np.rint(steps * (x_scale * w_scale / y_scale)) + int(y_zero)
        limits = np.iinfo(y_zero.dtype)
        return np.clip(steps, limits.min, limits.max).astype(y_zero.dtype)

    hidden = [case for seed in range(12) for case in LAYER.cases(seed)]
    graded = [*LAYER.public_cases(), *hidden]
    signed = [case for case in graded if given(case)["w"].dtype == np.int8]
    assert len(signed) > 50
    # Whichever two products a kernel adds: also those of x moved to uint8.
    assert max(np.abs(given(case)["w"].astype(int)).max() for case in signed) * 2 * 255 < 2**15
    unsigned_x = [case for case in signed if given(case)["x"].dtype == np.uint8]
    assert verdict(LAYER, {"integer_linear": saturating}, unsigned_x[-9:]).broken is None


@seeds(50, 3)
def test_cases_leave_no_doubt_whatever_the_seed(seeds):
    for seed in seeds:
        for case in LAYER.cases(seed):
            kind = case.name.removesuffix("-new")
            assert is_clear(given(case), kind), (seed, case.name)
            assert beyond(given(case)) == BEYOND.get(kind, BOTH), (seed, case.name)
        for case in CUT.cases(seed):
            if case.parameters["function"] == "entropy_cut":
                first, second = np.sort(
                    cuts.distances(given(case)["counts"], case.parameters["third"])
                )[:2]
                assert (
                    first == second == 0
                    if any(kind in case.name for kind in EQUAL)
                    else second - first > 1e-8
                )


@pytest.mark.parametrize(
    ("exercise", "result", "found"),
    [
        (CODES, None, "NoneType"),
        (CODES, (1, 2), "a tuple of 2"),
        (CODES, (np.zeros(2), "one", 0), "str"),
        (LAYER, "codes", "str"),
        (LAYER, np.array([None]), "ndarray"),
        (CUT, None, "NoneType"),
        (CUT, [1.0, 2.0], "an array of shape [2]"),
    ],
)
def test_other_types_are_refused_by_name(exercise, result, found):
    functions = {name: lambda *_: result for name in exercise.functions}
    broken = verdict(exercise, functions, exercise.public_cases()).broken
    assert (broken.name, broken.found) == ("type", found)


@each_lab
def test_a_forged_answer_is_no_answer(exercise):
    cases = exercise.public_cases()
    for data in (
        b"",
        b"x" * 40,
        packed({"codes": np.zeros(3)}),
        packed({"cut": np.zeros(0), CHANGED: np.zeros(2)}),
    ):
        forged = {case.name: Answer("returned", {ANSWER: data}) for case in cases}
        assert verdict(exercise, forged, cases).score == 0


@each_lab
def test_a_finding_on_a_hidden_case_repeats_no_number_of_it(exercise):
    wrong = {
        "quantize": lambda x, symmetric: (
            np.full(x.shape, 77, np.int8 if symmetric else np.uint8),
            0.123456,
            77,
        ),
        "integer_linear": lambda x, *rest: np.full((len(x), rest[2].shape[1]), 77, rest[-1].dtype),
        "percentile_cut": lambda *_: 0.123456,
        "entropy_cut": lambda *_: 0.123456,
    }
    hidden = exercise.cases(4)
    for rung in verdict(exercise, {name: wrong[name] for name in exercise.functions}, hidden).rungs:
        told = f"{rung.expected} {rung.found}"
        assert "77" not in told and "0.123456" not in told, told


def stub(*_):
    raise NotImplementedError


def test_each_of_two_functions_earns_its_own_points_and_no_others():
    right, worth = reference_functions("calibration"), {"percentile_cut": 0.5, "entropy_cut": 1.5}
    for missing, lost in worth.items():
        found = verdict(CUT, {**right, missing: stub}, CUT.public_cases())
        at_least = found.max_score - lost
        assert found.broken.name == "exists"
        assert at_least - 0.1 - 1e-9 <= found.score <= at_least  # and the histogram's own item


@pytest.mark.parametrize("seed", [2, 3])
def test_before_the_first_cut_lies_something(seed):
    """In the histograms that these seeds drew first nothing did: an answer that divides by the sum
    of q without a look at it was right for other seeds, and wrong for these.
    """
    for case in CUT.cases(seed):
        assert given(case)["counts"][:16].any() or case.parameters["function"] == "percentile_cut"


@pytest.mark.parametrize("exercise", ["quantize", "integer_layer", "calibration"])
def test_a_wrong_answer_gets_its_mark_on_another_seed(exercise):
    """Each case that is wrong costs its share, so what a mistake breaks may not depend on the draw."""
    for mutant in mutants(exercise):
        found = grade(exercise, mutant.functions, 5)
        assert found.score / found.max_score == pytest.approx(mutant.score, abs=5e-4), mutant.name


def test_a_bias_that_is_clipped_to_int32_is_named():
    right = reference_functions("integer_layer")["integer_linear"]

    def clipped(x, x_scale, x_zero, w, w_scale, w_zero, bias, y_scale, y_zero):
        step = np.float64(x_scale) * w_scale
        bias = np.clip(np.rint(bias / step), -(2.0**31), 2.0**31 - 1) * step
        return right(x, x_scale, x_zero, w, w_scale, w_zero, bias, y_scale, y_zero)

    assert (
        grade("integer_layer", {"integer_linear": clipped}).broken.misconception
        == "bias-in-32-bits"
    )


def test_what_is_stored_of_the_cuts_is_what_is_computed():
    """So neither a local check of a public case nor one of practice needs the method."""
    known = stored.TABLE.strip().splitlines()
    assert known == calibration_cases.lines()
    assert len(known) == len(CUT.public_cases()) + calibration_cases.DRAWS * len(CUT.cases(1))
