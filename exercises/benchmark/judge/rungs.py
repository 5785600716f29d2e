"""The rungs of `benchmark`. Each looks at one case."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from formatlab_exercises.benchmark.ask import REFUSALS
from formatlab_exercises.benchmark.judge import evidence, findings, findings_of_numbers
from formatlab_exercises.benchmark.judge.findings import INTERLEAVING, MEDIANS, WARM_UP
from formatlab_exercises.benchmark.judge.machine import READ_NS, Machine
from nbjudge.contract import Finding, View
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

__all__ = [
    "INTERLEAVING",
    "MEDIANS",
    "WARM_UP",
    "agrees_with_clock",
    "does_more_than_timeit",
    "is_dict",
    "is_frugal",
    "is_warm",
    "keeps_contract",
    "refuses",
    "takes_turns",
    "tells_its_warm_up",
]

_RETURNS = outcome.returns("a dict", MEDIANS)
# A call that is further than the noise from being warm, of which a warm variant's last ones are
# not.
STILL_COLD = 1.02
# Who writes microseconds is half of one off; the shortest call takes 190 of them.
ROUNDED_NS = 510
# Above p90 lies one turn in ten; half of those may be cold before p90 is one of them.
COLD_SHARE = 1 / 20
# Finding out takes calls too: the rule of `measure.warm_up` sees a steady part only when half of
# the times belong to it, so it takes twice the calls of the warm-up, and as many again when noise
# looks like warm-up. A number that is large enough for every case is larger.
MOST_WARM_UP, FREE_WARM_UP = 4, 120


def is_dict(view: View) -> Finding | None:
    """The function returns, and what it returns is a dict."""
    if view.answer.error.get("type") == "MachineHungUp":
        return findings.FLOODED
    if broken := _RETURNS(view):
        return broken
    if evidence.report(view.answer) is None:
        return findings.NO_REPORT
    return None


def keeps_contract(view: View) -> Finding | None:
    """Every variant and nothing else, with three numbers and a count."""
    report = known(evidence.report(view.answer))
    result, names = report["result"], view.case.parameters["variants"]
    if set(result) != set(names):
        return findings.other_names(view.case, [name for name in names if name not in result])
    for entry in result.values():
        if not evidence.is_statistics(entry):
            return findings.no_statistics(entry)
    return None


def refuses(view: View) -> Finding | None:
    """A ValueError where there is nothing to measure, for the cases that ask."""
    refusals = known(evidence.report(view.answer))["refusals"]
    for what in REFUSALS if view.case.parameters["refuses"] else ():
        if (came := refusals.get(what)) != "ValueError":
            return findings.not_refused(view.case, what, came)
    return None


def takes_turns(view: View) -> Finding | None:
    """From the log: warm-up, then rounds in which every variant is called once, between two
    readings of the clock.
    """
    return _missing_calls(view) or _untimed(view) or _not_interleaved(view)


def _missing_calls(view: View) -> Finding | None:
    run = evidence.run(view.answer)
    if run.hung_up:
        return findings.FLOODED
    if not run.calls:
        return findings.NEVER_CALLED
    if not run.reads:
        return findings.OTHER_CLOCK
    variants = range(len(view.case.parameters["variants"]))
    return None if all(map(run.of, variants)) else findings.LEFT_OUT


def _last(view: View) -> list[evidence.Call]:
    """As many calls as the rounds have turns, from the end of the log."""
    parameters = view.case.parameters
    turns = parameters["rounds"] * len(parameters["variants"])
    return evidence.run(view.answer).calls[-turns:]


def _untimed(view: View) -> Finding | None:
    timed = chain.from_iterable(evidence.timed(view.case, view.answer))
    if all(call.taken is not None for call in timed):
        return None
    return findings.untimed(evidence.run(view.answer), _last(view))


def tells_its_warm_up(view: View) -> Finding | None:
    """The calls that were left out are the reported ones, and all the others are turns."""
    if finding := _missing_calls(view):
        return finding
    run, result = evidence.run(view.answer), evidence.result(view.answer) or {}
    for variant, name in enumerate(view.case.parameters["variants"]):
        had, reported = len(run.of(variant)), result.get(name, {}).get("warmup")
        if reported is not None and had != reported + view.case.parameters["rounds"]:
            return findings.other_count(view.case, had, reported)
    return None


def _not_interleaved(view: View) -> Finding | None:
    order = [call.variant for call in _last(view)]
    count = len(view.case.parameters["variants"])
    turns = [order[start : start + count] for start in range(0, len(order), count)]
    is_mixed = all(len(set(turn)) == count for turn in turns)
    return None if is_mixed else findings.not_interleaved(view.case, order)


def agrees_with_clock(view: View) -> Finding | None:
    """Each statistic is that of the timed turns, in seconds, to within what two more readings of
    the clock would change.
    """
    result = evidence.result(view.answer)
    if result is None:
        return findings.NOTHING_TO_COMPARE
    names, timed = view.case.parameters["variants"], evidence.timed(view.case, view.answer)
    for variant, (name, turns) in enumerate(zip(names, timed, strict=True)):
        taken = [call.taken for call in turns if call.taken is not None]
        if name not in result or not taken or len(taken) < len(turns):
            return findings.NOTHING_TO_COMPARE
        if finding := _other_number(view, variant, result[name], taken):
            return finding
    return None


def _other_number(
    view: View, variant: int, reported: Mapping[str, float], taken: list[int]
) -> Finding | None:
    slack = max(2 * (Machine(view.case).resolution + READ_NS), ROUNDED_NS)
    calls = evidence.run(view.answer).of(variant)
    everything = [call.taken for call in calls if call.taken is not None]
    numbers = findings_of_numbers.Numbers(
        taken, everything, slack, {key: reported[key] * 1e9 for key in evidence.STATISTICS}
    )
    for key, found in numbers.reported.items():
        low, high = evidence.between(taken, evidence.SHARES[key])
        if not low - slack <= found <= high + slack:
            return findings_of_numbers.other_number(view.case, key, numbers)
    return None


def is_warm(view: View) -> Finding | None:
    """No warm-up among the timed turns."""
    if not _is_timed(view):
        return findings.NOTHING_TO_COMPARE
    case, machine = view.case, Machine(view.case)
    cold = [
        sum(machine.warm_up(call.variant, call.number) > STILL_COLD for call in turns)
        for turns in evidence.timed(case, view.answer)
    ]
    if max(cold) <= COLD_SHARE * case.parameters["rounds"]:
        return None
    coldest = case.parameters["variants"][cold.index(max(cold))]
    return findings.cold(case, coldest, max(cold), _left_out(view))


def is_frugal(view: View) -> Finding | None:
    """Not far more calls are left out than needed."""
    if not _is_timed(view):
        return findings.NOTHING_TO_COMPARE
    needed, left_out = max(Machine(view.case).warm_calls), _left_out(view)
    most = MOST_WARM_UP * needed + FREE_WARM_UP
    return findings.wasteful(view.case, left_out, needed, most) if max(left_out) > most else None


def _is_timed(view: View) -> bool:
    """Without the machine's clock, this computer's decided when the warm-up ended: a mark must not
    depend on that.
    """
    result, variants = evidence.result(view.answer), view.case.parameters["variants"]
    reads = evidence.run(view.answer).reads
    timed = all(evidence.timed(view.case, view.answer))
    return bool(reads and timed and result is not None and set(variants) <= result.keys())


def _left_out(view: View) -> list[int]:
    """How many calls of each variant are not among its rounds."""
    parameters, run = view.case.parameters, evidence.run(view.answer)
    return [len(run.of(at)) - parameters["rounds"] for at in range(len(parameters["variants"]))]


def does_more_than_timeit(view: View) -> Finding | None:
    """Warm-up, or turns: a loop around each variant has neither."""
    run, variants = evidence.run(view.answer), view.case.parameters["variants"]
    most = view.case.parameters["rounds"] + 1  # one call first warms nothing up
    if any(len(run.of(variant)) > most for variant in range(len(variants))):
        return None
    return findings.neither() if len(variants) > 1 and _not_interleaved(view) else None
