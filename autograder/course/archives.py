"""`course collect --zip`: submissions out of zip files, each unpacked in a box, aside, and taken
only when it is clear whose it is.

Archives are refused one by one, by name, with what to type; the others are taken. Bulk downloads of
Moodle and Canvas hold a class in one file; they are read as such only when the instructor says so,
because a student could pack a file that looks like one.
"""

from __future__ import annotations

import os
import re
import stat
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from autograder import boxes, wire
from autograder.course import identity, manifest
from autograder.course.arrivals import Arrival, ArrivalRefused, Dock, dock
from autograder.course.identity import Claim, Unclear
from autograder.course.roster import Roster
from autograder.grading import skeletons
from autograder.grading.folders import Course
from autograder.grading.intake import shown

UNPACKER = "autograder.boxes.inside.archive"
MAX_ARCHIVE, MAX_BULK = 100 << 20, 240 << 20
AT_ONCE = 2  # archives in memory, each of which may be as large as that
# Moodle: `Ada Lovelace_4711_assignsubmission_file_/…`, or `…_file_NAME` where folders are switched
# off.
MOODLE = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_file_(?P<file>.*)")
# Canvas: `lovelaceada_4711_815_NAME`, with `_LATE` behind the name where it is.
CANVAS = re.compile(r"(?P<name>[^_]+)(?:_LATE)?_(?P<id>\d+)_(?P<upload>\d+)_(?P<file>.+)")
PLATFORMS = {"moodle": MOODLE, "canvas": CANVAS}
AGAIN = re.compile(r" ?\(\d+\)$")  # what browsers add to a name that they have seen before


@dataclass(frozen=True)
class Options:
    """How archives are read. `told` maps a file, as it was typed or by its name, to a student; ""
    is any file.
    """

    told: Mapping[str, str] = field(default_factory=dict)
    platform: str | None = None
    received: datetime | None = None
    newest: bool = False


@dataclass
class Collection:
    """What a collection did. `refused` holds one line for each thing that was not taken."""

    arrivals: list[Arrival] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    @property
    def students(self) -> list[str]:
        return sorted(arrival.student for arrival in self.arrivals)


@dataclass(frozen=True)
class Handed:
    """One archive's content: what it claims, what is in it, and whom the instructor says that it is
    of.
    """

    claim: Claim
    files: Mapping[str, bytes]
    told: str | None = None


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
        for label, handed in _each(archives, roster, options, done.refused):
            try:
                _require_work(handed, roster, assignment, expected)
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
        why = (
            "their manifests do not say which is newer: give one of them"
            if options.newest
            else "give one of them, or add `--newest`"
        )
        names = " and ".join(one.claim.label for one in staged)
        done.refused.append(f"{names}: {len(staged)} archives are of {staged[0].student}; {why}")
        return
    try:
        done.arrivals.append(
            place.land(chosen.place, chosen.student, assignment, options.received or place.began)
        )
    except ArrivalRefused as problem:
        done.refused.append(f"{chosen.claim.label}: {problem}")


def _newest(staged: list[Staged]) -> Staged | None:
    """The one that its student packed last, if every manifest gives a time and no two are the same."""
    when = [one.claim.manifest.when if one.claim.manifest else None for one in staged]
    if None in when or len(set(when)) < len(when):
        return None
    return staged[when.index(max(when))]


def _each(
    archives: Sequence[Path], roster: Roster, options: Options, refused: list[str]
) -> Iterator[tuple[str, Handed]]:
    """What every archive holds, in order; those that cannot be read are refused."""
    for archive, opened in _all_opened(archives, options.platform is not None):
        label = shown(archive.name)
        told = options.told.get(
            str(archive),
            options.told.get(archive.name, options.told.get("", roster.files.get(archive.name))),
        )
        if isinstance(opened, Unclear):
            refused.append(f"{label}: {opened}")
        elif options.platform is None or told is not None:
            yield from _single(label, AGAIN.sub("", archive.stem), opened, told, refused)
        else:
            yield from _bulk(label, archive, opened, options.platform, refused)


def _single(
    label: str, stem: str, files: Mapping[str, bytes], told: str | None, refused: list[str]
) -> Iterator[tuple[str, Handed]]:
    try:
        if told is None and (platform := _looks_like_bulk(files)):
            ours = f"if you have it from {platform.title()} yourself, add `--from {platform}`"
            raise Unclear(f"it looks like a bulk download: {ours}, else `--as STUDENT`")
        said, work = _work(files)
    except Unclear as problem:
        refused.append(f"{label}: {problem}")
    else:
        yield label, Handed(Claim(label, stem, said), work, told)


def _bulk(
    label: str, archive: Path, files: Mapping[str, bytes], platform: str, refused: list[str]
) -> Iterator[tuple[str, Handed]]:
    """The submissions of a platform's download: one file that holds all, or one student's file out
    of it.
    """
    pattern = PLATFORMS[platform]
    if own := pattern.fullmatch(archive.name):
        groups = {(own["id"], own["name"]): dict(files)}
    else:
        groups = _groups(files, pattern)
        if not groups:
            refused.append(
                f"{label}: it does not look like a download from {platform.title()}: type the command without `--from`"
            )
    for (number, name), inside in groups.items():
        shown_as = f"{label}, {shown(name)} ({number})"
        try:
            said, work = _work(_unwrapped(inside))
        except Unclear as problem:
            refused.append(f"{shown_as}: {problem}")
        else:
            yield shown_as, Handed(Claim(shown_as, "", said, number, name), work)


def _groups(
    files: Mapping[str, bytes], pattern: re.Pattern[str]
) -> dict[tuple[str, str], dict[str, bytes]]:
    """A bulk download's files by student: (number, name) -> path -> bytes."""
    groups: dict[tuple[str, str], dict[str, bytes]] = defaultdict(dict)
    for path, data in files.items():
        top, _, rest = path.partition("/")
        if found := pattern.fullmatch(top):
            groups[found["id"], found["name"]][rest or found["file"]] = data
    return groups


def _looks_like_bulk(files: Mapping[str, bytes]) -> str | None:
    """The platform whose bulk download this seems to be: students' archives in it, under the
    platform's names.
    """
    for platform, pattern in PLATFORMS.items():
        if any(pattern.fullmatch(path.partition("/")[0]) for path in files):
            return platform
    return None


def _unwrapped(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """One student's files; a zip file among them is unpacked. Raises Unclear."""
    packed = [name for name in files if name.lower().endswith(".zip")]
    if not packed:
        return dict(files)
    if len(packed) > 1:
        raise Unclear(
            f"it holds {len(packed)} zip files: unpack it, and give the one that counts with `--zip FILE --as STUDENT`"
        )
    opened = _unpacked(files[packed[0]])
    return {**opened, **{name: data for name, data in files.items() if name != packed[0]}}


def _work(files: Mapping[str, bytes]) -> tuple[manifest.Manifest | None, dict[str, bytes]]:
    """The manifest, and the notebooks by file name with the other's leftovers. Raises Unclear."""
    visible = [
        (PurePosixPath(path), data)
        for path, data in files.items()
        if not _is_hidden(PurePosixPath(path))
    ]
    said = [data for path, data in visible if path.name == manifest.FILE]
    if len(said) > 1:
        raise Unclear(f"it holds more than one {manifest.FILE}: pack one lab with `course submit`")
    work = [(path.name, data) for path, data in visible if path.suffix == ".ipynb"]
    if len({name for name, _ in work}) < len(work):
        raise Unclear(
            "two notebooks in it have the same name: it must hold the folder of one lab only"
        )
    if not work:
        raise Unclear("it holds no notebook")
    try:
        return manifest.read(said[0]) if said else None, dict(work)
    except manifest.BadManifest as problem:
        raise Unclear(
            f"{problem}: pack it again with `course submit`, or take the file out"
        ) from None


def _is_hidden(path: PurePosixPath) -> bool:
    """What editors keep for themselves, and what macOS adds to its archives."""
    return any(part.startswith(".") or part == "__MACOSX" for part in path.parts)


def _require_work(handed: Handed, roster: Roster, assignment: str, expected: set[str]) -> None:
    """Raises Unclear for an archive without any notebook of the assignment."""
    if expected and not expected & {name.removesuffix(".ipynb") for name in handed.files}:
        raise Unclear(f"it holds no notebook of {assignment} ({', '.join(sorted(expected))})")


def _notebooks(course: Course, assignment: str) -> set[str]:
    """The names of the assignment's notebooks, as far as they are known."""
    skeleton = (
        skeletons.current(course, assignment)
        if skeletons.is_published(course, assignment)
        else None
    )
    return set(skeleton.notebooks) if skeleton else set()


def _all_opened(
    archives: Sequence[Path], bulk: bool
) -> Iterator[tuple[Path, dict[str, bytes] | Unclear]]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for start in range(0, len(archives), AT_ONCE):
            some = archives[start : start + AT_ONCE]
            yield from zip(
                some, pool.map(lambda archive: _opened(archive, bulk), some), strict=True
            )


def _opened(archive: Path, bulk: bool) -> dict[str, bytes] | Unclear:
    """A file's content; the problem is returned, so that the others go on."""
    limit = MAX_BULK if bulk else MAX_ARCHIVE
    try:
        status = os.stat(archive)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return Unclear(
                f"it is not a regular file of at most {limit >> 20} MB: unpack it, and give what is in it"
            )
        return _unpacked(archive.read_bytes(), bulk)
    except OSError as error:
        return Unclear(f"it cannot be read ({error.strerror})")
    except Unclear as problem:
        return problem


def _unpacked(data: bytes, bulk: bool = False) -> dict[str, bytes]:
    """Path and content of every file in an archive, unpacked in a box. Raises Unclear."""
    ended = boxes.run(
        UNPACKER,
        [wire.encode("archive", {"archive.zip": data}, bulk=bulk)],
        boxes.limits_for_checker(),
    )
    if refused := next(
        (frame.header.get("reason") for frame in ended.frames if frame.kind == "refused"), None
    ):
        raise Unclear(shown(str(refused)[:400], 400))
    if ended.ended != "finished" or not any(frame.kind == "done" for frame in ended.frames):
        raise Unclear(f"it could not be unpacked within the limits ({ended.ended})")
    return {
        str(frame.header["path"]): frame.blobs["data"]
        for frame in ended.frames
        if frame.kind == "file"
    }
