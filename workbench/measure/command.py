"""What `course bench` reads from the command line, and what it prints."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from workbench.measure.bench import Order, bench, warnings
from workbench.measure.errors import CannotBench
from workbench.measure.precisions import Precision


@dataclass(frozen=True)
class Options:
    """As they were typed."""

    providers: list[str]
    precisions: list[str]
    batch: int | None
    sizes: list[str]
    ranges: list[str]
    threads: int
    rounds: int
    seed: int
    cuda_graph: bool
    tf32: bool
    json_file: Path | None
    plot: Path | None


def run(model: Path, options: Options) -> None:
    """Measure, print the table and the warnings, write the files. Raises CannotBench before anything is measured, if anything is wrong."""
    order = Order(
        model,
        options.providers,
        [_precision(text) for text in options.precisions],
        options.batch,
        dict(_size(text) for text in options.sizes),
        dict(_range(text) for text in options.ranges),
        options.threads,
        options.rounds,
        options.seed,
        options.cuda_graph,
        options.tf32,
    )
    for path in filter(None, (options.json_file, options.plot)):
        if path.is_dir() or not path.absolute().parent.is_dir():
            raise CannotBench(f"there is no folder {path.parent} to write {path.name} into, or {path.name} is one")
    if options.plot and options.plot.suffix != ".svg":
        raise CannotBench(f"a plot is written as SVG: name it {options.plot.with_suffix('.svg').name}")
    with _progress() as watch:
        results = bench(order, watch)
    print(results)
    for warning in warnings(results):
        print(f"warning: {warning}", file=sys.stderr)
    try:
        if options.json_file:
            results.save(options.json_file)
        if options.plot:
            results.plot(f"Times of {model.name}").save(options.plot)
    except OSError as problem:
        raise CannotBench(f"{problem.filename} could not be written: {problem.strerror}") from None


def _precision(text: str) -> Precision:
    try:
        return Precision(text.lower())
    except ValueError:
        raise CannotBench(f"there is no precision {text!r}; there are {', '.join(Precision)}") from None


def _size(text: str) -> tuple[str, int]:
    name, equals, size = text.rpartition("=")
    if not equals or not name or not size.isdecimal() or int(size) < 1:
        raise CannotBench(f"--dim takes NAME=SIZE, a whole number from 1, as in --dim sequence=128, and not {text!r}")
    return name, int(size)


def _range(text: str) -> tuple[str, tuple[int, int]]:
    name, _, ends = text.rpartition("=")
    try:
        low, high = map(int, ends.split(":"))
    except ValueError:
        low, high = 0, 0
    if not name or low >= high:
        raise CannotBench(f"--range takes INPUT=LOW:HIGH with LOW below HIGH, as in --range input_ids=0:30522, and not {text!r}")
    return name, (low, high)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """On standard error, so that the table alone can be sent to a file."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("preparing", total=None)
        yield lambda done, expected: progress.update(task, description="rounds", completed=done, total=expected)
