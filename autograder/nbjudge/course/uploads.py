"""What handed-in archives hold: one student's work each, or a platform's download of a class.

1. Every member is taken, or named with what to do; only what systems leave behind (`leftovers`)
   is passed over.
2. An archive without notebooks that holds one other archive is that archive, once.
3. Paths count from the lab's folder (`naming`), so that by zip, by exchange and by folder the same
   work lies in the same places.
4. What says when and whose (`timestamp.txt`, the manifest, nbgrader's secret) is no part of the
   work, and is not taken from an archive.
5. In a platform's download each name is read as the platform writes it (`platforms`). A name that
   can be read in two ways is whose the roster says, if it knows just one of them by name; a number
   with two names is refused.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from nbjudge import limits
from nbjudge.course import manifest, platforms, unpacking
from nbjudge.course.identity import Claim, Unclear, is_called
from nbjudge.course.platforms import BY_HAND, MOODLE, Member
from nbjudge.course.received import Received
from nbjudge.course.roster import Roster
from nbjudge.course.unpacking import Opened
from nbjudge.grading.intake import intake, notebook_names, times
from nbjudge.grading.intake.untrusted import shown

AGAIN = re.compile(r" ?\(\d+\)$")  # what browsers add to a name that they have seen before
# What says when and whose, and is not the student's to say.
NOT_TAKEN = frozenset({times.FILE, intake.SECRET_FILE, manifest.FILE})
MOST_NAMED = 6


@dataclass(frozen=True, kw_only=True)
class Options:
    """How archives are read. `told` maps a file, as it was typed or by its name, to a student; ""
    is any file. `received` is when all came in, `each` when each did.
    """

    told: Mapping[str, str] = field(default_factory=dict)
    platform: str | None = None
    received: datetime | None = None
    each: Received | None = None
    newest: bool = False


@dataclass(frozen=True)
class Handed:
    """One archive's content: what it claims, what is in it, and whom the instructor says that it is
    of. `is_late` is what the platform says, None where it says nothing; `remarks` name what was not
    taken.
    """

    claim: Claim
    files: Mapping[str, bytes]
    _: KW_ONLY
    told: str | None = None
    is_late: bool | None = None
    remarks: tuple[str, ...] = ()


def each(
    archives: Sequence[Path],
    roster: Roster,
    options: Options,
    refused: list[str],
    expected: Collection[str] = (),
) -> Iterator[tuple[str, Handed]]:
    """What every archive holds, in order; what cannot be taken goes to `refused`, a line each."""
    for archive, opened in unpacking.all_opened(archives, options.platform is not None):
        label = shown(archive.name)
        told = _told(archive, roster, options)
        if isinstance(opened, Unclear):
            refused.append(f"{label}: {opened}")
        elif options.platform is None or told is not None:
            yield from _single(
                label,
                AGAIN.sub("", archive.stem),
                opened,
                told=told,
                refused=refused,
                expected=expected,
            )
        else:
            yield from _bulk(
                label,
                archive,
                opened,
                platform=options.platform,
                roster=roster,
                refused=refused,
                expected=expected,
            )


def _told(archive: Path, roster: Roster, options: Options) -> str | None:
    """Whose the instructor says that it is: on the command line, else in the class's list."""
    by_file = {"": roster.files.get(archive.name), **options.told}
    return by_file.get(str(archive), by_file.get(archive.name, by_file[""]))


def _single(
    label: str,
    stem: str,
    opened: Opened,
    *,
    told: str | None,
    refused: list[str],
    expected: Collection[str],
) -> Iterator[tuple[str, Handed]]:
    try:
        for why in opened.left_out.values():  # where a platform is named beside `--as`
            raise Unclear(why)
        if told is None and (platform := platforms.looks_like([*opened.files])):
            ours = f"if you have it from {platform.title()} yourself, add `--from {platform}`"
            people = platforms.people(platform, [*opened.files])
            other = ", else `--as STUDENT`" if len(people) < 2 else ""
            raise Unclear(f"it looks like a bulk download: {ours}{other}")
        said, work, remarks = _work(opened, expected)
    except Unclear as problem:
        refused.append(f"{label}: {problem}")
    else:
        yield label, Handed(Claim(label, stem, manifest=said), work, told=told, remarks=remarks)


@dataclass
class _Group:
    """One student's files in a platform's download. `problem` is why none of them can be taken."""

    member: Member
    files: dict[str, bytes] = field(default_factory=dict)
    passed_by: dict[str, str] = field(default_factory=dict)
    problem: str | None = None


def _bulk(
    label: str,
    archive: Path,
    opened: Opened,
    *,
    platform: str,
    roster: Roster,
    refused: list[str],
    expected: Collection[str],
) -> Iterator[tuple[str, Handed]]:
    """The submissions of a platform's download: one file that holds all, or one student's file out
    of it.
    """
    if own := platforms.readings(platform, archive.name):
        member, problem = _meant(own, platform, roster)
        problem = problem or next(iter(opened.left_out.values()), None)
        groups = [_Group(member, dict(opened.files), dict(opened.passed_by), problem)]
    else:
        groups = _groups(label, opened, platform, roster, refused)
    is_blind = platform == MOODLE and _hides_names([group.member for group in groups])
    for group in groups:
        who = f"{label}, {shown(group.member.label)}"
        try:
            if group.problem:
                raise Unclear(group.problem)
            said, work, remarks = _work(Opened(group.files, {}, group.passed_by), expected)
        except Unclear as problem:
            refused.append(f"{who}: {problem}")
            continue
        number = group.member.number
        name = group.member.name
        claim = Claim(
            who,
            "",
            manifest=said,
            lms_id=number,
            lms_name=name,
            platform=platform,
            is_blind=is_blind,
        )
        is_late = group.member.is_late if platform == platforms.CANVAS else None
        yield who, Handed(claim, work, is_late=is_late, remarks=remarks)


def _groups(
    label: str, opened: Opened, platform: str, roster: Roster, refused: list[str]
) -> list[_Group]:
    """A download's files by student. What is nobody's goes to `refused`, a line for each name."""
    every = [*opened.files, *opened.left_out, *opened.passed_by]
    groups: dict[tuple[str, str], _Group] = {}
    strange: list[str] = []
    said: set[str] = set()
    for path in dict.fromkeys(every):
        top, _, rest = path.partition("/")
        found = platforms.readings(platform, top)
        if not found:
            strange.append(path)
            continue
        member, problem = _meant(found, platform, roster)
        if member.problem:
            line = f"{label}, {shown(member.label)}: {member.problem}"
            refused += [line] * (line not in said)
            said.add(line)
            continue
        group = groups.setdefault((member.number, member.name), _Group(member))
        inside = rest or member.file
        if path in opened.files:
            group.files[inside] = opened.files[path]
        elif path in opened.passed_by:
            group.passed_by[inside] = opened.passed_by[path]
        else:
            problem = problem or f"{opened.left_out[path]}: {BY_HAND}"
        group.problem = group.problem or problem
    refused += _strange(label, strange, opened, platform, is_any=bool(groups or said))
    _require_one_name(groups.values())
    return list(groups.values())


def _strange(
    label: str, paths: Sequence[str], opened: Opened, platform: str, is_any: bool
) -> list[str]:
    """A line for each thing whose name the platform does not give, or one for all where there is
    nothing else.
    """
    if not is_any:
        return [
            f"{label}: it does not look like a download from {platform.title()}: type the command without `--from`"
        ]
    tops: dict[str, str] = {}
    for path in paths:
        why = opened.left_out.get(path) or opened.passed_by.get(path)
        tops.setdefault(path.partition("/")[0], why or "")
    unknown = f"its name is none that {platform.title()} gives, so it was not taken: {BY_HAND}"
    return [f"{label}, {shown(top)}: {why or unknown}" for top, why in tops.items()]


def _meant(found: Sequence[Member], platform: str, roster: Roster) -> tuple[Member, str | None]:
    """The reading that counts, and what is wrong with it."""
    if len(found) == 1:
        return found[0], None
    fitting = [
        one
        for one in found
        for person in roster.with_lms_id(one.number)
        if person.words and is_called(person, one.name)
    ]
    if platform != MOODLE and len(fitting) == 1:
        return fitting[0], None
    numbers = " as well as of ".join(dict.fromkeys(one.number for one in found))
    why = f"its name can be read as one of number {numbers}: give names by `--roster`, or {BY_HAND}"
    return found[-1] if platform == MOODLE else found[0], why


def _require_one_name(groups: Collection[_Group]) -> None:
    """A number that comes with two names is nobody's."""
    names: dict[str, set[str]] = defaultdict(set)
    for group in groups:
        names[group.member.number].add(group.member.name)
    for group in groups:
        if len(both := names[group.member.number]) > 1 and not group.problem:
            group.problem = f"number {group.member.number} comes with several names ({shown(', '.join(sorted(both)))}): {BY_HAND}"


def _hides_names(members: Sequence[Member]) -> bool:
    """Whether Moodle wrote its word for a participant in place of every name, in a language that we
    know, or the same one for several numbers.
    """
    names = {member.name for member in members}
    if len(names) != 1:
        return False
    return platforms.is_participant(min(names)) or len({one.number for one in members}) > 1


def _unwrapped(opened: Opened) -> Opened:
    """One student's files; without notebooks, those of the one zip file among them. Raises
    Unclear.
    """
    packed = [name for name in opened.files if name.lower().endswith(limits.ARCHIVE_SUFFIXES)]
    if not packed:
        return opened
    if len(packed) > 1:
        raise Unclear(
            f"it holds {len(packed)} zip files: unpack it. If they are of several people, give all of them, called "
            "STUDENT_ASSIGNMENT.zip, or any names with a CSV of the columns student and file by `--roster`; if all are of one student, "
            "give the one that counts"
        )
    inner = unpacking.unpacked(opened.files[packed[0]])
    beside = {name: data for name, data in opened.files.items() if name != packed[0]}
    return Opened(
        {**beside, **inner.files},
        passed_by={**opened.passed_by, **inner.passed_by},
    )


def _work(
    opened: Opened, expected: Collection[str]
) -> tuple[manifest.Manifest | None, dict[str, bytes], tuple[str, ...]]:
    """The manifest, the files as they are seen from the lab's folder, and a line for each that was
    not taken. Raises Unclear.
    """
    if not _notebooks(opened.files, expected):
        opened = _unwrapped(opened)
    files = opened.files
    if not _notebooks(files, expected):
        there = _listed([PurePosixPath(path).name for path in files]) if files else "nothing"
        raise Unclear(f"it holds no notebook, but {there}: ask for the right file")
    folder = notebook_names.lab_folder(files, expected)
    remarks = [f"{shown(path)} was left out: {why}" for path, why in opened.passed_by.items()]
    said, read = _manifest(files, folder)
    work: dict[str, bytes] = {}
    inside = f"{folder}/" if folder else ""
    for path in sorted(files, key=lambda path: (not path.startswith(inside), path)):
        seen = notebook_names.seen_from(folder, path)
        if seen in NOT_TAKEN or path == said:
            if path != said:
                remarks.append(
                    f"{shown(path)} was left out: when and whose a submission is, is not read from it"
                )
        elif seen in work:
            remarks.append(f"{shown(path)} was left out: another file lies in its place")
        else:
            work[seen] = files[path]
    folders = {str(parent) for path in work for parent in PurePosixPath(path).parents}
    for path in folders & work.keys():
        del work[path]
        remarks.append(f"{shown(path)} was left out: a folder has the same name")
    return read, work, tuple(remarks)


def _notebooks(files: Mapping[str, bytes], expected: Collection[str]) -> list[str]:
    """The files that are notebooks by their names, or by these and how they begin."""
    found = {path: own for path in files if (own := notebook_names.named(path, expected))}
    return [
        path
        for path, own in found.items()
        if own.distance < notebook_names.BEHIND or notebook_names.begins_as_notebook(files[path])
    ]


def _manifest(
    files: Mapping[str, bytes], folder: str
) -> tuple[str | None, manifest.Manifest | None]:
    """Where the manifest lies, and what it says: in the lab's folder, or above it, and if there is
    none, anywhere that a sound one is. Raises Unclear where there are two, or it is damaged.
    """
    above = {"", *(str(one) for one in PurePosixPath(folder).parents), folder}
    every = [path for path in files if PurePosixPath(path).name == manifest.FILE]
    said = [path for path in every if path.rpartition("/")[0] in above]
    said = said or [path for path in every if _is_sound(files[path])]
    if len(said) > 1:
        raise Unclear(f"it holds more than one {manifest.FILE}: pack one lab with `course submit`")
    try:
        return (said[0], manifest.read(files[said[0]])) if said else (None, None)
    except manifest.BadManifest as problem:
        raise Unclear(
            f"{problem}: pack it again with `course submit`, or take the file out"
        ) from None


def _is_sound(data: bytes) -> bool:
    try:
        return manifest.read(data) is not None
    except manifest.BadManifest:
        return False


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(map(shown, sorted(names)[:MOST_NAMED])) + more
