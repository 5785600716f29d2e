"""`course collect --zip`: submissions out of zip files, each unpacked in a box, aside, and taken
only when it is clear whose it is.

Archives are refused one by one, by name, with what to type; the others are taken. Bulk downloads of
Moodle and Canvas hold a class in one file; they are read as such only when the instructor says so,
because a student could pack a file that looks like one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder import boxes
from autograder.course import identity, uploads
from autograder.course.arrivals import Arrival, ArrivalRefused, Dock, dock
from autograder.course.identity import Claim, Unclear
from autograder.course.roster import Roster
from autograder.course.uploads import Options
from autograder.grading import parser, renamed, skeletons
from autograder.grading.folders import Course
from autograder.grading.skeletons import Notebook


@dataclass
class Collection:
    """What a collection did. `refused` holds one line for each thing that was not taken."""

    arrivals: list[Arrival] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    @property
    def students(self) -> list[str]:
        return sorted(arrival.student for arrival in self.arrivals)


@dataclass(frozen=True)
class Staged:
    claim: Claim
    place: Path
    student: str


def collect_archives(
    course: Course, roster: Roster, assignment: str, archives: Sequence[Path], options: Options
) -> Collection:
    """Take submissions from zip files. Raises ArrivalRefused when none can be taken at all,
    SandboxUnavailable without a sandbox.
    """
    done = Collection()
    boxes.require_sandbox()
    expected = _notebooks(course, assignment)
    with dock(course) as place:
        staged: dict[str, list[Staged]] = defaultdict(list)
        for label, handed in uploads.each(archives, roster, options, done.refused):
            try:
                _require_work(handed, assignment, expected)
                student = identity.whose(
                    handed.claim, roster, course.course_id, assignment, handed.told
                )
            except Unclear as problem:
                done.refused.append(f"{label}: {problem}")
            else:
                staged[student].append(Staged(handed.claim, place.stage(handed.files), student))
        for student in sorted(staged):
            _land(place, assignment, staged[student], options, done)
    return done


def _land(
    place: Dock, assignment: str, staged: list[Staged], options: Options, done: Collection
) -> None:
    """Move a student's one submission into its place."""
    chosen = staged[0] if len(staged) == 1 else _newest(staged) if options.newest else None
    if chosen is None:
        done.refused.append(_several(staged, options.newest))
        return
    when = options.received or place.began
    try:
        done.arrivals.append(place.land(chosen.place, chosen.student, assignment, when))
    except ArrivalRefused as problem:
        done.refused.append(f"{chosen.claim.label}: {problem}")


def _several(staged: list[Staged], newest: bool) -> str:
    names = " and ".join(one.claim.label for one in staged)
    why = "give one of them, or add `--newest`"
    if newest:
        why = "their manifests do not say which is newer: give one of them"
    return f"{names}: {len(staged)} archives are of {staged[0].student}; {why}"


def _newest(staged: list[Staged]) -> Staged | None:
    """The one that its student packed last, if every manifest gives a time and no two are the same."""
    when = [one.claim.manifest.when if one.claim.manifest else None for one in staged]
    if None in when or len(set(when)) < len(when):
        return None
    return staged[when.index(max(when))]


def _require_work(
    handed: uploads.Handed, assignment: str, expected: Mapping[str, Notebook]
) -> None:
    """Raises Unclear for an archive without any notebook of the assignment.

    Platforms and browsers rename what is handed in again (`dropout-1`, `dropout (1)`), and so do
    students: what bears no notebook's name is known by its cells, as it is in grading.
    """
    files = {name.removesuffix(".ipynb"): data for name, data in handed.files.items()}
    if not expected or expected.keys() & files.keys():
        return
    candidates = renamed.Candidates(expected, files, parser.read_notebook)
    if not renamed.hold_any(expected, candidates):
        there = renamed.listed(candidates.names)
        raise Unclear(
            f"it holds no notebook of {assignment} ({', '.join(sorted(expected))}), but {there}: ask for the right file"
        )


def _notebooks(course: Course, assignment: str) -> Mapping[str, Notebook]:
    """The assignment's notebooks, as far as they are known."""
    if not skeletons.is_published(course, assignment):
        return {}
    skeleton = skeletons.current(course, assignment)
    return skeleton.notebooks if skeleton else {}
