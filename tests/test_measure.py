"""The measuring tool: its estimators on samples whose truth is known, its rounds on a clock that
the test turns, its files and tables.
"""

import gc
import itertools
import json
import re
import statistics
from dataclasses import replace
from math import comb
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formatlab import measure
from formatlab.measure import plot
from formatlab.measure.estimators import autocorrelation, interval_across, quantile_interval
from formatlab.measure.results import merged

RESULTS = Path(__file__).parents[1] / "workbench" / "formatlab" / "measure" / "recorded"

times = st.lists(st.floats(1e-7, 1e3), min_size=3, max_size=60)


def drifting(rng, count, cold, outliers=0.05):
    """Seconds of a steady call with a long tail and outliers, after `cold` calls that are slower
    and become faster.
    """
    seconds = 1 + 0.02 * rng.exponential(size=count)
    seconds[:cold] *= 1.5 + np.linspace(2, 0, cold)
    return seconds * np.where(rng.random(count) < outliers, rng.uniform(2, 10, count), 1)


@given(times, st.sampled_from([2.0**-20, 0.5, 4.0, 2.0**10]))
def test_the_unit_does_not_move_the_warm_up_nor_the_place_of_the_interval(values, unit):
    scaled = [value * unit for value in values]
    assert measure.warm_up(scaled) == measure.warm_up(values)
    low, high, level = measure.median_interval(values)
    assert measure.median_interval(scaled) == (low * unit, high * unit, level)


@given(times)
def test_warm_up_reads_ranks_only(values):
    places = sorted(set(values))
    assert (
        measure.warm_up([places.index(value) for value in values])
        == measure.warm_up(values)
        <= len(values) // 2
    )


@given(times, st.randoms(use_true_random=False), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_the_interval_holds_the_median_whatever_the_order(values, random, level):
    shuffled = random.sample(values, len(values))
    interval = measure.median_interval(values, level)
    assert interval == measure.median_interval(shuffled, level)
    assert interval.low <= statistics.median(values) <= interval.high
    wider = measure.median_interval(values, 1 - (1 - level) / 10)
    assert wider.low <= interval.low and interval.high <= wider.high


@given(times, st.sampled_from([0.1, 0.5, 0.9, 0.99]), st.sampled_from([0.5, 0.95]))
def test_an_interval_of_a_quantile_is_of_its_own_values_and_keeps_its_level(values, share, level):
    """The level by counting how likely the true quantile has so many values below it."""
    low, high, told = quantile_interval(values, share, level)
    ordered = sorted(range(len(values)), key=values.__getitem__)
    assert (
        values[ordered[0]] <= low <= high <= values[ordered[-1]]
        and low in values
        and high in values
    )
    assert low <= np.quantile(values, share, method="inverted_cdf") <= high or low == high
    assert told >= level or low == min(values) or high == max(values)


@given(st.lists(st.floats(1e-6, 1e3), min_size=2, max_size=12), st.floats(1e-3, 1e3))
def test_an_interval_across_processes_has_the_units_of_its_values(values, unit):
    low, high, _ = interval_across(values)
    scaled = interval_across([unit * each for each in values])
    assert (
        low <= statistics.geometric_mean(values) * (1 + 1e-9)
        and statistics.geometric_mean(values) * (1 - 1e-9) <= high
    )
    assert scaled[:2] == pytest.approx((unit * low, unit * high), rel=1e-6)
    inverse = interval_across([1 / each for each in values])
    assert inverse[:2] == pytest.approx((1 / high, 1 / low), rel=1e-6)


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=60))
def test_an_autocorrelation_lies_between_its_ends(values):
    assert -1 - 1e-9 <= autocorrelation(values) <= 1 + 1e-9


def test_an_autocorrelation_by_hand():
    assert autocorrelation([1, 2, 1, 2]) == pytest.approx(-0.75) and autocorrelation([5, 5, 5]) == 0
    assert autocorrelation([-3, -1, 1, 3]) == pytest.approx((3 - 1 + 3) / 20)


@pytest.mark.parametrize("count", [1, 2, 5, 6, 11, 20, 61])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.999])
def test_the_interval_is_the_narrowest_of_its_level(count, level):
    """The level by counting: the true median lies between the k-th least and the k-th greatest
    unless fewer than k values are on a side.
    """
    interval = measure.median_interval(range(1, count + 1), level)
    k = int(interval.low)
    assert interval.high == count + 1 - k

    def coverage(cut):
        return 1 - 2 * sum(comb(count, below) for below in range(cut)) / 2**count

    assert interval.level == pytest.approx(max(coverage(k), 0))
    assert coverage(k) >= level or k == 1
    assert coverage(k + 1) < level


@pytest.mark.parametrize("cold", [0, 3, 8])
def test_after_the_warm_up_the_interval_covers_the_true_median(cold):
    """Warm-up and outliers in; the truth is the median of the steady part. 95 % of 400 runs, less 4
    standard errors: 0.95 - 0.044.
    """
    rng = np.random.default_rng(cold)
    true = np.median(drifting(rng, 200_000, 0))
    covered = []
    for _ in range(400):
        seconds = drifting(rng, 40, cold)
        covered.append(true in measure.median_interval(seconds[measure.warm_up(seconds) :]))
    assert np.mean(covered) > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 400)


def test_the_warm_up_is_found_where_it_ends():
    """Most of the time within a round or two; without one, most runs lose nothing."""
    rng = np.random.default_rng(1)
    for cold in (1, 3, 8):
        found = [measure.warm_up(drifting(rng, 40, cold)) for _ in range(200)]
        assert abs(np.median(found) - cold) <= 1
        assert np.mean(np.abs(np.subtract(found, cold)) <= 2) > 0.7
    assert np.quantile([measure.warm_up(drifting(rng, 40, 0)) for _ in range(200)], 0.6) == 0


def test_a_warm_up_of_a_comparison_is_no_accident():
    """Seven steady variants lose nothing in 95 % of runs (less 4 standard errors); pure MSER loses
    something in nearly all of them.
    """
    rng = np.random.default_rng(2)

    def lost(chance):
        return [
            max(measure.warm_up(drifting(rng, 20, 0), chance) for _ in range(7)) > 0
            for _ in range(200)
        ]

    assert np.mean(lost(1.0)) > 0.5
    assert np.mean(lost(0.05 / 7)) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 200)
    found = [measure.warm_up(drifting(rng, 40, 8), 0.05 / 7) for _ in range(200)]
    assert np.mean(np.greater_equal(found, 7)) > 0.6


def test_one_outlier_late_in_the_run_is_not_taken_for_the_end_of_a_warm_up():
    """The rule on the times themselves cuts far into a steady run here, because the outlier weighs
    more in what is left.
    """
    rng = np.random.default_rng(3)
    seconds = drifting(rng, 40, 4, outliers=0)
    seconds[30] = 50
    assert 3 <= measure.warm_up(seconds) <= 6


def test_what_never_becomes_steady_is_cut_in_half():
    assert measure.warm_up(np.linspace(2, 1, 30)) == 15


class Clock:
    """Time that passes only in calls."""

    def __init__(self, monkeypatch):
        self.now, self.calls = 0.0, []
        monkeypatch.setattr("time.perf_counter", lambda: self.now)
        monkeypatch.setattr("time.process_time", lambda: self.now)

    def variant(self, name, seconds):
        costs = iter(seconds)

        def call():
            self.calls.append(name)
            self.now += next(costs)

        return call


def test_rounds_are_shuffled_and_complete(monkeypatch):
    clock = Clock(monkeypatch)
    results = measure.compare(
        {name: clock.variant(name, itertools.repeat(0.5)) for name in "abc"},
        rounds=30,
        control=False,
        seed=0,
    )
    assert clock.calls[:6] == list("aabbcc")  # the first calls take longer than a warm-up has to
    rounds = ["".join(clock.calls[start : start + 3]) for start in range(6, len(clock.calls), 3)]
    assert (
        len(rounds) == 30
        and {"".join(sorted(each)) for each in rounds} == {"abc"}
        and len(set(rounds)) == 6
    )
    assert results.rounds == 30 and results.warm_up == 0 and results.ratio("c").value == 1


def test_a_short_call_is_warmed_up_then_timed_one_by_one_and_settles_before(monkeypatch):
    clock = Clock(monkeypatch)
    results = measure.compare(
        {"short": clock.variant("short", itertools.repeat(2.0**-13))}, rounds=3, control=False
    )
    # 820/8192 s is the first multiple above a tenth of a second.
    short, warm = results["short"], 820
    assert short.calls == 9  # 9/8192 s is the first multiple above a millisecond
    assert len(clock.calls) == warm + 3 * (1 + 9)
    assert short.single == (2.0**-13,) * 27 and short.median == 2.0**-13 and short.mean_of == 1


def test_a_slow_spell_in_the_warm_up_leaves_no_variant_with_few_calls(monkeypatch):
    clock = Clock(monkeypatch)
    costs = itertools.chain([0.01] * 5, [0.25], itertools.repeat(2.0**-13))
    spell = itertools.chain([2.0**-13] * 5, [0.25], itertools.repeat(2.0**-13))
    results = measure.compare(
        {"a": clock.variant("a", spell), "b": clock.variant("b", costs)}, rounds=3, control=False
    )
    assert results["a"].calls == 9 and results["b"].calls == 1


def test_more_calls_can_be_asked_for(monkeypatch):
    clock = Clock(monkeypatch)
    results = measure.compare(
        {"a": clock.variant("a", itertools.repeat(1.0))}, rounds=3, calls=100, control=False
    )
    assert (
        len(results["a"].latencies) == 102
        and results["a"].calls == 34
        and len(results["a"].seconds) == 3
    )


def test_a_call_below_the_clocks_resolution_is_timed_in_batches(monkeypatch):
    """Reading this clock takes a 4096th of a second, and a call four times that: a value has to be
    100 readings long.
    """
    clock = Clock(monkeypatch)

    def reading():
        clock.now += 2.0**-12
        return clock.now

    monkeypatch.setattr("time.perf_counter", reading)
    results = measure.compare(
        {"a": clock.variant("a", itertools.repeat(2.0**-10))}, rounds=3, control=False
    )
    # With its reading a call appears five long.
    assert results["a"].batch == results["a"].mean_of == 20
    assert "Quantiles are of means of several calls, and not of calls: a 20." in repr(results)


def test_quantiles_are_of_single_calls_and_throughput_is_of_all_the_time(monkeypatch):
    """Nine calls of a second, then one of eleven: a mean of ten calls hides the slow one, a median
    of them hides what it costs.
    """
    clock = Clock(monkeypatch)
    costs = itertools.cycle([1.0] * 9 + [11.0])
    results = measure.compare(
        {"a": clock.variant("a", itertools.chain([1, 1], costs))},
        rounds=12,
        calls=120,
        control=False,
        items=4,
    )
    a = results["a"]
    assert (
        a.quantile(0.99) == 11 and a.median == 1 and set(a.seconds) == {2.0} and a.throughput == 2
    )


def test_processor_time_tells_how_many_cores_were_at_work(monkeypatch):
    clock = Clock(monkeypatch)
    monkeypatch.setattr("time.process_time", lambda: 1.9 * clock.now)
    variants = {"a": clock.variant("a", itertools.repeat(1.0))}
    results = measure.compare(variants, rounds=12, threads=1)
    assert results["a"].cores == pytest.approx(1.9) and not results.sound
    assert "a kept 1.9 cores at work, and one thread was asked for." in results.doubts
    assert measure.compare(variants, rounds=12, threads=2).sound
    monkeypatch.setattr("time.process_time", lambda: 0.5 * clock.now)
    assert "share of its time that each variant ran: a 50%" in repr(
        measure.compare(variants, rounds=12, threads=1)
    )


def test_the_threads_that_are_asked_for_are_set_in_torch_and_taken_back():
    import torch

    before, seen = torch.get_num_threads(), []
    measure.compare(
        {"a": lambda: seen.append(torch.get_num_threads())}, rounds=3, threads=before + 1
    )
    assert set(seen) == {before + 1} and torch.get_num_threads() == before


def test_the_garbage_collector_waits_and_goes_on(monkeypatch):
    clock, seen = Clock(monkeypatch), []
    call = clock.variant("a", itertools.repeat(1.0))
    measure.compare({"a": lambda: (seen.append(gc.isenabled()), call())}, rounds=3, control=False)
    assert not any(seen) and gc.isenabled()


def test_the_warm_up_of_one_variant_is_left_out_of_all_and_replaced(monkeypatch):
    clock = Clock(monkeypatch)
    cold = itertools.chain([30.0, 1.0], [5.0, 4.0, 3.0], itertools.repeat(1.0))
    results = measure.compare(
        {"a": clock.variant("a", itertools.repeat(2.0)), "b": clock.variant("b", cold)},
        rounds=12,
        control=False,
    )
    assert (results.warm_up, results.rounds, results.steady) == (3, 12, True)
    assert results["b"].first_seconds == 30 and set(results["b"].seconds) == {1.0}
    assert results.ratio("b").value == 0.5 and results.ratio("b").resolved
    assert "b takes 0.500 (0.500 to 0.500) times as long as a: faster." in results.verdict


def test_what_does_not_become_steady_is_said(monkeypatch):
    clock = Clock(monkeypatch)
    slower = (1.0 + number for number in itertools.count())
    results = measure.compare({"a": clock.variant("a", slower)}, rounds=12, control=False)
    assert not results.steady and not results.sound
    assert "no steady part" in results.verdict.lower() and "Do not trust this run" in repr(results)


def test_a_slow_spell_falls_on_every_variant(monkeypatch):
    """The machine is three times slower in the middle third: the times say so, the paired ratios do
    not.
    """
    clock = Clock(monkeypatch)

    def loaded(seconds):
        return lambda: setattr(
            clock, "now", clock.now + seconds * (3 if 40 < clock.now < 80 else 1)
        )

    results = measure.compare({"a": loaded(0.5), "b": loaded(1.0)}, rounds=40, control=False)
    assert results["a"].quantile(0.9) > 2 * results["a"].quantile(0.1)
    assert results.ratio("b").interval[:2] == pytest.approx((2, 2), rel=1e-6)


def test_a_a_holds_one_on_this_machine():
    """99.9 %, so that one run in a thousand fails where nothing is wrong; the order is drawn, so
    neither of the two is favoured.
    """
    a = np.random.default_rng(0).normal(size=(160, 160))
    results = measure.compare({"product": lambda: a @ a}, rounds=41)
    assert 1 in measure.median_interval(
        np.divide(results.control.seconds, results["product"].seconds), 0.999
    )


def beside_itself(results, seconds):
    """The same results with another A/A."""
    data = results.to_json()
    return measure.Results.from_json({**data, "control": {**data["control"], "seconds": seconds}})


def of_ratios(columns, level=0.95):
    """Results in which variant k took columns[k] times as long as the first, round by round."""
    ones = measure.Variant(name="first", seconds=(1.0,) * len(columns[0]))
    others = [
        measure.Variant(name=f"v{place}", seconds=tuple(each)) for place, each in enumerate(columns)
    ]
    return replace(recorded(), variants=(ones, *others), control=None, level=level)


def test_many_rows_that_are_all_the_same_raise_no_more_alarms_than_one():
    """Every row is the first variant again. In a table of twenty, some 95 % interval leaves out 1
    in most runs; a row is called faster or slower in 5 % of tables at most.
    """
    rng = np.random.default_rng(0)
    tables = [of_ratios(np.exp(0.01 * rng.normal(size=(20, 20)))) for _ in range(60)]
    apart = [[each.told_apart(name) for name in each.names[1:]] for each in tables]
    resolved = [[each.ratio(name).resolved for name in each.names[1:]] for each in tables]
    assert np.any(resolved, axis=1).mean() > 0.3
    assert np.any(apart, axis=1).mean() <= 0.1
    slower = of_ratios([1.2 + 0.01 * rng.normal(size=20)] * 20)
    assert all(slower.told_apart(name) for name in slower.names[1:])
    assert "by its 99.8 % interval, so that all 20 of them err together in 5 %" in repr(slower)


def test_too_few_rounds_call_nothing_slower():
    """The least and the greatest of three values hold the median in 75 % of cases."""
    few, enough = of_ratios([[1.5, 1.6, 1.7]]), of_ratios([[1.5, 1.6, 1.7] * 2])
    assert few.ratio("v0").interval.level == pytest.approx(0.75) and few.ratio("v0").resolved
    assert not few.told_apart("v0") and enough.told_apart("v0")
    assert "not told apart" in few.verdict
    assert "With 3 rounds there is no 95 % interval" in repr(few)
    assert "With" not in repr(enough)
    assert "75 % interval" in few.plot().description


def test_a_time_is_evidence_only_where_the_run_was_undisturbed():
    """A/A within its bound, and both variants with a processor of their own; or the reason."""
    base = recorded()
    alone = [replace(each, cores=1.0) for each in base.variants]
    control = alone[0]
    sound = replace(base, variants=tuple(alone), control=control, threads=1)
    assert sound.sound and sound.evidence("int8") == str(sound.ratio("int8"))
    assert sound.evidence("fp32") == "1"
    for place, name in ((0, "fp32"), (1, "int8")):
        waited = [replace(each, cores=0.5 if at == place else 1.0) for at, each in enumerate(alone)]
        said = replace(sound, variants=tuple(waited)).evidence("int8")
        assert said.startswith(f"not recorded, because {name} had the processor for 50%")
        assert "load average" in said
    noisy = replace(
        sound, control=replace(control, seconds=tuple(1.3 * t for t in control.seconds))
    )
    assert noisy.evidence("int8").startswith("not recorded, because this run cannot tell apart")


def test_a_device_that_is_waited_for_is_no_alarm():
    """Neither the core that asks it all the time, nor the one that sleeps."""
    base = recorded()
    for cores in (0.1, 1.9):
        variants = [replace(each, cores=cores) for each in base.variants]
        here = replace(base, variants=tuple(variants), threads=1)
        on_cuda = [replace(each, notes={"provider": "CUDA 9"}) for each in variants]
        there = replace(base, variants=tuple(on_cuda), threads=1)
        said = ("Other programs had the processor", "cores at work, and one thread was")
        assert any(words in repr(here) for words in said)
        assert not any(words in repr(there) for words in said)


def test_a_run_says_what_it_cannot_tell_apart(monkeypatch):
    clock = Clock(monkeypatch)
    results = measure.compare(
        {
            "a": clock.variant("a", itertools.repeat(1.0)),
            "b": clock.variant("b", itertools.repeat(1.03)),
        },
        rounds=12,
    )
    assert results.sound and results.resolution == 0 and results.told_apart("b")
    noisy = beside_itself(results, [0.99, 1.04] * 6)
    assert (
        noisy.resolution == pytest.approx(0.04)
        and noisy.sound
        and "It can tell apart 4 %" in repr(noisy)
    )
    assert (
        noisy.ratio("b").resolved
        and not noisy.told_apart("b")
        and "not told apart" in noisy.verdict
    )
    broken = beside_itself(results, [1.1] * 12)
    assert not broken.sound and broken.verdict.startswith(
        "This run cannot tell apart less than 10.0 %"
    )
    assert "Do not trust this run. This run cannot tell apart less than 10.0 %" in repr(broken)
    assert beside_itself(results, [0.9] * 12).resolution == pytest.approx(1 / 0.9 - 1)


def test_the_table_says_when_rounds_depend_on_one_another(monkeypatch):
    clock = Clock(monkeypatch)
    walk = itertools.cycle([1.0] * 2 + [1.1] * 2 + [1.2] * 6)
    slow = measure.compare(
        {"a": clock.variant("a", itertools.repeat(1.0)), "b": clock.variant("b", walk)}, rounds=40
    )
    assert slow.dependence(
        "b"
    ) > 0.35 and "b: the rounds depend on one another, and the interval is too narrow." in repr(
        slow
    )
    quick = itertools.cycle([1.0, 1.2])
    steady = measure.compare(
        {"a": clock.variant("a", itertools.repeat(1.0)), "b": clock.variant("b", quick)}, rounds=40
    )
    assert steady.dependence("b") < -0.9 and "depend on one another" not in repr(steady)


def test_several_processes_are_one_result_with_an_interval_over_both_levels():
    """By hand: medians 1, 2 and 4, so the mean of the logarithms is log 2 and their standard
    deviation log 2; t with 2 degrees is 4.303.
    """
    parts = []
    for factor in (1, 2, 4):
        b = tuple(factor * each for each in (0.9, 1.0, 1.3))
        variants = (
            measure.Variant(name="a", seconds=(1.0, 1.0, 1.0)),
            measure.Variant(name="b", seconds=b, single=b, cores=float(factor)),
        )
        parts.append(
            measure.Results(
                variants=variants,
                card=recorded().card,
                date="",
                warm_up=factor,
                steady=True,
                load_average=(factor, factor + 1),
                control=variants[0],
            )
        )
    results = merged(parts)
    assert (results.processes, results.rounds, results.warm_up, results.load_average) == (
        3,
        3,
        4,
        (1, 5),
    )
    assert len(results["b"].latencies) == 9 and results["b"].cores == pytest.approx(7 / 3)
    reach = 2 ** (4.3027 / 3**0.5)
    assert results.ratio("b").value == pytest.approx(2)
    assert results.ratio("b").interval[:2] == pytest.approx((2 / reach, 2 * reach), rel=1e-4)
    between, within = results.scatter("b")
    assert between == pytest.approx(np.log(2)) and within == pytest.approx(
        np.std(np.log([0.9, 1.0, 1.3]), ddof=1)
    )
    assert "3 processes of 3 rounds" in repr(
        results
    ) and "b: medians of processes lie 69 % apart" in repr(results)
    assert measure.Results.from_json(results.to_json()).ratio("b").value == pytest.approx(2)


@pytest.mark.parametrize(("variants", "rounds"), [({}, 5), ({"a": int}, 2)])
def test_nothing_to_measure_is_refused(variants, rounds):
    with pytest.raises(ValueError, match="at least one variant and three rounds"):
        measure.compare(variants, rounds=rounds)


def recorded():
    card = measure.Card(
        cpu="A <CPU>",
        cores=4,
        threads="1",
        system="Linux x86_64",
        python="3.11.7",
        packages={"torch": "2.13.0"},
        flags=("avx2",),
        gpus=(),
    )
    variants = (
        measure.Variant(
            name="fp32",
            seconds=(0.010, 0.012, 0.011, 0.010, 0.013, 0.011),
            first_seconds=0.5,
            calls=1,
            items=32,
            notes={"provider": "CPU"},
        ),
        measure.Variant(
            name="int8",
            seconds=(0.005, 0.006, 0.005, 0.005, 0.006, 0.006),
            first_seconds=0.1,
            calls=2,
            items=32,
            notes={"provider": "CPU", "SQNR dB": "40.1"},
        ),
    )
    return measure.Results(
        variants=variants,
        card=card,
        date="2026-01-02T03:04:05Z",
        warm_up=2,
        steady=True,
        load_average=(0.5, 0.7),
        threads=1,
        command="course bench m.onnx",
        missing={"TensorRT": "no library"},
    )


def test_a_file_gives_back_what_was_saved(tmp_path):
    recorded().save(tmp_path / "results.json")
    assert measure.Results.load(tmp_path / "results.json") == recorded()
    data = json.loads((tmp_path / "results.json").read_text())
    assert (
        data["schema"] == 2
        and data["summary"]["int8"]["ratio"] == pytest.approx(0.5)
        and "faster" in data["verdict"]
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "is not JSON"),
        ("[]", "no results file"),
        ('{"schema": 3}', "its schema is 3"),
        ('{"schema": 1, "variants": []}', "incomplete"),
        ('{"schema": 1, "variants": [{"nome": 1}]}', "incomplete"),
    ],
)
def test_another_file_is_refused_in_words(tmp_path, text, why):
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(measure.NotResults, match=why):
        measure.Results.load(tmp_path / "other.json")


def test_the_first_schema_is_read_as_means_of_calls():
    results = measure.recorded("digits-batch-1-cpu")
    assert json.loads((RESULTS / "digits-batch-1-cpu.json").read_text())["schema"] == 1
    assert (
        results["ORT FP32"].mean_of > 1
        and results["ORT FP32"].latencies == results["ORT FP32"].seconds
    )


def test_a_number_list_is_one_line_of_the_file(tmp_path):
    recorded().save(tmp_path / "results.json")
    lines = (tmp_path / "results.json").read_text().splitlines()
    assert sum("0.013" in line and line.count(",") >= 5 for line in lines) == 1


def test_throughput_counts_items():
    assert recorded()["int8"].throughput == pytest.approx(32 / 0.0055)
    with pytest.raises(KeyError, match="there are fp32, int8"):
        recorded()["fp16"]


def test_another_variant_to_compare_with():
    turned = recorded().against("int8")
    assert turned.names == ["int8", "fp32"] and turned.ratio("fp32").value == pytest.approx(2)
    with pytest.raises(KeyError):
        recorded().against("fp16")


def test_what_the_course_recorded_is_complete_and_says_nothing_of_its_machine():
    every = {
        "timer-cpu",
        *(
            f"{name}-batch-{batch}-cpu"
            for name in ("digits", "resnet50", "minilm")
            for batch in (1, 32)
        ),
    }
    names = {path.stem for path in RESULTS.glob("*.json")}
    assert every <= names <= every | {f"{name}-no-vnni" for name in every}
    for name in names:
        results = measure.recorded(name)
        assert (
            results.card.packages["onnxruntime"]
            and results.date
            and results.command.startswith("OMP_NUM_THREADS=1 python tools/record.py")
        )
        # Six and twelve rounds of a second and more: these files say themselves that they tell
        # little apart.
        doubtful = {"resnet50-batch-32-cpu", "minilm-batch-32-cpu"}
        assert (
            results.steady and results.sound == (name not in doubtful) and results.resolution
        ) or name.startswith("timer-")
        assert all(np.isfinite(variant.seconds).all() for variant in results.variants)
        if not name.startswith("timer-"):
            assert (
                "TensorRT FP16" in results.missing and "ORT FP16 on CUDA, graph" in results.missing
            )
        assert not re.search(r"/(home|root|tmp|usr)/", (RESULTS / f"{name}.json").read_text())
    with pytest.raises(
        LookupError, match="nothing is recorded as 'tpu'; there are digits-batch-1-cpu"
    ):
        measure.recorded("tpu")


def test_two_tools_agree_within_five_per_cent():
    """As recorded: the interval of the ratio of this course's medians to those of
    torch.utils.benchmark, over at least 20 rounds.
    """
    results = measure.recorded("timer-cpu")
    low, high, level = results.ratio("measure.compare").interval
    assert results.rounds >= 20 and level >= 0.95 and 0.95 < low <= high < 1.05


def test_the_table_says_it_all():
    lines = repr(recorded()).split("\n")
    assert lines[0].split("  ")[0] == "variant" and "items/s" in lines[0] and "SQNR dB" in lines[0]
    assert (
        lines[2].startswith("int8")
        and "0.500 (" in lines[2]
        and "5.50" in lines[2]
        and "40.1" in lines[2]
    )
    assert (
        any(line.startswith("TensorRT  -") for line in lines) and "no library: TensorRT." in lines
    )
    assert "CPU A <CPU>; cores 4" in repr(
        recorded()
    ) and "CPU flags: avx2; GPU: none; load average 0.5 and 0.7" in repr(recorded())
    html = recorded()._repr_mimebundle_()["text/html"]
    root = ElementTree.fromstring(f"<x>{html.replace('<br>', '<br/>')}</x>")
    assert "overflow-x:auto" in html and "A &lt;CPU&gt;" in html
    assert [cell.text for cell in root.iter("th") if cell.get("scope") == "row"] == [
        "fp32",
        "int8",
        "TensorRT",
    ]


def test_runs_side_by_side():
    mine = recorded()
    text = repr(
        measure.beside(
            {
                "here": mine,
                "there": measure.Results.from_json(
                    {**mine.to_json(), "missing": {"int8 static": "no kernel"}}
                ),
            }
        )
    )
    assert [line.split("  ")[0] for line in text.split("\n")] == ["variant", "fp32", "int8"], (
        "no row without a number"
    )


def test_what_one_of_two_runs_lacks_says_why():
    mine = recorded()
    other = {
        **mine.to_json(),
        "variants": mine.to_json()["variants"][:1],
        "missing": {"int8": "no kernel: none for this type"},
    }
    text = repr(measure.beside({"here": mine, "there": measure.Results.from_json(other)}))
    assert text.split("\n")[-1].startswith("int8") and text.endswith("no kernel")


def test_a_picture_has_words_and_the_same_bytes(tmp_path):
    picture = recorded().plot("INT8 against FP32")
    assert (
        picture.description.startswith("INT8 against FP32: int8 is faster than fp32.")
        and "int8 0.500 (" in picture.description
    )
    assert picture == recorded().plot("INT8 against FP32")
    picture.save(tmp_path / "p.svg")
    assert ElementTree.parse(tmp_path / "p.svg").getroot().tag.endswith("svg")
    assert 'alt="INT8 against FP32: int8 is' in picture._repr_mimebundle_()["text/html"]
    assert "median 2" in plot.lines({"cold": [3.0, 2.0, 2.0]}, "Calls", "call", "ms").description


@pytest.mark.parametrize(
    "picture",
    [
        lambda: recorded().plot("INT8 against FP32"),
        lambda: recorded().plot(),
        lambda: plot.lines({"cold": [3.0, 2.0]}, "INT8 against FP32", "call", "ms"),
    ],
    ids=("ratios", "without", "lines"),
)
def test_the_title_of_a_picture_is_drawn(picture):
    drawn = " ".join(re.findall(r">([^<>]+)</text>", picture().svg.decode()))
    assert picture().description.split(". ")[0] in drawn


@pytest.mark.parametrize(
    ("ratios", "said"),
    [
        ([2.0], "v0 is slower than first"),
        ([2.0, 0.5], "v1 is faster than first, v0 is slower"),
        ([1.0, 1.0, 3.0], "v2 is slower than first, v0 and v1 are not told apart"),
        ([1.0], "v0 is not told apart from first"),
        ([0.5] * 4, "all 4 are faster than first"),
        ([0.5, 2, 3, 1, 2], "of 5, 1 is faster than first, 3 are slower, 1 is not told apart"),
    ],
)
def test_a_picture_of_ratios_says_above_what_was_found(ratios, said):
    """A topic, as "four runtimes", would leave that to the reader."""
    results = of_ratios(
        [[ratio * (1 + 0.001 * n) for n in (-3, -2, -1, 1, 2, 3)] for ratio in ratios]
    )
    assert plot.found_in(results) == said
    assert results.plot("Speed").description.startswith(f"Speed: {said}. Times as")


def test_the_words_at_an_axis_of_ratios_fit_below_it():
    """What stood in one line was cut off at the right."""
    texts = re.findall(
        r"<text[^>]*>([^<]*(?:median|÷)[^<]*)</text>", recorded().plot().svg.decode()
    )
    assert len(texts) == 2 and max(map(len, texts)) < 40


@pytest.mark.parametrize("span", [1.5, 2, 4, 20, 90, 300, 2e4, 1e7])
def test_the_numbers_at_an_axis_do_not_touch(span):
    results, name = recorded(), "OpenVINO, half weights"
    slow = replace(
        results["fp32"],
        name=name,
        seconds=tuple(span**0.5 * seconds for seconds in results["fp32"].seconds),
    )
    fast = replace(
        results["fp32"],
        name="fast",
        seconds=tuple(span**-0.5 * seconds for seconds in results["fp32"].seconds),
    )
    svg = replace(results, variants=(results["fp32"], slow, fast)).plot().svg.decode()
    places = [
        (float(x), len(text) * 11 * 0.55)
        for x, text in re.findall(r'text-anchor: middle" x="([\d.]+)"[^>]*>([\d.e+-]+)<', svg)
    ]
    assert 2 <= len(places) == len(set(places))
    assert all(
        x + wide / 2 < other - wider / 2 for (x, wide), (other, wider) in itertools.pairwise(places)
    )


def test_the_card_reads_flags_by_whole_words(tmp_path, monkeypatch):
    info = tmp_path / "cpuinfo"
    info.write_text(
        "model name\t: Some CPU\nflags\t\t: fpu avx2 avx512_vnni_not f16c\n\nmodel name\t: Other\nflags\t: amx_int8\n"
    )
    monkeypatch.setattr("formatlab.measure.card.CPU_INFO", info)
    monkeypatch.setenv("PATH", str(tmp_path))
    card = measure.Card.of_this_machine()
    assert (card.cpu, card.flags, card.gpus) == ("Some CPU", ("f16c", "avx2"), ())
    assert measure.Card.from_json(json.loads(json.dumps(vars(card)))) == card
    info.unlink()
    assert measure.Card.of_this_machine().flags is None


def test_the_card_asks_the_driver_for_gpus(tmp_path, monkeypatch):
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 'NVIDIA H100, 81559 MiB, 580.1'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert measure.Card.of_this_machine().gpus == ("NVIDIA H100 / 81559 MiB / 580.1",)
    program.write_text("#!/bin/sh\nexit 9\n")
    assert measure.Card.of_this_machine().gpus == ()


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(st.floats(1e-6, 1.0), st.floats(1e-6, 1.0)), min_size=3, max_size=30),
    st.sampled_from([0.25, 8.0]),
)
def test_ratios_do_not_depend_on_the_clock(pairs, unit):
    def results(factor):
        variants = tuple(
            measure.Variant(name=name, seconds=tuple(pair[place] * factor for pair in pairs))
            for place, name in enumerate("ab")
        )
        return measure.Results(
            variants=variants,
            card=recorded().card,
            date="",
            warm_up=0,
            steady=True,
            load_average=(None, None),
        )

    assert results(1).ratio("b") == results(unit).ratio("b")
