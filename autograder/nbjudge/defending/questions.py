"""Questions about a program whose right answers are known because it ran.

A question is asked only if
1. exactly one of its four options is right, and each of the others is what another change, another
   input or another moment really gives;
2. two processes gave the same;
3. on a second instance of the inputs, with other numbers and names, its options keep their roles.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Any

from nbjudge.defending.ran import ORIGINAL, Ran, Variant

WANTED = 3
LETTERS = "abcd"
OPTIONS = len(LETTERS)
# As many inputs are drawn on a page as fit.
MOST_INPUTS = 6
LONGEST_OPTION = 150
LONGEST_QUOTE = 60
# At most so many questions of a kind.
MOST_OF_A_KIND = 2


@dataclass(frozen=True)
class Input:
    """Stands in a text for an input, which gets its number when the page is put together."""

    place: int


Part = str | Input


@dataclass(frozen=True, kw_only=True)
class Question:
    """`text` and each option are parts that are joined. `right` is the place of the right option.
    `about` says what the key rests on, for whoever checks it: the kind, the lines, the change.
    """

    kind: str
    text: tuple[Part, ...]
    options: tuple[tuple[Part, ...], ...]
    right: int
    line: int
    about: dict

    @property
    def inputs(self) -> list[int]:
        """The inputs that it names, and those that its options do."""
        parts = [*self.text, *(part for option in self.options for part in option)]
        return [part.place for part in parts if isinstance(part, Input)] + list(
            self.about.get("inputs", ())
        )


@dataclass(frozen=True)
class Chosen:
    questions: list[Question]
    why_fewer: str


def choose(ran: Ran, rng: random.Random) -> Chosen:
    """Three questions, or fewer with the reason."""
    if ran.why:
        return Chosen([], ran.why)
    kinds: list[Callable[[Ran, random.Random], Iterator[Question]]] = [
        _breaks,
        _gives,
        _holds,
        _runs,
        _can_go,
    ]
    rng.shuffle(kinds)
    candidates = {kind: list(kind(ran, rng)) for kind in kinds}
    for each in candidates.values():
        rng.shuffle(each)
    chosen: list[Question] = []
    while len(chosen) < WANTED:
        before = len(chosen)
        for kind in kinds:
            if len(chosen) < WANTED:
                chosen += _next(candidates[kind], chosen)
        if len(chosen) == before:
            break
    why = "" if len(chosen) == WANTED else _why(ran, sum(map(len, candidates.values())))
    return Chosen(chosen, why)


def _next(candidates: list[Question], chosen: list[Question]) -> list[Question]:
    """The next candidate that goes with those that are chosen already."""
    lines = {one.line for one in chosen}
    sets = [one.about["set"] for one in chosen if "set" in one.about]
    used = {place for one in chosen for place in one.inputs}
    counts = Counter(one.kind for one in chosen)
    while candidates:
        one = candidates.pop()
        if one.line in lines or one.about.get("set") in sets:
            continue
        if counts[one.kind] < MOST_OF_A_KIND and len(used | set(one.inputs)) <= MOST_INPUTS:
            return [one]
    return []


def _why(ran: Ran, candidates: int) -> str:
    usable = list(_usable(ran))
    none = sum(not ran.shown.changes(number) for number in ran.variants)
    return (
        f"of {ran.tried} changes that were tried, {len(usable)} change what it gives for some of the drawn inputs and not for others, "
        f"{none} change nothing, and {ran.unstable} did not answer alike twice; "
        f"{candidates} questions could be made, on too few different lines"
    )


def _usable(ran: Ran) -> Iterator[tuple[int, Variant, frozenset[int]]]:
    """The changes that make a difference for some inputs, the same ones on both instances."""
    for number, variant in ran.variants.items():
        changed = ran.shown.changes(number)
        total = len(ran.shown.outcomes[number])
        if ran.shown.is_trivial(number) or ran.second.is_trivial(number):
            continue
        if 0 < len(changed) < total and changed == ran.second.changes(number):
            yield number, variant, changed


def said(variant: Variant) -> str:
    """A change in words."""
    if variant.now in ("", "pass") and variant.operator == "delete":
        what = (
            f"line {variant.line} is"
            if variant.last == variant.line
            else f"lines {variant.line} to {variant.last} are"
        )
        return f"{what} taken out"
    if variant.last == variant.line:
        return f"line {variant.line} reads “{variant.now}”"
    return f"lines {variant.line} to {variant.last} read “{variant.now}”"


def _about(kind: str, number: int, variant: Variant) -> dict:
    return {"kind": kind, "variant": number, **vars(variant)}


def _question(
    rng: random.Random,
    *,
    kind: str,
    text: tuple[Part, ...],
    right: tuple[Part, ...],
    others: Iterable[tuple[Part, ...]],
    line: int,
    about: dict,
) -> Question:
    options = [right, *others]
    rng.shuffle(options)
    return Question(
        kind=kind,
        text=text,
        options=tuple(options),
        right=options.index(right),
        line=line,
        about=about,
    )


def _which_input(
    rng: random.Random, *, right: Iterable[int], others: Iterable[int], **question: Any
) -> Iterator[Question]:
    """A question whose options are inputs, if there are enough."""
    if len(rest := sorted(others)) >= OPTIONS - 1:
        yield _question(
            rng,
            right=(Input(rng.choice(sorted(right))),),
            others=[(Input(place),) for place in rng.sample(rest, OPTIONS - 1)],
            **question,
        )


def _breaks(ran: Ran, rng: random.Random) -> Iterator[Question]:
    """For which input does a change make a difference?"""
    usable = list(_usable(ran))
    every = frozenset().union(*(changed for _, _, changed in usable))
    for number, variant, changed in usable:
        yield from _which_input(
            rng,
            right=changed,
            others=every - changed,
            kind="breaks",
            text=(
                f"Suppose that {said(variant)}. For which input does your code then give another result?",
            ),
            line=variant.line,
            about={**_about("breaks", number, variant), "set": sorted(changed)},
        )


def _gives(ran: Ran, rng: random.Random) -> Iterator[Question]:
    """What does the changed code give for an input?"""
    for number, variant, changed in _usable(ran):
        place = rng.choice(sorted(changed))
        right = ran.shown.outcomes[number][place]
        if not _can_be_shown(right) or right.startswith("!"):
            continue
        by_text: dict[str, int] = {}
        for other, outcomes in ran.shown.outcomes.items():
            if other != ORIGINAL and not ran.shown.is_trivial(other):
                by_text.setdefault(outcomes[place], other)
        before = ran.shown.outcomes[ORIGINAL][place]
        others = [
            other
            for text, other in sorted(by_text.items())
            if text not in (right, before) and _can_be_shown(text)
        ]
        if len(others) < OPTIONS - 2 or not _can_be_shown(before):
            continue
        three = [ORIGINAL, *rng.sample(others, OPTIONS - 2)]
        again = {ran.second.outcomes[each][place] for each in (number, *three)}
        if len(again) < OPTIONS:
            continue
        yield _question(
            rng,
            kind="gives",
            text=(
                f"Suppose that {said(variant)}. What does your code then give for ",
                Input(place),
                "?",
            ),
            right=(_shown(right),),
            others=[(_shown(ran.shown.outcomes[each][place]),) for each in three],
            line=variant.line,
            about={**_about("gives", number, variant), "input": place},
        )


def _can_be_shown(outcome: str) -> bool:
    return len(outcome) <= LONGEST_OPTION


def _shown(outcome: str) -> str:
    """An outcome as an option: its first character says whether it is a result."""
    return outcome[1:] if outcome.startswith("=") else f"an exception, {outcome[1:]}"


def _holds(ran: Ran, rng: random.Random) -> Iterator[Question]:
    """What does a name hold at one of the times that a line is reached?"""
    lines = ran.source.splitlines()
    for (place, line, name), texts in sorted(ran.shown.values.items()):
        if line not in ran.steps or name.startswith("_"):
            continue
        if not re.search(rf"\b{re.escape(name)}\b", lines[line - 1]):
            continue
        first: dict[str, int] = {}
        for time, text in enumerate(texts):
            if text:
                first.setdefault(text, time)
        again = ran.second.values.get((place, line, name), ())
        if len(first) < OPTIONS or len(again) != len(texts):
            continue
        times = next(
            (
                times
                for times in combinations(sorted(first.values()), OPTIONS)
                if len({again[time] for time in times} - {""}) == OPTIONS
            ),
            None,
        )
        if times is None:
            continue
        time = rng.choice(times)
        yield _question(
            rng,
            kind="holds",
            text=(
                "Your code is called with ",
                Input(place),
                f". What does “{name}” hold just before {_quoted(ran, line)} runs for the {_ordinal(time + 1)} time?",
            ),
            right=(texts[time],),
            others=[(texts[other],) for other in times if other != time],
            line=line,
            about={"kind": "holds", "input": place, "name": name, "line": line, "time": time + 1},
        )


def _quoted(ran: Ran, line: int) -> str:
    """Name a line with its beginning, so that it is found without counting."""
    code = ran.source.splitlines()[line - 1].strip()
    short = code if len(code) <= LONGEST_QUOTE else f"{code[: LONGEST_QUOTE - 1]}…"
    return f"line {line} (“{short}”)"


def _ordinal(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")


def _runs(ran: Ran, rng: random.Random) -> Iterator[Question]:
    """Which input makes a line run?"""
    shown = ran.shown.lines
    second = ran.second.lines
    lines = ran.steps & set().union(*shown.values())
    for line in sorted(lines):
        by = {place for place, ran_lines in shown.items() if line in ran_lines}
        if by != {place for place, ran_lines in second.items() if line in ran_lines}:
            continue
        yield from _which_input(
            rng,
            right=by,
            others=shown.keys() - by,
            kind="runs",
            text=(f"For which input does {_quoted(ran, line)} run?",),
            line=line,
            about={"kind": "runs", "line": line, "set": sorted(by)},
        )


def _can_go(ran: Ran, rng: random.Random) -> Iterator[Question]:
    """Which lines can be taken out?"""
    deleted = {
        number: one
        for number, one in ran.variants.items()
        if one.operator == "delete" and not ran.shown.is_trivial(number)
    }
    same = [
        number
        for number in deleted
        if not ran.shown.changes(number) and not ran.second.changes(number)
    ]
    total = range(len(ran.shown.outcomes[ORIGINAL]))
    for number in same:
        inputs = sorted(rng.sample(total, min(OPTIONS, len(total))))
        others = [
            other
            for other in deleted
            if set(inputs) & ran.shown.changes(other) & ran.second.changes(other)
            and not _overlap(deleted[other], deleted[number])
        ]
        if len(others) < OPTIONS - 1:
            continue
        variant = deleted[number]
        named = [part for place in inputs for part in (", ", Input(place))][1:]
        yield _question(
            rng,
            kind="can_go",
            text=("Which of these can be taken out without any other result for ", *named, "?"),
            right=(_lines(variant),),
            others=[(_lines(deleted[other]),) for other in rng.sample(others, OPTIONS - 1)],
            line=variant.line,
            about={**_about("can_go", number, variant), "inputs": inputs},
        )


def _overlap(one: Variant, other: Variant) -> bool:
    return one.line <= other.last and other.line <= one.last


def _lines(variant: Variant) -> str:
    if variant.line == variant.last:
        return f"line {variant.line}"
    return f"lines {variant.line} to {variant.last}"


@dataclass(frozen=True, kw_only=True)
class Page:
    """Questions as they are read: `inputs` are the places of those that are drawn, in the order of
    their numbers. Each question is `text`, `options`, `right`, a letter, and `about`.
    """

    inputs: list[int]
    asked: list[dict]

    @classmethod
    def of(cls, questions: Sequence[Question]) -> Page:
        inputs = sorted({place for one in questions for place in one.inputs})
        asked = [
            {
                "text": _joined(one.text, inputs),
                "options": [_joined(option, inputs) for option in one.options],
                "right": LETTERS[one.right],
                "about": one.about,
            }
            for one in questions
        ]
        return cls(inputs=inputs, asked=asked)


def _joined(parts: Iterable[Part], inputs: Sequence[int]) -> str:
    return "".join(
        f"input {inputs.index(part.place) + 1}" if isinstance(part, Input) else part
        for part in parts
    )


def reasons(ran: Ran, one: Question, inputs: Sequence[int]) -> list[str]:
    """Say of each option what running the code gave for it. `inputs` are those of the page."""
    reason = _REASONS[one.kind]
    return [_joined(reason(ran, one.about, option), inputs) for option in one.options]


def _why_breaks(ran: Ran, about: dict, option: tuple[Part, ...]) -> tuple[Part, ...]:
    return (_before_and_after(ran, about["variant"], _place(option)),)


def _before_and_after(ran: Ran, variant: int, place: int) -> str:
    before, after = (_shown(ran.shown.outcomes[each][place]) for each in (ORIGINAL, variant))
    return f"{before} either way" if before == after else f"{before} becomes {after}"


def _place(option: tuple[Part, ...]) -> int:
    return next(part.place for part in option if isinstance(part, Input))


def _why_runs(ran: Ran, about: dict, option: tuple[Part, ...]) -> tuple[Part, ...]:
    lines = sorted(ran.shown.lines[_place(option)])
    runs = "runs" if about["line"] in lines else "does not run"
    return (f"line {about['line']} {runs}; of all lines, {_ranges(lines)} do",)


def _ranges(numbers: Sequence[int]) -> str:
    """1, 2, 3, 5 as `1-3, 5`."""
    groups = groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    runs = [[number for _, number in group] for _, group in groups]
    return ", ".join(f"{run[0]}-{run[-1]}" if run[1:] else str(run[0]) for run in runs)


def _why_gives(ran: Ran, about: dict, option: tuple[Part, ...]) -> tuple[Part, ...]:
    for number in (about["variant"], ORIGINAL, *ran.variants):
        if (_shown(ran.shown.outcomes[number][about["input"]]),) == option:
            if number == about["variant"]:
                return ("what it gives with this change",)
            if number == ORIGINAL:
                return ("what it gives as it stands",)
            return (f"what it gives if {said(ran.variants[number])}",)
    raise ValueError("no version gives this option")


def _why_holds(ran: Ran, about: dict, option: tuple[Part, ...]) -> tuple[Part, ...]:
    texts = ran.shown.values[about["input"], about["line"], about["name"]]
    times = [_ordinal(time) for time, text in enumerate(texts, 1) if (text,) == option]
    return (f"what it holds the {' and the '.join(times)} time",)


def _why_can_go(ran: Ran, about: dict, option: tuple[Part, ...]) -> tuple[Part, ...]:
    number = next(
        number
        for number, variant in ran.variants.items()
        if variant.operator == "delete" and (_lines(variant),) == option
    )
    for place in about["inputs"]:
        if place in ran.shown.changes(number):
            return ("for ", Input(place), f", {_before_and_after(ran, number, place)}")
    return ("nothing changes",)


_REASONS: dict[str, Callable[[Ran, dict, tuple[Part, ...]], tuple[Part, ...]]] = {
    "breaks": _why_breaks,
    "gives": _why_gives,
    "holds": _why_holds,
    "runs": _why_runs,
    "can_go": _why_can_go,
}
