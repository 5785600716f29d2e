"""Run a student's functions and their mutants in boxes, and keep what does not differ from run to
run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from nbjudge import boxes, plain_text, wire
from nbjudge.contract import Case
from nbjudge.course.defend.code import Code

PROGRAM = "nbjudge.boxes.inside.defend"
ORIGINAL = 0
MOST_VARIANTS = 36
VARIANT_SECONDS = 5
BOX_SECONDS = 240
# Two boxes for each student.
MOST_SECONDS = 2 * BOX_SECONDS
_GRACE = 60
_OUTPUT = 64 << 20
# These end a changed function before it does anything, or say nothing that could be foreseen.
_TRIVIAL = ("!NameError", "!UnboundLocalError", "!missing", "?")


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One change: line `line` reads `now` in the place of `was`, or the lines up to `last` are gone."""

    line: int
    last: int
    operator: str
    was: str
    now: str


@dataclass(frozen=True)
class Instance:
    """What came of the inputs of one instance: by variant, the outcome for each input; of the
    function as it stands, the lines that ran for each input, and for (input, line, name) what the
    name held each time.
    """

    outcomes: dict[int, tuple[str, ...]]
    lines: dict[int, frozenset[int]]
    values: dict[tuple[int, int, str], tuple[str, ...]]

    def changes(self, variant: int) -> frozenset[int]:
        """The inputs for which the changed function gives something else."""
        pairs = zip(self.outcomes[variant], self.outcomes[ORIGINAL], strict=True)
        return frozenset(number for number, (new, old) in enumerate(pairs) if new != old)

    def is_trivial(self, variant: int) -> bool:
        """Whether there is nothing to ask about a change."""
        return any(one.startswith(_TRIVIAL) for one in self.outcomes[variant])


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What two boxes agree on.

    `steps` are the lines that are asked about by how they run, `shown` is the instance that is
    printed, `second` another one of the same inputs. `tried` counts the changes, `unstable` those
    that did not answer alike twice. `why` says why nothing ran.
    """

    source: str = ""
    steps: frozenset[int] = frozenset()
    variants: dict[int, Variant] = field(default_factory=dict)
    shown: Instance = field(default_factory=lambda: Instance({}, {}, {}))
    second: Instance = field(default_factory=lambda: Instance({}, {}, {}))
    tried: int = 0
    unstable: int = 0
    why: str = ""


@dataclass(kw_only=True)
class _Box:
    """What one box said."""

    source: str = ""
    steps: frozenset[int] = frozenset()
    why: str = ""
    variants: dict[int, Variant] = field(default_factory=dict)
    outcomes: dict[int, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    lines: dict[int, frozenset[int]] = field(default_factory=dict)
    values: dict[tuple[int, int, str], tuple[str, ...]] = field(default_factory=dict)

    def take(self, frame: wire.Frame) -> None:
        header = frame.header
        if frame.kind == "code":
            self.source = plain_text.block(header["source"])
            self.steps = frozenset(header["steps"])
        elif frame.kind == "unreadable":
            self.why = plain_text.line(header["why"])
        elif frame.kind == "variant":
            told = {name: header[name] for name in ("line", "last", "operator", "was", "now")}
            self.variants[header["variant"]] = Variant(**told)
        elif frame.kind == "ran":
            self._ran(header)

    def _ran(self, header: dict) -> None:
        number = header["input"]
        self.outcomes[header["variant"]][number] = header["outcome"]
        if header["variant"] == ORIGINAL:
            self.lines[number] = frozenset(header["lines"])
            for line, name, texts in header["values"]:
                self.values[number, line, name] = tuple(texts)

    def instance(self, numbers: Sequence[int]) -> Instance:
        """What it said of these inputs, numbered anew from 0."""
        place = {number: new for new, number in enumerate(numbers)}
        outcomes = {
            variant: tuple(said[number] for number in numbers)
            for variant, said in self.outcomes.items()
            if all(number in said for number in numbers)
        }
        lines = {place[number]: each for number, each in self.lines.items() if number in place}
        values = {
            (place[number], line, name): each
            for (number, line, name), each in self.values.items()
            if number in place
        }
        return Instance(outcomes, lines, values)


def run(code: Code, seed: str, instances: Sequence[Sequence[Case]], imports: Sequence[str]) -> Ran:
    """Run the code twice, in two boxes: on the first of the two instances, then on both. Raises
    SandboxUnavailable.
    """
    shown, second = instances
    once = _box(code, seed, shown, imports)
    if once.why or not once.source:
        return Ran(source=once.source, why=once.why or "it did not answer in time")
    twice = _box(code, seed, [*shown, *second], imports)
    first = once.instance(range(len(shown)))
    again = twice.instance(range(len(shown)))
    other = twice.instance(range(len(shown), len(shown) + len(second)))
    agreed = {
        variant
        for variant, outcomes in first.outcomes.items()
        if again.outcomes.get(variant) == outcomes and variant in other.outcomes
    }
    if ORIGINAL not in agreed or once.source != twice.source:
        return Ran(
            source=once.source, why="what it gives differs from run to run, or takes too long"
        )
    stable = {key for key, each in first.values.items() if again.values.get(key) == each}
    return Ran(
        source=once.source,
        steps=once.steps,
        variants={
            number: one
            for number, one in once.variants.items()
            if number in agreed and twice.variants.get(number) == one
        },
        shown=Instance(
            {number: first.outcomes[number] for number in agreed},
            {n: lines for n, lines in first.lines.items() if again.lines.get(n) == lines},
            {key: first.values[key] for key in stable},
        ),
        second=other,
        tried=len(once.variants),
        unstable=len(once.outcomes) - len(agreed),
    )


def _box(code: Code, seed: str, inputs: Sequence[Case], imports: Sequence[str]) -> _Box:
    limits = replace(
        boxes.limits_for_runner(), wall_seconds=BOX_SECONDS + _GRACE, output_bytes=_OUTPUT
    )
    ended = boxes.run(PROGRAM, _frames(code, seed, inputs, imports), limits)
    box = _Box()
    for frame in ended.frames:
        box.take(frame)
    return box


def _frames(
    code: Code, seed: str, inputs: Sequence[Case], imports: Sequence[str]
) -> Iterator[bytes]:
    yield wire.encode(
        "job",
        exercise=code.exercise,
        given=code.given,
        cells=code.cells,
        seed=seed,
        most=MOST_VARIANTS,
        seconds=BOX_SECONDS,
        variant_seconds=VARIANT_SECONDS,
        imports=list(imports),
    )
    for number, case in enumerate(inputs):
        yield wire.encode(
            "input", dict(case.files), number=number, parameters=dict(case.parameters)
        )
    yield wire.encode("go")
