"""What a user asked `course bench` to measure, and how its words become that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from formatlab.measure.errors import CannotBench
from formatlab.measure.feeds import Range
from formatlab.measure.kinds import Kind, kind_named
from formatlab.measure.precisions import Precision
from formatlab.measure.rounds import WARM_SECONDS

Name = TypeVar("Name", bound=StrEnum)


class Level(StrEnum):
    """Optimization levels of a session's graph, as ONNX Runtime names them."""

    disable = "disable"
    basic = "basic"
    extended = "extended"
    layout = "layout"
    all = "all"


@dataclass(frozen=True)
class BenchRequest:
    """One variant for each combination of files, `providers`, `precisions`, `levels` and `threads`.
    The first is compared with the others.

    `others`: files that are compared with `model`, on its inputs. `sizes` of dynamic dimensions and
    `ranges` of integer inputs shape random inputs; `feeds` is a file of real ones, `calibrate` one
    of those that static INT8 is calibrated on. `mask`: the input that says which positions of the
    outputs count. `outputs`: of which kind an output is, and under no name of which kind all
    outputs of floats are. `entries` go into every session. `calls`: single calls of each variant at
    least. `streams`: numbers of callers at a time. `seed` of the inputs and of the order; without
    one, the inputs are those of seed 0 and the order is drawn. `command`: as it was typed.
    """

    model: Path
    _: KW_ONLY
    others: Sequence[Path] = ()
    providers: Sequence[str] = ("cpu",)
    precisions: Sequence[Precision] = (Precision.given,)
    levels: Sequence[Level] = (Level.all,)
    threads: Sequence[int] = (1,)
    batch: int | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    ranges: Mapping[str, Range] = field(default_factory=dict)
    feeds: Path | None = None
    calibrate: Path | None = None
    mask: str | None = None
    outputs: Mapping[str, Kind] = field(default_factory=dict)
    entries: Mapping[str, str] = field(default_factory=dict)
    rounds: int = 20
    calls: int = 0
    warm_seconds: float = WARM_SECONDS
    processes: int = 1
    streams: Sequence[int] = ()
    seed: int | None = None
    cuda_graph: bool = False
    tf32: bool = False
    cold: bool = False
    profile: bool = False
    command: str = ""


def named(kind: type[Name], text: str) -> Name:
    """A member of `kind` by its name, in any case. Raises CannotBench."""
    try:
        return kind(text.lower())
    except ValueError:
        raise CannotBench(
            f"there is no {kind.__name__.lower()} {text!r}; there are {', '.join(kind)}"
        ) from None


def size(text: str) -> tuple[str, int]:
    name, equals, number = text.rpartition("=")
    if not equals or not name or not number.isdecimal() or int(number) < 1:
        raise CannotBench(
            f"--dim takes NAME=SIZE, a whole number from 1, as in --dim sequence=128, and not {text!r}"
        )
    return name, int(number)


def between(text: str) -> tuple[str, Range]:
    name, _, ends = text.rpartition("=")
    try:
        low, high = map(int, ends.split(":"))
    except ValueError:
        low = 0
        high = 0
    if not name or low >= high:
        raise CannotBench(
            f"--range takes INPUT=LOW:HIGH with LOW below HIGH, as in --range input_ids=0:30522, and not {text!r}"
        )
    return name, (low, high)


def entry(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise CannotBench(
            f"--session takes KEY=VALUE, as in --session session.x64quantprecision=1, and not {text!r}"
        )
    return key, value


def output(text: str) -> tuple[str, Kind]:
    name, _, kind = text.rpartition("=")
    return name, kind_named(kind)
