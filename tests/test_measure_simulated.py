"""What the intervals and the warm-up rule promise, on made-up rounds whose truth is known: the
numbers of docs/measuring.md.

`pytest tests/test_measure_simulated.py -s` prints them.
"""

import numpy as np
import pytest

from formatlab.measure.estimators import (
    CHANCE,
    autocorrelation,
    interval_across,
    median_interval,
    warm_up,
)

pytestmark = pytest.mark.slow
ROUNDS, TURNS = 20, 3
# Standard errors that a share of that many runs may lie away from what docs/measuring.md says.
ERRORS = 4


def rounds(rng, *shape, correlation=0.0, noise=0.02):
    """Times around 1. Without correlation with a long tail, else a Gaussian walk that comes back."""
    if not correlation:
        return 1 + noise * rng.exponential(size=shape)
    steps = rng.normal(size=shape)
    for place in range(1, shape[-1]):
        steps[..., place] = (
            correlation * steps[..., place - 1] + np.sqrt(1 - correlation**2) * steps[..., place]
        )
    return 1 + noise * steps


def about(found, told, runs):
    """Whether a share of `runs` is `told`, up to chance and to the last digit that the page prints."""
    return abs(found - told) <= ERRORS * np.sqrt(told * (1 - told) / runs) + 0.005


@pytest.mark.parametrize(
    ("correlation", "covered"), [(0.0, 0.96), (0.3, 0.91), (0.5, 0.81), (0.8, 0.57)]
)
def test_a_median_is_in_its_interval_if_rounds_do_not_depend_on_one_another(correlation, covered):
    rng, runs = np.random.default_rng(1), 2000
    pairs = rounds(rng, runs, ROUNDS, correlation=correlation) / rounds(
        rng, runs, ROUNDS, correlation=correlation
    )
    truth = 1.0  # numerator and denominator are alike
    found = np.mean([truth in median_interval(each) for each in pairs])
    print(
        f"autocorrelation {correlation}: the median is in its 95.9 % interval in {100 * found:.1f} % of runs"
    )
    assert about(found, covered, runs)


@pytest.mark.parametrize(("correlation", "seen"), [(0.0, 0.01), (0.5, 0.37), (0.8, 0.78)])
def test_dependence_is_seen_more_often_the_worse_it_is(correlation, seen):
    rng, runs = np.random.default_rng(2), 2000
    limit = 1.96 / np.sqrt(ROUNDS)
    found = np.mean(
        [
            autocorrelation(each) > limit
            for each in rounds(rng, runs, ROUNDS, correlation=correlation)
        ]
    )
    print(f"autocorrelation {correlation}: seen in {100 * found:.0f} % of runs")
    assert about(found, seen, runs)


def hierarchical(rng, runs, processes, between, within=0.02):
    """Medians of the ratios of each process, whose truth is 1: processes differ by `between`,
    rounds by `within`.
    """
    shift = between * rng.normal(size=(runs, processes, 1))
    return np.median(np.exp(shift + within * rng.normal(size=(runs, processes, ROUNDS))), axis=2)


@pytest.mark.parametrize("processes", [3, 5, 10])
def test_an_interval_across_processes_holds_what_differs_between_them(processes):
    rng, runs = np.random.default_rng(processes), 2000
    found = np.mean(
        [1 in interval_across(each) for each in hierarchical(rng, runs, processes, 0.02)]
    )
    print(
        f"{processes} processes: the truth is in the 95 % interval in {100 * found:.1f} % of runs"
    )
    assert about(found, 0.95, runs)


def test_an_interval_of_one_process_does_not():
    """Processes that differ as much as rounds do."""
    rng, runs = np.random.default_rng(4), 1000
    shift = np.exp(0.02 * rng.normal(size=(runs, 1)))
    found = np.mean(
        [
            1 in median_interval(each)
            for each in shift * np.exp(0.02 * rng.normal(size=(runs, ROUNDS)))
        ]
    )
    print(f"one process: the truth is in its 95.9 % interval in {100 * found:.1f} % of runs")
    assert about(found, 0.43, runs)


@pytest.mark.parametrize("processes", [3, 5, 10])
def test_resampling_processes_would_be_too_sure(processes):
    """Why the interval is Student's t: the two-level bootstrap, processes and then their rounds
    drawn with replacement.
    """
    rng, runs, draws = np.random.default_rng(processes), 300, 400
    held = 0
    for _ in range(runs):
        logs = 0.02 * rng.normal(size=(processes, 1)) + 0.02 * rng.normal(size=(processes, ROUNDS))
        chosen = logs[rng.integers(processes, size=(draws, processes))]
        again = np.take_along_axis(chosen, rng.integers(ROUNDS, size=chosen.shape), axis=2)
        low, high = np.quantile(np.median(again, axis=2).mean(axis=1), [0.025, 0.975])
        held += low <= 0 <= high
    print(
        f"{processes} processes: the truth is in the two-level bootstrap's 95 % interval in {100 * held / runs:.0f} % of runs"
    )
    assert held / runs < 0.95


def cut(rng, make, runs, chance=CHANCE / TURNS):
    """How often something is cut of a run of three variants, the first of which `make` changes."""
    found = []
    for _ in range(runs):
        turns = rounds(rng, TURNS, ROUNDS)
        turns[0] = make(turns[0])
        found.append(max(warm_up(turn, chance) for turn in turns) > 0)
    return np.mean(found)


def slow(count, factor):
    """The first `count` rounds take up to `factor` times as long, falling off in a line."""

    def make(turn):
        turn[:count] *= 1 + (factor - 1) * np.linspace(1, 1 / count, count)
        return turn

    return make


@pytest.mark.parametrize(
    ("name", "make", "told"),
    [
        ("steady", lambda turn: turn, 0.1),
        ("1 round at 6 times", slow(1, 6), 0.1),
        ("2 rounds from 2 times", slow(2, 2), 0.8),
        ("3 rounds from 1.5 times", slow(3, 1.5), 0.85),
        ("5 rounds from 1.2 times", slow(5, 1.2), 0.9),
        ("10 rounds from 1.1 times", slow(10, 1.1), 0.99),
    ],
    ids=["steady", "1x6", "2x2", "3x1.5", "5x1.2", "10x1.1"],
)
def test_how_often_a_warm_up_is_found(name, make, told):
    runs = 200
    found = cut(np.random.default_rng(5), make, runs)
    print(f"{name}: something is cut in {100 * found:.0f} % of runs")
    assert about(found, told, runs)


@pytest.mark.parametrize(("correlation", "told"), [(0.5, 0.45), (0.8, 0.83)])
def test_how_often_dependent_rounds_are_taken_for_a_warm_up(correlation, told):
    runs, rng = 200, np.random.default_rng(6)
    walks = rounds(rng, runs, TURNS, ROUNDS, correlation=correlation)
    found = np.mean([max(warm_up(turn, CHANCE / TURNS) for turn in turns) > 0 for turns in walks])
    print(f"autocorrelation {correlation}: something is cut in {100 * found:.0f} % of steady runs")
    assert about(found, told, runs)
