"""The rungs of `benchmark`. Each looks at one case; `misconceptions` finds the words for what it
sees.
"""

from __future__ import annotations

from autograder.contract import Finding, View
from autograder.rungs import outcome
from exercises.benchmark.ask import REFUSALS
from exercises.benchmark.judge import evidence, findings
from exercises.benchmark.judge.findings import INTERLEAVING, MEDIANS, WARM_UP
from exercises.benchmark.judge.machine import READ_NS, Machine

__all__ = [
    "INTERLEAVING",
    "MEDIANS",
    "WARM_UP",
    "agrees_with_clock",
    "is_dict",
    "is_warm",
    "keeps_contract",
    "takes_turns",
]

_RETURNS = outcome.returns("a dict", MEDIANS)
# A call that is further than the noise from being warm, of which a warm variant's last ones are
# not.
STILL_COLD = 1.02
# Above p90 lies one turn in ten; half of those may be cold before p90 is one of them.
COLD_SHARE = 1 / 20
# Finding out takes calls too: the rule of `measure.warm_up` sees a steady part only when half of
# the times belong to it, so it takes twice the calls of the warm-up, and as many again when noise
# looks like warm-up. A number that is large enough for every case is larger.
MOST_WARM_UP, FREE_WARM_UP = 4, 120
# The median of 30 turns with 2 % of noise has a standard error of 1.25 * 0.02 / sqrt(30) = 0.45 %,
# a ratio of two 0.65 %. Spells of load that begin within a round, and the slope of the heat, shift
# it by as much again. This is some five times their sum in quadrature.
RATIO_BAND = 0.05
FEWEST_FOR_RATIO = 30


def is_dict(view: View) -> Finding | None:
    """The function returns, and what it returns is a dict."""
    if view.answer.error.get("type") == "MachineHungUp":
        return findings.flooded()
    if broken := _RETURNS(view):
        return broken
    if evidence.report(view.answer) is None:
        return findings.no_report()
    return None


def keeps_contract(view: View) -> Finding | None:
    """Every variant and nothing else, with three ordered numbers and a count; a ValueError where
    there is nothing to measure.
    """
    report = evidence.report(view.answer)
    result, names = report["result"], view.case.parameters["variants"]
    if set(result) != set(names):
        return findings.other_names(view.case, [name for name in names if name not in result])
    for entry in result.values():
        if not evidence.is_statistics(entry):
            return findings.no_statistics(view.case, entry)
        if not entry["p10"] <= entry["median"] <= entry["p90"]:
            return findings.out_of_order(entry)
    for what in REFUSALS if view.case.parameters["refuses"] else ():
        if (came := report["refusals"].get(what)) != "ValueError":
            return findings.not_refused(view.case, what, came)
    return None


def takes_turns(view: View) -> Finding | None:
    """From the log: warm-up, then rounds in which every variant is called once, between two
    readings of the clock.
    """
    run = evidence.run(view.answer)
    if run.hung_up:
        return findings.flooded()
    variants, rounds = view.case.parameters["variants"], view.case.parameters["rounds"]
    if not run.calls:
        return findings.never_called()
    if not run.reads:
        return findings.other_clock()
    if any(not run.of(variant) for variant in range(len(variants))):
        return findings.left_out(view.case)
    last = run.calls[-rounds * len(variants) :]
    if any(
        call.taken is None for calls in evidence.timed(view.case, view.answer) for call in calls
    ):
        return findings.untimed(view.case, run, last)
    result = evidence.result(view.answer) or {}
    for variant, name in enumerate(variants):
        had, told = len(run.of(variant)), result.get(name, {}).get("warmup")
        if told is not None and had != told + rounds:
            return findings.other_count(view.case, had, told)
    order = [call.variant for call in last]
    turns = [order[start : start + len(variants)] for start in range(0, len(order), len(variants))]
    if any(len(set(turn)) < len(variants) for turn in turns):
        return findings.not_interleaved(view.case, order)
    return None


def agrees_with_clock(view: View) -> Finding | None:
    """Each statistic is that of the timed turns, in seconds, to within what two more readings of
    the clock would change.
    """
    result = evidence.result(view.answer)
    if result is None:
        return findings.nothing_to_compare()
    slack = 2 * (Machine(view.case).resolution + READ_NS)
    run = evidence.run(view.answer)
    for variant, (name, turns) in enumerate(
        zip(view.case.parameters["variants"], evidence.timed(view.case, view.answer), strict=True)
    ):
        taken = [call.taken for call in turns]
        if name not in result or not taken or None in taken:
            return findings.nothing_to_compare()
        everything = [call.taken for call in run.of(variant) if call.taken is not None]
        for key in evidence.STATISTICS:
            low, high = evidence.between(taken, evidence.SHARES[key])
            if not low - slack <= result[name][key] * 1e9 <= high + slack:
                return findings.other_number(
                    view.case, key, result[name][key] * 1e9, taken, everything, slack
                )
    return None


def is_warm(view: View) -> Finding | None:
    """No warm-up among the timed turns, not far more left out than needed, and the variants' ratios
    are the true ones.
    """
    machine, result = Machine(view.case), evidence.result(view.answer)
    variants, rounds = view.case.parameters["variants"], view.case.parameters["rounds"]
    timed = evidence.timed(view.case, view.answer)
    if result is None or not all(timed) or not set(variants) <= result.keys():
        return findings.nothing_to_compare()
    cold = [
        sum(machine.warm_up(call.variant, call.number) > STILL_COLD for call in turns)
        for turns in timed
    ]
    left_out = [
        len(evidence.run(view.answer).of(variant)) - rounds for variant in range(len(variants))
    ]
    if max(cold) > COLD_SHARE * rounds:
        return findings.cold(view.case, variants[cold.index(max(cold))], max(cold), left_out)
    most = MOST_WARM_UP * max(machine.warm_calls) + FREE_WARM_UP
    if max(left_out) > most:
        return findings.wasteful(view.case, left_out, max(machine.warm_calls), most)
    if rounds >= FEWEST_FOR_RATIO:
        found = [result[name]["median"] / machine.costs[at] for at, name in enumerate(variants)]
        if not found[0] > 0 or any(not abs(value / found[0] - 1) <= RATIO_BAND for value in found):
            return findings.other_ratio()
    return None
