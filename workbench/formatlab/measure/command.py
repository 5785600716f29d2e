"""What `course bench` does with a request: measure or read, print, write files, compare."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from formatlab.measure import against, files, tables
from formatlab.measure.bench import Watch, bench
from formatlab.measure.errors import CannotBench
from formatlab.measure.files import NotResults
from formatlab.measure.quality import warnings
from formatlab.measure.request import BenchRequest
from formatlab.measure.results import Results

STDOUT = Path("-")


@dataclass(frozen=True, kw_only=True)
class Then:
    """What is done with the results. `json_file` may be `-`: standard output, in place of the
    table.
    """

    json_file: Path | None = None
    plot: Path | None = None
    old: Path | None = None
    tolerance: float = 0.05
    any_machine: bool = False


def run(request: BenchRequest, then: Then) -> int:
    """The exit status. Raises CannotBench before anything is measured, if anything is wrong."""
    _require_writable(then)
    old = read(then.old) if then.old else None
    if request.model.suffix == ".json":
        if request.others:
            raise CannotBench(
                f"a results file is shown alone: compare two with `course bench {request.others[0].name} --against {request.model.name}`"
            )
        results = read(request.model)
    else:
        with _progress() as watch:
            results = bench(request, watch)
    _show(results, then)
    _write(results, then)
    return _compare(old, results, then) if old else 0


def read(path: Path) -> Results:
    """Raises CannotBench."""
    try:
        return Results.load(path)
    except OSError as problem:
        raise CannotBench(f"{path} could not be read: {problem.strerror}") from None
    except NotResults as problem:
        raise CannotBench(f"{path}: {problem}") from None


def _show(results: Results, then: Then) -> None:
    if then.json_file == STDOUT:
        print(files.text(results), end="")
    else:
        print("\n\n".join([str(results), *tables.more(results)]))
    for warning in [*_missing(results), *warnings(results)]:
        print(f"warning: {warning}", file=sys.stderr)


def _missing(results: Results) -> list[str]:
    return [f"{name} was not measured: {reason}." for name, reason in results.missing.items()]


def _compare(old: Results, new: Results, then: Then) -> int:
    found = against.changes(old, new, then.tolerance, then.any_machine)
    out = sys.stderr if then.json_file == STDOUT else sys.stdout
    level = 100 * min(change.interval.level for change in found)
    print(
        f"\n{against.table(found).text}\n\nWith {level:.3g} % intervals, at a tolerance of {100 * then.tolerance:g} %.",
        file=out,
    )
    if min(old.processes, new.processes) == 1:
        print(
            "warning: one process: what differs between processes is not in these intervals. Use --processes 5.",
            file=sys.stderr,
        )
    lost = [name for name in new.missing if name in old.names]
    if lost:
        print(
            f"warning: {', '.join(lost)} cannot be compared: it was measured before, and not now.",
            file=sys.stderr,
        )
    return against.status(found) or (against.STATUS[against.Kind.unclear] if lost else 0)


def _require_writable(then: Then) -> None:
    for path in filter(None, (then.json_file, then.plot)):
        if path != STDOUT and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise CannotBench(
                f"there is no folder {path.parent} to write {path.name} into, or {path.name} is one"
            )
    if then.plot and then.plot.suffix != ".svg":
        raise CannotBench(f"a plot is written as SVG: name it {then.plot.with_suffix('.svg').name}")


def _write(results: Results, then: Then) -> None:
    try:
        if then.json_file and then.json_file != STDOUT:
            results.save(then.json_file)
        if then.plot:
            results.plot(f"Times of {results.name}").save(then.plot)
    except OSError as problem:
        raise CannotBench(f"{problem.filename} could not be written: {problem.strerror}") from None


@contextmanager
def _progress() -> Iterator[Watch]:
    """On standard error, so that the table alone can be sent to a file."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as progress:
        task = progress.add_task("preparing", total=None)
        yield lambda what, done, expected: progress.update(
            task, description=what, completed=done, total=expected or None
        )
