"""`course feedback --to`: the pages of a class as one archive that a learning platform takes back.

Moodle (`mod/assign/feedback/file/importziplib.php`, *Upload multiple feedback files in a zip*):
1. NAME_NUMBER_assignfeedback_file_PAGE.html. Only the participant's number counts; it is that of the
   assignment, from the gradebook or a roster, as for `course collect`.
Canvas (`Assignment#infer_comment_context_from_filename`, *Upload Submissions*):
2. The first two parts of a name that are numbers say whose it is and which upload it answers, so the
   names come from the download that was collected. A page answers the notebook of its name, else
   the student's first upload.
Who has a page and no number, or a number that is two people's, is named and left out.
"""

from __future__ import annotations

import os
import zipfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from nbjudge.course import identity, platforms, unpacking
from nbjudge.course.identity import Claim, Unclear
from nbjudge.course.roster import Person, Roster
from nbjudge.grading.config.folders import Course
from nbjudge.grading.intake.untrusted import shown


class NotHandedBack(RuntimeError):
    """The archive cannot be written. The text says why, and what to do."""


@dataclass(frozen=True)
class HandedBack:
    """`students` whose pages are in the archive, and a line for each whose pages are not."""

    students: tuple[str, ...]
    left_out: tuple[str, ...]


def write(
    course: Course,
    assignment: str,
    target: Path,
    *,
    platform: str,
    roster: Roster,
    download: Path | None = None,
    students: Sequence[str] = (),
) -> HandedBack:
    """Write the pages that `course feedback` wrote, for everybody or for `students`. Raises
    NotHandedBack, and SandboxUnavailable where a download is to be read.
    """
    if (platform == platforms.CANVAS) != (download is not None):
        raise NotHandedBack(
            "Canvas takes pages back under the names of its own download: add `--download FILE`, the zip file that you collected"
            if download is None
            else "only Canvas asks for its download: leave --download out"
        )
    pages = _pages(course, assignment, students)
    if not pages:
        raise NotHandedBack(f"nobody of {assignment} has a page in {course.feedback}")
    left_out: list[str] = []
    if download is None:
        files = dict(_for_moodle(pages, roster, left_out))
    else:
        uploads = _uploads(course, assignment, download, roster, left_out)
        files = dict(_for_canvas(pages, uploads, left_out))
    if not files:
        raise NotHandedBack(f"no page could be named for {platform.title()}: {left_out[0]}")
    _pack(target, files)
    packed = {path.parent.parent.name for path in files.values()}
    return HandedBack(tuple(sorted(packed)), tuple(left_out))


def _pages(course: Course, assignment: str, students: Collection[str]) -> dict[str, list[Path]]:
    """The pages of each student."""
    pages: dict[str, list[Path]] = defaultdict(list)
    for page in sorted(course.feedback.glob(f"*/{assignment}/*.html")):
        student = page.parent.parent.name
        if not students or student in students:
            pages[student].append(page)
    return pages


def _for_moodle(
    pages: Mapping[str, list[Path]], roster: Roster, left_out: list[str]
) -> Iterator[tuple[str, Path]]:
    shared = Counter(person.lms_user_id for person in roster.people.values())
    for student, own in pages.items():
        person = roster.people.get(student, Person(student))
        number = person.lms_user_id
        if not (number.isascii() and number.isdigit()):
            left_out.append(
                f"{shown(student)}: has no number of Moodle's: add `--roster FILE.csv`, its grading worksheet"
            )
        elif shared[number] > 1:
            left_out.append(f"{shown(student)}: number {number} is of several people: correct it")
        else:
            name = _plain(f"{person.first_name} {person.last_name}") or _plain(student)
            for page in own:
                yield f"{name}_{number}_assignfeedback_file_{page.name}", page


def _plain(name: str) -> str:
    """A name as Moodle writes it: a `_` would end it."""
    return " ".join("".join(" " if each in "_/\\" else each for each in name).split())


def _uploads(
    course: Course, assignment: str, download: Path, roster: Roster, left_out: list[str]
) -> dict[str, list[str]]:
    """What each student uploaded, by the names in Canvas's download. The file is opened in a box."""
    [(_, opened)] = unpacking.all_opened([download], True)
    if isinstance(opened, Unclear):
        raise NotHandedBack(f"{download}: {opened}")
    found: dict[str, list[str]] = defaultdict(list)
    names = dict.fromkeys([*opened.files, *opened.left_out, *opened.passed_by])
    for name in names:
        readings = platforms.readings(platforms.CANVAS, name)
        if len(readings) != 1 or readings[0].problem or _numbers(name)[:1] != [readings[0].number]:
            left_out.append(f"{shown(name)}: does not say whose it is, so no page goes with it")
            continue
        member = readings[0]
        claim = Claim(
            name, "", lms_id=member.number, lms_name=member.name, platform=platforms.CANVAS
        )
        try:
            student = identity.whose(claim, roster, course.course_id, assignment)
        except Unclear as problem:
            left_out.append(f"{shown(name)}: {problem}")
        else:
            found[student].append(name)
    return found


def _numbers(name: str) -> list[str]:
    """The parts of a name that Canvas takes for numbers."""
    return [part for part in name.split("_") if part.isascii() and part.isdigit()]


def _for_canvas(
    pages: Mapping[str, list[Path]], uploads: Mapping[str, list[str]], left_out: list[str]
) -> Iterator[tuple[str, Path]]:
    for student, own in pages.items():
        theirs = uploads.get(student, ())
        if not theirs:
            left_out.append(f"{shown(student)}: has no file in that download")
            continue
        for page in own:
            answered = next((name for name in theirs if _file(name) == page.stem), theirs[0])
            [member] = platforms.readings(platforms.CANVAS, answered)
            yield answered.removesuffix(member.file) + page.name, page


def _file(name: str) -> str:
    [member] = platforms.readings(platforms.CANVAS, name)
    return PurePosixPath(member.file).stem


def _pack(target: Path, files: Mapping[str, Path]) -> None:
    """The archive appears whole or not at all, readable for its owner alone: marks are in it."""
    fresh = target.with_name(f".{target.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file, zipfile.ZipFile(file, "w") as archive:
        for name, page in sorted(files.items()):
            archive.write(page, name, zipfile.ZIP_DEFLATED)
    os.replace(fresh, target)
