"""`course collect` as a command: what was typed becomes an order, and what was done becomes lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.course import archives, exchange, roster
from autograder.course.archives import Collection
from autograder.course.transfer import ExchangeProblem
from autograder.course.uploads import Options
from autograder.grading import times, untrusted
from autograder.grading.folders import Course


def order(
    zips: Sequence[Path],
    told: Sequence[str],
    platform: str | None,
    newest: bool,
    received: str | None,
) -> Options:
    """Raises ExchangeProblem for what cannot be meant."""
    by_file = dict(_meant(word, zips) for word in told)
    when = times.parsed(received)
    if received is not None and (when is None or when > times.now() + times.SKEW):
        raise ExchangeProblem(
            f"`--received {received}` is no time in the past: type it like '2026-11-21 18:00 UTC'"
        )
    return Options(by_file, platform, when, newest)


def _meant(word: str, zips: Sequence[Path]) -> tuple[str, str]:
    """The file and the student of one `--as`. Raises ExchangeProblem."""
    student, is_for, file = word.partition("=")
    if not is_for and len(zips) > 1:
        raise ExchangeProblem(
            f"`--as {word}` must name one of the {len(zips)} files: type `--as {word}=FILE`"
        )
    if file and file not in {name for path in zips for name in (str(path), path.name)}:
        raise ExchangeProblem(
            f"`--as {word}` names {file}, which is none of the files given with --zip"
        )
    if problem := roster.problem_of(student):
        raise ExchangeProblem(
            f"`--as {untrusted.shown(word)}`: {untrusted.shown(student)!r} cannot be a student's name, it {problem}"
        )
    return file, student


def from_archives(
    course: Course, assignment: str, zips: Sequence[Path], options: Options, csv: Path | None
) -> Collection:
    if missing := [untrusted.shown(str(path)) for path in zips if not path.exists()]:
        raise ExchangeProblem(f"there is no file {', '.join(missing)}: nothing was collected")
    exchange.require_assignment(course, assignment)
    known = roster.of_course(course)
    return archives.collect_archives(
        course, roster.with_csv(known, csv) if csv else known, assignment, zips, options
    )


def from_exchange(course: Course, assignment: str) -> Collection:
    exchange.require_assignment(course, assignment)
    return exchange.collect_from_exchange(course, assignment)


def lines(done: Collection, course: Course) -> Iterator[str]:
    """What an instructor should know, one thing a line."""
    for arrival in sorted(done.arrivals, key=lambda arrival: arrival.student):
        if arrival.kept:
            yield f"{arrival.student}: a newer submission; the one before is kept in {arrival.kept}"
        elif arrival.is_new:
            yield f"{arrival.student}: collected"
        for remark in arrival.remarks:
            yield f"{arrival.student}: {remark}"
    fresh = sum(arrival.is_new for arrival in done.arrivals)
    there = len(done.arrivals) - fresh
    yield f"{fresh} submission{'s' * (fresh != 1)} collected into {course.submitted}{f', {there} there already' if there else ''}"
