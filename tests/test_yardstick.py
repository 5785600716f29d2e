"""The yardstick for "the same function in float32": what it accepts, what it refuses, and that the
ten lines on the page give the library's answer.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from formatlab.measure import yardstick
from formatlab.measure.yardstick import judge, same_function

EPS = np.float32(yardstick.EPS)
PAGE = Path(__file__).resolve().parents[1] / "docs" / "same-function.md"


def three_runs(seed=0, size=1000, noise=1e-6):
    """(original in float32, exact in float64): normal numbers with an error of about `noise`."""
    rng = np.random.default_rng(seed)
    exact = rng.normal(size=size)
    return (exact + rng.uniform(-noise, noise, size)).astype(np.float32), exact


def test_another_rounding_of_the_same_function_is_the_same():
    original, exact = three_runs()
    candidate = (exact + np.random.default_rng(1).uniform(-2e-6, 2e-6, exact.size)).astype(
        np.float32
    )
    verdict = judge(candidate, original, exact)
    assert verdict
    assert verdict.same and 1 < verdict.units < 3
    assert not verdict.ill_conditioned


@pytest.mark.parametrize("times", [5, 10, 1000])
def test_one_number_off_by_more_than_four_units_is_refused(times):
    original, exact = three_runs()
    candidate = original.copy()
    candidate[17] += times * np.abs(original - exact).max()
    verdict = judge(candidate, original, exact)
    assert not verdict
    assert verdict.reason == "value"
    assert verdict.units == pytest.approx(times, rel=0.3)


def test_an_exact_original_allows_four_spacings_of_each_number():
    exact = np.random.default_rng(0).normal(size=100).astype(np.float32).astype(np.float64)
    original = exact.astype(np.float32)
    assert judge(original * (1 + 3 * EPS), original, exact)
    assert not judge(original * (1 + 6 * EPS), original, exact)
    shifted = original.copy()
    shifted[np.abs(original).argmin()] += 1e-4
    assert not judge(shifted, original, exact)


def test_a_huge_constant_hides_no_change():
    """Masked scores hold -3.4e38: relative to that, every error is 0."""
    original, exact = three_runs()
    for run in (original, exact):
        run[::2] = np.finfo(np.float32).min
    assert judge(original, original, exact)
    candidate = original.copy()
    candidate[1] += 0.05
    assert not judge(candidate, original, exact)


def test_the_ill_conditioned_case_is_named_and_accepted():
    original, exact = three_runs(noise=1e-3)
    verdict = judge(exact.astype(np.float32), original, exact)
    assert verdict and verdict.ill_conditioned
    assert "ill-conditioned" in str(verdict)


def test_where_rounding_hides_everything_nothing_is_decided():
    original, exact = three_runs(noise=1.0)
    verdict = judge(exact.astype(np.float32), original, exact)
    assert not verdict
    assert verdict.reason == "undecided"


def float32(*values):
    return np.array(values, np.float32)


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("candidate", "original", "exact", "reason"),
    [
        (float32(1, NAN), float32(1, 2), [1, 2], "finite"),
        (float32(1, NAN), float32(1, NAN), [1, NAN], "undecided"),
        (float32(1, 2), float32(1, NAN), [1, NAN], "undecided"),
        (float32(1, INF), float32(1, INF), [1, INF], ""),
        (float32(1, -INF), float32(1, INF), [1, INF], "undecided"),
        (float32(1, 2), float32(1, INF), [1, INF], "undecided"),
        (float32(1, INF), float32(1, INF), [1, 1e60], "undecided"),
        (float32(1, INF), float32(1, 2), [1, 2], "finite"),
        (float32(INF, INF), float32(INF, INF), [INF, INF], "undecided"),
        (float32(0, 0), float32(0, 0), [0, 0], "empty"),
        (float32(0, 1), float32(0, 0), [0, 0], "value"),
        (float32(), float32(), [], "empty"),
        (float32(1, 2), float32(1, 2, 3), [1, 2, 3], "shape"),
        (float32([1, 2]), float32(1, 2), [1, 2], "shape"),
        (np.array([1.0, 2.0]), float32(1, 2), [1, 2], "type"),
        (np.float16([1, 2]), np.float16([1, 2]), [1, 2], "undecided"),
    ],
)
def test_every_kind_of_number_has_its_verdict(candidate, original, exact, reason):
    verdict = judge(candidate, original, np.array(exact, np.float64))
    assert verdict.reason == reason
    assert verdict.same == (reason == "")


def test_integers_booleans_and_text_have_to_be_equal():
    for values in (np.arange(4), np.array([True, False, True]), np.array(["a", "b"])):
        assert judge(values, values, values)
        other = values.copy()
        other[0] = values[1]
        assert judge(other, values, values).reason == "value"
        assert judge(values.astype("O"), values, values).reason in ("type", "")
    tie = np.array([3, 1]), np.array([3, 1]), np.array([2, 1])
    assert judge(*tie), "float32 and float64 break a tie differently: either is right"
    assert judge(np.array([2, 1]), *tie[1:])
    assert not judge(np.array([4, 1]), *tie[1:])


def test_of_several_outputs_the_worst_decides_and_is_named():
    original, exact = three_runs()
    bad = original + np.float32(0.01)
    names = ["logits", "states"]
    verdict = judge([original, bad], [original, original], [exact, exact], names)
    assert not verdict
    assert verdict.output == "states"
    assert "states" in str(verdict)
    named = judge(
        {"states": bad, "logits": original},
        {"logits": original, "states": original},
        {"logits": exact, "states": exact},
    )
    assert named.output == "states"
    assert judge([original], [original, original], [exact, exact]).reason == "count"
    assert judge([], [], []).reason == "empty"


def test_an_output_without_numbers_is_passed_over_beside_one_with():
    original, exact = three_runs()
    nothing = np.zeros((0, 3), np.float32)
    assert judge([original, nothing], [original, nothing], [exact, nothing.astype(np.float64)])


def test_the_noise_is_the_largest_of_several_runs():
    """One number of one run may be exact by luck."""
    original, exact = three_runs()
    lucky = exact[:1].astype(np.float32).astype(np.float64)
    apart = (lucky + 1e-6).astype(np.float32)
    runs = [[[lucky.astype(np.float32)], [original]], [[lucky], [exact]]]
    assert judge([[apart], [original]], *runs)
    assert not judge(apart, lucky.astype(np.float32), lucky)


def test_the_yardstick_itself_has_to_be_float64():
    original, exact = three_runs()
    with pytest.raises(TypeError, match="float64"):
        judge(original, original, exact.astype(np.float32))
    with pytest.raises(ValueError, match="one model"):
        judge(original, original, exact[:10])


numbers = st.sampled_from([0.0, 1.0, -1.0, 1e-3, 1e30, -1e30, 1e-42, NAN, INF, -INF]) | st.floats(
    -10, 10, width=32
)


@st.composite
def drawn_runs(draw):
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=4))
    exact = draw(hnp.arrays(np.float64, shape, elements=numbers))
    noise = draw(st.sampled_from([0, 1e-8, 1e-6, 1e-3, 0.05]))
    signs = hnp.arrays(np.float64, shape, elements=st.sampled_from([-1.0, 0.0, 1.0, 4.0, 7.0]))
    with np.errstate(over="ignore", invalid="ignore"):
        original = (exact * (1 + noise * np.clip(draw(signs), -1, 1))).astype(np.float32)
        candidate = (exact * (1 + noise * draw(signs))).astype(np.float32)
        candidate = candidate * (1 + EPS * draw(signs).astype(np.float32))
    if draw(st.integers(0, 9)) == 0:
        candidate = draw(hnp.arrays(np.float32, hnp.array_shapes(max_dims=2, max_side=4)))
    return candidate, original, exact


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@settings(max_examples=500, deadline=None)
@given(drawn_runs())
def test_the_ten_lines_and_the_library_agree(runs):
    candidate, original, exact = map(np.asarray, runs)
    assert same_function(candidate, original, exact) == judge(candidate, original, exact).same
    page = re.search(r"```python\n(import numpy.*?)```", PAGE.read_text(), re.DOTALL)[1]
    names = {}
    exec(page, names)
    assert names["same_function"](candidate, original, exact) == same_function(*runs)


def test_the_ten_lines_are_ten():
    page = re.search(r"```python\n(import numpy.*?)```", PAGE.read_text(), re.DOTALL)[1]
    code = page[page.index("def same_function") :].strip().splitlines()
    assert len([line for line in code if line.strip()]) <= 10
