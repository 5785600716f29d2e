"""`course collect --zip`: submissions out of zip files, each unpacked in a box, aside, and taken
only when it is clear whose it is.

Archives are refused one by one, by name, with what to type; the others are taken. Bulk downloads of
Moodle and Canvas hold a class in one file; they are read as such only when the instructor says so,
because a student could pack a file that looks like one. What cannot be one student's (`one_person`)
is the download of another platform, and is never taken as one student.

1. Names that look alike to people or to some file systems are one student or nobody: of two in one
   command that nobody knew before, neither is taken.
2. Two archives of one student are refused, but for `--newest`; a time in the future is none.
3. What only its student's manifest says to be somebody's never replaces what is there.
4. When a submission came in: `grading.times`, rule 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

from nbgrader.api import MissingEntry

from nbjudge import boxes, limits
from nbjudge.course import identity, one_person, uploads
from nbjudge.course.arrivals import Arrival, ArrivalRefused, Dock, dock
from nbjudge.course.identity import Claim, NotOnRoster, Owner, Unclear
from nbjudge.course.roster import Roster
from nbjudge.course.uploads import Handed, Options
from nbjudge.grading.config.folders import Course
from nbjudge.grading.gradebook import database, extensions, record
from nbjudge.grading.intake import notebook_names, times
from nbjudge.grading.intake.untrusted import shown
from nbjudge.grading.notebook import parser, renamed
from nbjudge.grading.published import skeletons
from nbjudge.grading.published.asked_exercises import in_notebooks
from nbjudge.grading.published.skeletons import Skeleton

# What a submission that Canvas calls late is behind its due date: it says no more than that.
LEAST_LATE = timedelta(seconds=1)
MOST_NAMED = 6


@dataclass(kw_only=True)
class Collected:
    """What a collection did. `refused` holds one line for each thing that was not taken,
    `unknown` the names that are not on the roster, `notices` what concerns the whole class;
    `without_roster` says that there was none.
    """

    arrivals: list[Arrival] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    without_roster: bool = False

    @property
    def students(self) -> list[str]:
        return sorted(arrival.student for arrival in self.arrivals)


@dataclass(frozen=True, kw_only=True)
class Staged:
    """A submission that was made ready. `remarks` name what of it was not taken."""

    claim: Claim
    place: Path
    owner: Owner
    is_late: bool | None
    remarks: tuple[str, ...]


def collect_archives(
    course: Course, roster: Roster, assignment: str, archives: Sequence[Path], options: Options
) -> Collected:
    """Take submissions from zip files. Raises ArrivalRefused when none can be taken at all,
    SandboxUnavailable without a sandbox.
    """
    done = Collected(without_roster=not roster.people)
    boxes.require_sandbox()
    skeleton = published(course, assignment)
    expected = tuple(skeleton.notebooks) if skeleton else ()
    with dock(course) as place:
        staged: dict[str, list[Staged]] = defaultdict(list)
        for label, handed in uploads.each(archives, roster, options, done.refused, expected):
            try:
                _require_one_person(handed, assignment, skeleton)
                _require_work(handed, assignment, skeleton)
                owner = identity.owner(
                    handed.claim, roster, course.course_id, assignment, handed.told
                )
            except Unclear as problem:
                done.refused.append(f"{label}: {problem}")
                done.unknown += [problem.name] if isinstance(problem, NotOnRoster) else []
            else:
                ready = place.stage(handed.files)
                remarks = (
                    *handed.remarks,
                    *_too_large(handed.files),
                    *noted(handed.files, handed.files.__getitem__, skeleton),
                )
                staged[owner.student].append(
                    Staged(
                        claim=handed.claim,
                        place=ready,
                        owner=owner,
                        is_late=handed.is_late,
                        remarks=remarks,
                    )
                )
        moments = _Moments(course, assignment, options, place.began)
        twins = roster.twins(staged)
        for student in sorted(staged):
            if student in twins:
                done.refused.append(_alike(student, staged[student], twins[student]))
            else:
                _land(
                    place, assignment, staged[student], options=options, moments=moments, done=done
                )
        done.notices += moments.notices
    return done


def _alike(student: str, staged: list[Staged], twins: Sequence[str]) -> str:
    names = " and ".join(one.claim.label for one in staged)
    return (
        f"{names}: {student!r} would stand beside {' and '.join(map(repr, twins))} of the same "
        "command, and some systems take them for one: add `--as STUDENT=FILE`, or rename the "
        "files"
    )


def _land(
    place: Dock,
    assignment: str,
    staged: list[Staged],
    *,
    options: Options,
    moments: _Moments,
    done: Collected,
) -> None:
    """Move a student's one submission into its place."""
    chosen = staged[0] if len(staged) == 1 else _newest(staged) if options.newest else None
    if chosen is None:
        done.refused.append(_several(staged, options.newest))
        return
    student = chosen.owner.student
    label = chosen.claim.label
    try:
        if chosen.owner.is_own_word and place.has_another(chosen.place, student, assignment):
            raise Unclear(
                f"only its own manifest says that it is of {student}, who has handed in other files: "
                f"add `--as {student}={label}` if that is right"
            )
        moment = moments.of(student, chosen.is_late)
        arrival = place.land(
            chosen.place,
            student,
            assignment,
            when=moment.when,
            given_by=moment.given_by,
            source=label,
        )
    except (ArrivalRefused, Unclear) as problem:
        done.refused.append(f"{label}: {problem}")
        return
    said = (*moment.remarks, *chosen.remarks) if arrival.is_new else ()
    done.arrivals.append(replace(arrival, remarks=(*arrival.remarks, *said)))


@dataclass(frozen=True)
class _Moment:
    """When a submission came in (UTC, without a zone), who gave that time, and what to know of it."""

    when: datetime
    given_by: str = ""
    remarks: tuple[str, ...] = ()


class _Moments:
    """When each submission of a collection came in."""

    def __init__(self, course: Course, assignment: str, options: Options, began: datetime):
        self._options = options
        self._began = began
        self._course = course
        self._assignment = assignment
        self.notices: list[str] = []

    @cached_property
    def _due(self) -> Callable[[str], datetime | None]:
        return _due_dates(self._course, self._assignment)

    def of(self, student: str, is_late: bool | None) -> _Moment:
        """Raises Unclear where a file of times has none."""
        if self._options.each is not None:
            when = self._options.each.of(student)
            return _Moment(when, f"by {self._options.each.path.name}")
        if self._options.received is not None:
            return _Moment(self._options.received, "by `--received`")
        if is_late is None:
            return _Moment(self._began)
        return self._by_canvas(student, is_late)

    def _by_canvas(self, student: str, is_late: bool) -> _Moment:
        due = self._due(student)
        more = "give each student's time by `--received FILE.csv`"
        if due is not None and due <= self._began:
            if not is_late:
                return _Moment(due, "not late, says Canvas, so by the due date")
            why = f"Canvas says late, and not when: a second behind the due date counts; {more}"
            return _Moment(due + LEAST_LATE, "late, says Canvas", (why,))
        if not is_late:
            if due is None and not self.notices:
                self.notices.append(
                    "Canvas says who was not late, and no due date is set here, so the moment of collecting "
                    f"counts: set the date by `course due`, and collect the same file again, or {more}"
                )
            return _Moment(self._began)
        here = (
            f"the due date here ({times.shown(due)}) is still to come"
            if due
            else "no due date is set"
        )
        why = f"Canvas says late, and {here}: the moment of collecting counts; {more}"
        return _Moment(self._began, remarks=(why,))


def _due_dates(course: Course, assignment: str) -> Callable[[str], datetime | None]:
    """Each student's due date (UTC, without a zone), with the extension."""
    due = None
    if database.exists(course):
        with record.gradebook(course) as book:
            try:
                due = book.find_assignment(assignment).duedate
            except MissingEntry:
                due = None
    granted = extensions.read(course).get(assignment, {})

    def of(student: str) -> datetime | None:
        if due is None or student not in granted:
            return due
        return due + (extensions.length(granted[student], due) or timedelta())

    return of


def _too_large(files: Mapping[str, bytes]) -> list[str]:
    """A line for each file that is larger than grading reads."""
    return [
        f"{shown(path)} is larger than {limits.FILE >> 20} MB, so grading will not read it: ask for a smaller one"
        for path, data in files.items()
        if len(data) > limits.FILE
    ]


def _several(staged: list[Staged], newest: bool) -> str:
    names = " and ".join(one.claim.label for one in staged)
    why = "give one of them, or add `--newest`"
    if newest:
        why = "their manifests do not say which is newer: give one of them"
    return f"{names}: {len(staged)} archives are of {staged[0].owner.student}; {why}"


def _newest(staged: list[Staged]) -> Staged | None:
    """The one that its student packed last, if every manifest gives a time that was, and no two are
    the same.
    """
    packed = [one.claim.manifest.when if one.claim.manifest else None for one in staged]
    latest = times.now() + times.SKEW
    when = [one for one in packed if one is not None and one <= latest]
    if len(when) < len(packed) or len(set(when)) < len(when):
        return None
    return staged[when.index(max(when))]


def _require_one_person(handed: Handed, assignment: str, skeleton: Skeleton | None) -> None:
    """Raises Unclear for what several people handed in, whoever says whose it is. In the download of
    a platform that is known, names tell people apart.
    """
    if handed.claim.platform is not None:
        return
    notebooks = skeleton.notebooks if skeleton else {}
    if problem := one_person.problem_of(handed.files, notebooks, assignment):
        raise Unclear(problem)


def _require_work(handed: Handed, assignment: str, skeleton: Skeleton | None) -> None:
    """Raises Unclear for an archive without any notebook of the assignment.

    Platforms and browsers rename what is handed in again (`dropout-1`, `dropout (1)`), and so do
    students: what bears no notebook's name is known by its cells, as it is in grading.
    """
    if skeleton is None:
        return
    expected = skeleton.notebooks
    chosen = _choice(handed.files, tuple(expected), handed.files.__getitem__)
    if expected.keys() & {*chosen.notebooks, *chosen.doubled}:
        return
    files = {name: handed.files[path] for name, path in chosen.notebooks.items()}
    candidates = renamed.Candidates(expected, files, parser.read_notebook)
    if not renamed.hold_any(expected, candidates):
        there = renamed.listed(candidates.names)
        raise Unclear(
            f"it holds no notebook of {assignment} ({', '.join(sorted(expected))}), but {there}: ask for the right file"
        )


def _choice(
    paths: Collection[str], expected: Collection[str], read: Callable[[str], bytes]
) -> notebook_names.Choice:
    return notebook_names.choose(
        paths, expected, lambda path: notebook_names.begins_as_notebook(read(path)), read
    )


def noted(
    paths: Collection[str], read: Callable[[str], bytes], skeleton: Skeleton | None
) -> tuple[str, ...]:
    """What grading will make of a submission's files, a line for each thing to know."""
    expected = tuple(skeleton.notebooks) if skeleton else ()
    chosen = _choice(paths, expected, read)
    doubled = (
        f"{name}.ipynb {notebook_names.doubled(both, name)}"
        for name, both in chosen.doubled.items()
    )
    spare = _unused(paths, chosen, skeleton) if skeleton else ()
    return (*chosen.remarks, *doubled, *spare)


def _unused(
    paths: Collection[str], chosen: notebook_names.Choice, skeleton: Skeleton
) -> tuple[str, ...]:
    """A line that names the files which a lab with exercises is graded without; those of the lab
    itself are not told.
    """
    if not in_notebooks(skeleton.notebooks):
        return ()
    known = {*chosen.notebooks.values(), *skeleton.files, *uploads.NOT_TAKEN}
    known |= {path for both in chosen.doubled.values() for path in both}
    beside = sorted(
        path
        for path in paths
        if notebook_names.seen_from(chosen.folder, path) not in known and path not in known
    )
    if not beside:
        return ()
    more = f" and {len(beside) - MOST_NAMED} more" if len(beside) > MOST_NAMED else ""
    names = ", ".join(map(shown, beside[:MOST_NAMED])) + more
    return (
        f"{names}: kept, and not used, because a lab with exercises is graded by its notebooks alone",
    )


def published(course: Course, assignment: str) -> Skeleton | None:
    """The assignment as it was published, as far as it is known."""
    if not skeletons.is_published(course, assignment):
        return None
    return skeletons.current(course, assignment)
