"""`course collect` as a command: what was typed becomes an order, and what was done becomes lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from nbjudge.course import archives, exchange, received, roster
from nbjudge.course.archives import MOST_NAMED, Collected
from nbjudge.course.arrivals import Arrival
from nbjudge.course.identity import composed
from nbjudge.course.transfer import ExchangeProblem
from nbjudge.course.uploads import Options
from nbjudge.grading.config.folders import Course
from nbjudge.grading.intake import times, untrusted


def order(
    zips: Sequence[Path],
    told: Sequence[str],
    platform: str | None,
    newest: bool,
    received: str | None,
) -> Options:
    """The options of a collection, from the words that were typed: `told` are those of `--as`. A file
    of times is read later, when the class is known. Raises ExchangeProblem for words that cannot be
    meant.
    """
    by_file = dict(_meant(word, zips) for word in told)
    when = None if received is None or is_file(received) else times.parsed(received)
    is_time = when is not None and when <= times.now() + times.SKEW
    if received is not None and not is_file(received) and not is_time:
        raise ExchangeProblem(
            f"`--received {received}` is no time in the past, and no CSV file: type it like "
            "'2026-11-21 18:00 UTC', or name a file"
        )
    return Options(told=by_file, platform=platform, received=when, newest=newest)


def is_file(received: str) -> bool:
    """Whether `--received` names a file, and not a time."""
    return received.lower().endswith((".csv", ".txt", ".tsv")) or Path(received).is_file()


def _meant(word: str, zips: Sequence[Path]) -> tuple[str, str]:
    """The file and the student of one `--as`. Raises ExchangeProblem."""
    student, is_for, file = word.partition("=")
    student = composed(student) or ""
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
    course: Course,
    assignment: str,
    zips: Sequence[Path],
    *,
    options: Options,
    csv: Path | None,
    each: Path | None = None,
    zone: str | None = None,
) -> Collected:
    """Collect the submissions of an assignment out of archives. Students of the roster file `csv` are
    known as those of the course are; `each` is a file with the times of all students, and `zone` the
    time zone of those times that name none. Raises ExchangeProblem, RosterError, ArrivalRefused.
    """
    if missing := [untrusted.shown(str(path)) for path in zips if not path.exists()]:
        raise ExchangeProblem(f"there is no file {', '.join(missing)}: nothing was collected")
    exchange.require_assignment(course, assignment)
    known = roster.of_course(course)
    known = roster.with_csv(known, csv) if csv else known
    if each is not None:
        of_zone = received.zone_of(zone) if zone else None
        options = replace(options, each=received.read(each, known, of_zone))
    return archives.collect_archives(course, known, assignment, zips, options)


def from_exchange(course: Course, assignment: str) -> Collected:
    exchange.require_assignment(course, assignment)
    return exchange.collect_from_exchange(course, assignment)


def lines(done: Collected, course: Course) -> Iterator[str]:
    """The report on a collection for the instructor: a line for each submission that is new, for each
    remark and for each notice.
    """
    for arrival in sorted(done.arrivals, key=lambda arrival: arrival.student):
        time = ""
        if arrival.when is not None and arrival.given_by:
            time = f", time {times.shown(arrival.when)} ({arrival.given_by})"
        if arrival.kept:
            yield f"{arrival.student}: a newer submission, {_out_of(arrival)}{time}; the one before is kept in {arrival.kept}"
        elif arrival.is_new:
            yield f"{arrival.student}: collected{time}"
        for remark in arrival.remarks:
            yield f"{arrival.student}: {remark}"
    fresh = sum(arrival.is_new for arrival in done.arrivals)
    there = len(done.arrivals) - fresh
    yield f"{fresh} submission{'s' * (fresh != 1)} collected into {course.submitted}{f', {there} there already' if there else ''}"
    yield from done.notices
    if done.without_roster and fresh:
        names = ", ".join(sorted(one.student for one in done.arrivals if one.is_new)[:MOST_NAMED])
        yield (
            f"nobody is enrolled in {course.root} yet, so the files' names became students ({names}{', …' if fresh > MOST_NAMED else ''}): "
            f"if one of them is none, move its folder out of {course.submitted}; `course roster "
            "FILE.csv` enrols a class"
        )


def _out_of(arrival: Arrival) -> str:
    names = ", ".join(map(untrusted.shown, arrival.replaced[:MOST_NAMED]))
    more = f" and {len(arrival.replaced) - MOST_NAMED} more" * (len(arrival.replaced) > MOST_NAMED)
    return f"out of {arrival.source}, with other {names}{more}"


def refusals(done: Collected, course: Course) -> Iterator[str]:
    """A line for each archive that was not taken, and one on how to enrol those who are not on the
    roster.
    """
    for problem in done.refused:
        yield f"not taken: {problem}"
    unknown = sorted(set(done.unknown))
    if len(unknown) > 1:
        yield (
            f"{len(unknown)} names are not on the roster: if they are students, write them into "
            f"a CSV file with the heading `student`, type `course roster FILE.csv --course {course.root}`, "
            f"and then this command again ({', '.join(unknown[:MOST_NAMED])}{', …' if len(unknown) > MOST_NAMED else ''})"
        )
