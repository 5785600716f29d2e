"""What ran: of a program as it stands and with one change each, kept as far as two processes agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from nbjudge import plain_text, wire
from nbjudge.contract import Case

ORIGINAL = 0
MOST_VARIANTS = 36
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
class Said:
    """What one process said, a box or another one."""

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


def frames(job: dict, inputs: Sequence[Case]) -> Iterator[bytes]:
    """What a process is sent, of which `Said` takes what it says."""
    yield wire.encode("job", None, **job)
    for number, case in enumerate(inputs):
        yield wire.encode(
            "input", dict(case.files), number=number, parameters=dict(case.parameters)
        )
    yield wire.encode("go")


def run(instances: Sequence[Sequence[Case]], process: Callable[[int, Sequence[Case]], Said]) -> Ran:
    """Run a program in processes number 0 and 1: on the first of two instances, then on both, so that
    what differs from run to run is seen.
    """
    shown, second = instances
    once = process(0, shown)
    if once.why or not once.source:
        return Ran(source=once.source, why=once.why or "it did not answer in time")
    return _agreed(once, process(1, [*shown, *second]), len(shown), len(second))


def _agreed(once: Said, twice: Said, shown: int, second: int) -> Ran:
    """What holds of `shown` inputs in both, and of `second` further ones in the second of them."""
    first = once.instance(range(shown))
    again = twice.instance(range(shown))
    other = twice.instance(range(shown, shown + second))
    same = {
        variant
        for variant, outcomes in first.outcomes.items()
        if again.outcomes.get(variant) == outcomes and variant in other.outcomes
    }
    if ORIGINAL not in same or once.source != twice.source:
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
            if number in same and twice.variants.get(number) == one
        },
        shown=Instance(
            {number: first.outcomes[number] for number in same},
            {n: lines for n, lines in first.lines.items() if again.lines.get(n) == lines},
            {key: first.values[key] for key in stable},
        ),
        second=other,
        tried=len(once.variants),
        unstable=len(once.outcomes) - len(same),
    )
