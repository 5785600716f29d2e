"""What handed-in archives hold: one student's work each, or a platform's download of a class."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from autograder.course import manifest, unpacking
from autograder.course.identity import Claim, Unclear
from autograder.course.roster import Roster
from autograder.course.unpacking import Opened
from autograder.grading.untrusted import shown

# Moodle: `Ada Lovelace_4711_assignsubmission_file_/…`, or `…_file_NAME` where folders are switched
# off.
MOODLE = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_file_(?P<file>.*)", re.DOTALL)
# Canvas: `lovelaceada_4711_815_NAME`, with `_LATE` behind the name where it is.
CANVAS = re.compile(
    r"(?P<name>[^_]+)(?:_LATE)?_(?P<id>\d+)_(?P<upload>\d+)_(?P<file>.+)", re.DOTALL
)
PLATFORMS = {"moodle": MOODLE, "canvas": CANVAS}
# A name that holds this twice can be read in two ways. One of the two numbers may be of a student who
# chose the rest of the name.
_TWICE = re.compile(r"_(\d+)_assignsubmission_file_")
BY_HAND = "unpack it, and give what is in it with `--as STUDENT`"
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


@dataclass(frozen=True)
class Handed:
    """One archive's content: what it claims, what is in it, and whom the instructor says that it is
    of.
    """

    claim: Claim
    files: Mapping[str, bytes]
    told: str | None = None


def each(
    archives: Sequence[Path], roster: Roster, options: Options, refused: list[str]
) -> Iterator[tuple[str, Handed]]:
    """What every archive holds, in order; those that cannot be read are refused."""
    for archive, opened in unpacking.all_opened(archives, options.platform is not None):
        label = shown(archive.name)
        told = _told(archive, roster, options)
        if isinstance(opened, Unclear):
            refused.append(f"{label}: {opened}")
        elif options.platform is None or told is not None:
            yield from _single(label, AGAIN.sub("", archive.stem), opened, told, refused)
        else:
            yield from _bulk(label, archive, opened, options.platform, refused)


def _told(archive: Path, roster: Roster, options: Options) -> str | None:
    """Whose the instructor says that it is: on the command line, else in the class's list."""
    by_file = {"": roster.files.get(archive.name), **options.told}
    return by_file.get(str(archive), by_file.get(archive.name, by_file[""]))


def _single(
    label: str, stem: str, opened: Opened, told: str | None, refused: list[str]
) -> Iterator[tuple[str, Handed]]:
    files = opened.files
    try:
        for why in opened.left_out.values():  # where a platform is named beside `--as`
            raise Unclear(why)
        if told is None and (platform := _looks_like_bulk(files)):
            ours = f"if you have it from {platform.title()} yourself, add `--from {platform}`"
            raise Unclear(f"it looks like a bulk download: {ours}, else `--as STUDENT`")
        is_wrapped = not any(name.endswith(".ipynb") for name in files)
        said, work = _work(_unwrapped(files) if is_wrapped else files)
    except Unclear as problem:
        refused.append(f"{label}: {problem}")
    else:
        yield label, Handed(Claim(label, stem, said), work, told)


def _bulk(
    label: str, archive: Path, opened: Opened, platform: str, refused: list[str]
) -> Iterator[tuple[str, Handed]]:
    """The submissions of a platform's download: one file that holds all, or one student's file out
    of it.
    """
    pattern = PLATFORMS[platform]
    found: dict[str, bytes | Unclear] = {
        **opened.files,
        **{path: Unclear(f"{why}: {BY_HAND}") for path, why in opened.left_out.items()},
    }
    if own := pattern.fullmatch(archive.name):
        groups = {(own["id"], own["name"]): found}
    else:
        groups = _groups(found, pattern)
        for path, why in opened.left_out.items():
            if not pattern.fullmatch(path.partition("/")[0]):
                refused.append(f"{label}: {why}")
        if not groups:
            refused.append(
                f"{label}: it does not look like a download from {platform.title()}: type the command without `--from`"
            )
    for (number, name), inside in groups.items():
        shown_as = f"{label}, {shown(name)} ({number})"
        try:
            _require_one_number(name, number)
            said, work = _work(_unwrapped(_all_there(inside)))
        except Unclear as problem:
            refused.append(f"{shown_as}: {problem}")
        else:
            yield shown_as, Handed(Claim(shown_as, "", said, number, name), work)


def _all_there(files: Mapping[str, bytes | Unclear]) -> dict[str, bytes]:
    """One student's files. Raises what stands in the place of one that could not be taken."""
    if problem := next((one for one in files.values() if isinstance(one, Unclear)), None):
        raise problem
    return dict(files)


def _require_one_number(name: str, number: str) -> None:
    """Raises Unclear where what stands before a number may be a name with another number behind it."""
    if other := _TWICE.search(f"{name}_"):
        raise Unclear(f"it may be of number {other[1]} as well as of {number}: {BY_HAND}")


def _groups(
    files: Mapping[str, bytes | Unclear], pattern: re.Pattern[str]
) -> dict[tuple[str, str], dict[str, bytes | Unclear]]:
    """A bulk download's files by student: (number, name) -> path -> bytes."""
    groups: dict[tuple[str, str], dict[str, bytes | Unclear]] = defaultdict(dict)
    for path, data in files.items():
        top, _, rest = path.partition("/")
        if found := pattern.fullmatch(top):
            groups[found["id"], found["name"]][rest or found["file"]] = data
    return groups


def _looks_like_bulk(files: Mapping[str, bytes]) -> str | None:
    """The platform whose bulk download this seems to be, by the names of the archives in it."""
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
    opened = unpacking.unpacked(files[packed[0]])
    return {**opened.files, **{name: data for name, data in files.items() if name != packed[0]}}


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
