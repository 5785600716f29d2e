"""Whose archive is it, and is it of this assignment? Pure decisions, without a file: an answer, or
a refusal that says what to type.

The evidence, strongest first:
1. The instructor's own word: `--as`, or the `file` column of a roster.
2. The learning platform's number in its bulk download, held against the roster's `lms_user_id` and
   the name beside it. In Moodle the number may be a team's, and only the name says so: without a
   name on the roster, the student's id or e-mail address must be a word of it; Moodle's own word
   in place of a name is taken.
3. The file's name, `STUDENT_ASSIGNMENT.zip`, cut at the known assignment; or `STUDENT.zip`.
4. The manifest in the archive, which its student wrote: whom it names, and who was logged in. It
   alone never takes the place of a submission that is there (`Owner.is_own_word`).
What contradicts is refused: 2 or 3 and 4, whom the manifest names and a login of another student.
So is a name that is not on the roster. A class whose gradebook is empty has no roster: there, 3
does, for a name that is one word or stands before `_ASSIGNMENT`, and that every system can hold; 4
alone does not, because nothing tells a forged one.
Names are compared in Unicode's composed form (NFC), whatever the system that wrote them.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import KW_ONLY, dataclass, replace

from nbjudge import typed
from nbjudge.course import platforms, portable_names
from nbjudge.course.manifest import Manifest
from nbjudge.course.roster import Person, Roster, folded, problem_of, words
from nbjudge.grading.intake.untrusted import shown


class Unclear(ValueError):
    """The archive cannot be taken as it is. The text says why, and what to do."""


@dataclass(frozen=True)
class Claim:
    """What is known of one archive. `label` is how messages call it, `stem` the file's name without
    `.zip`.

    `lms_id` and `lms_name` come from a bulk download of `platform`; `stem` then counts for nothing,
    because its student chose it. `is_blind` is true where the platform hides the names.
    """

    label: str
    stem: str
    _: KW_ONLY
    manifest: Manifest | None = None
    lms_id: str | None = None
    lms_name: str = ""
    platform: str | None = None
    is_blind: bool = False


@dataclass(frozen=True)
class Owner:
    """Whose an archive is. `is_own_word` where only the manifest says it, which its student wrote."""

    student: str
    is_own_word: bool = False


class NotOnRoster(Unclear):
    """A name that may be a student's who is not enrolled."""

    def __init__(self, name: str):
        super().__init__(
            f"{name!r} is not on the roster: type `course roster FILE.csv`, which enrols all that are in it, or add `--as STUDENT=FILE`"
        )
        self.name = name


def whose(
    claim: Claim, roster: Roster, course_id: str, assignment: str, told: str | None = None
) -> str:
    """The student's id. Raises Unclear."""
    return owner(claim, roster, course_id, assignment, told).student


def owner(
    claim: Claim, roster: Roster, course_id: str, assignment: str, told: str | None = None
) -> Owner:
    """The student, and what says so. Raises Unclear."""
    claim = _composed(claim)
    told = composed(told)
    _require_ours(claim, roster, course_id, assignment, is_told=told is not None)
    if told is not None:
        found = Owner(told)
    elif claim.lms_id is not None:
        found = Owner(_by_platform(claim, roster))
    else:
        found = _by_name(claim, roster, assignment)
    _require_known(found.student, roster, is_told=told is not None)
    return found


def composed(name: str | None) -> str | None:
    """A name in Unicode's composed form."""
    return name and unicodedata.normalize("NFC", name)


def _composed(claim: Claim) -> Claim:
    said = claim.manifest
    if said:
        said = replace(said, student=composed(said.student), login=composed(said.login))
    return replace(claim, stem=composed(claim.stem) or "", manifest=said)


def _require_known(name: str, roster: Roster, is_told: bool) -> None:
    """Raises Unclear for what is no name, is not on the roster, or is too like one that is."""
    if problem := problem_of(name):
        raise Unclear(
            f"{shown(name)!r} cannot be a student's name, it {problem}: add `--as STUDENT`"
        )
    if not is_told and roster.people and name not in roster.people:
        if (twin := roster.twin(name)) in roster.people:
            raise Unclear(f"{name!r} is not on the roster, but {twin!r} is: add `--as {twin}`")
        raise NotOnRoster(name)
    is_new = not is_told and name not in roster.people
    if is_new and (problem := portable_names.problem_of([name])):
        raise Unclear(f"{problem}: add `--as STUDENT=FILE` if it is a student's name all the same")
    if twin := roster.twin(name):
        raise Unclear(
            f"{name!r} would stand beside {twin!r}, and some systems take them for one: add `--as {twin}`, or rename the file"
        )


def _require_ours(
    claim: Claim, roster: Roster, course_id: str, assignment: str, is_told: bool
) -> None:
    """Archives of other assignments and other courses are refused, whoever says whose they are."""
    manifest = claim.manifest
    if manifest and manifest.course and manifest.course != course_id:
        raise Unclear(
            f"it was packed for the course {shown(manifest.course)!r}, and this one is {course_id!r}"
        )
    if manifest and manifest.assignment != assignment:
        other = shown(manifest.assignment)
        raise Unclear(
            f"it was packed as {other!r}, not as {assignment}: type `{typed.command('collect', other, '--zip', 'FILE')}` for it"
        )
    if claim.lms_id is None and not is_told and manifest is None:
        _require_named(claim, roster, assignment)


def _require_named(claim: Claim, roster: Roster, assignment: str) -> None:
    """Raises Unclear where the file's name says another assignment."""
    ends = [name for name in {*roster.assignments, assignment} if claim.stem.endswith(f"_{name}")]
    if ends and (other := max(ends, key=len)) != assignment:
        raise Unclear(
            f"by its name it is of {other}: type `{typed.command('collect', other, '--zip', 'FILE')}` for it, or add `--as STUDENT`"
        )


def _by_platform(claim: Claim, roster: Roster) -> str:
    person = _with_number(claim, roster, f"{shown(claim.lms_name)!r}, number {claim.lms_id}")
    named = claim.manifest.student if claim.manifest else None
    if named and named != person.id and named in roster.people:
        raise Unclear(
            f"it was handed in by {person.id}, and its manifest names {named}: add `--as {person.id}` to take it all the same"
        )
    return person.id


def _with_number(claim: Claim, roster: Roster, who: str) -> Person:
    """Whom the roster gives the platform's number, if the platform's name is that person's too."""
    found = roster.with_lms_id(claim.lms_id or "")
    if not found:
        raise Unclear(
            f"nobody's lms_user_id is that of {who}: give a CSV with columns student,lms_user_id by `--roster`"
        )
    if len(found) > 1:
        raise Unclear(
            f"{' and '.join(sorted(person.id for person in found))} have the lms_user_id of {who}: correct the roster"
        )
    person = found[0]
    is_named = bool(claim.lms_name) and not claim.is_blind
    if is_named and person.words and not is_called(person, claim.lms_name):
        raise Unclear(
            f"the roster calls number {claim.lms_id} {person.first_name} {person.last_name}, and "
            f"here it is {who}, which may be a team or another class: {platforms.BY_HAND}, or correct "
            "the roster"
        )
    is_known = bool(person.words) or _has_id_in(person, claim.lms_name)
    if is_named and not is_known and claim.platform == platforms.MOODLE:
        raise Unclear(
            f"the roster has no name for {person.id}, so {who} may be a team whose number is the "
            "same: give names as well by `--roster` (Moodle's grading worksheet has them), or "
            f"{platforms.BY_HAND}"
        )
    return person


def is_called(person: Person, name: str) -> bool:
    """Moodle writes `Ada Lovelace`, Canvas `lovelaceada`."""
    first = person.first_name
    last = person.last_name
    return words(name) == person.words or _squeezed(name) in {
        _squeezed(first + last),
        _squeezed(last + first),
    }


def _has_id_in(person: Person, name: str) -> bool:
    """Whether a name that is no team's has the person's id or e-mail address in it: the roster has
    nothing better.
    """
    own = words(name)
    ids = {folded(person.id), folded(person.email).partition("@")[0]} - {""}
    return own.isdisjoint(platforms.TEAM) and bool(own & ids or _squeezed(name) in ids)


def _squeezed(name: str) -> str:
    return "".join(char for char in folded(name) if char.isalnum())


def _by_name(claim: Claim, roster: Roster, assignment: str) -> Owner:
    manifest = claim.manifest
    suffix = f"_{assignment}"
    named = manifest.student if manifest else None
    by_file = _by_file(claim.stem, suffix, roster, named)
    if by_file is None and named is None:
        raise Unclear(
            f"neither its name nor a manifest says whose it is: name it STUDENT{suffix}.zip, or add `--as STUDENT`"
        )
    if by_file is not None and named is not None and by_file != named:
        raise Unclear(
            f"its name says {shown(by_file)}, its manifest {shown(named)}: add `--as STUDENT`"
        )
    student = by_file or named or ""
    if by_file is None and not roster.people:
        raise Unclear(
            f"only its own manifest, which anybody can write, says that it is of {shown(student)}, and nobody is enrolled yet: name it "
            f"{shown(student)}{suffix}.zip or add `--as {shown(student)}=FILE` if that is right, or enrol the class by `course roster FILE.csv`"
        )
    if manifest:
        _require_login(manifest.login, student, roster, "name" if by_file else "manifest")
    return Owner(student, is_own_word=by_file is None)


def _require_login(login: str | None, student: str, roster: Roster, said_by: str) -> None:
    """Raises Unclear where another student was logged in than the file's name or manifest says."""
    others = {person for person in roster.people if login and folded(person) == folded(login)}
    if others and folded(login or "") != folded(student):
        raise Unclear(
            f"its {said_by} says {shown(student)}, and {shown(login or '')} was logged in when it was packed: ask both, then add `--as STUDENT`"
        )


def _by_file(stem: str, suffix: str, roster: Roster, named: str | None) -> str | None:
    """Whom the name of an archive names, None for nobody. Raises Unclear."""
    if not stem.endswith(suffix):
        if stem in roster.people:
            return stem
        if named is not None or not stem or "_" in stem:
            return None
        if not roster.people:
            _require_one_word(stem, suffix)
        return stem
    student = stem.removesuffix(suffix)
    if stem in roster.people and student in roster.people:
        raise Unclear(f"it may be {student}'s or {stem}'s: add `--as STUDENT`")
    if not student:
        raise Unclear("its name names nobody: add `--as STUDENT`")
    return student


def _require_one_word(stem: str, suffix: str) -> None:
    """Raises Unclear for a name that is hardly a student's, where no roster says whose it is."""
    if problem_of(stem) is None and (
        re.search(r"\s", stem) or folded(suffix.removeprefix("_")) in folded(stem)
    ):
        raise Unclear(
            f"nobody is enrolled yet, and {shown(stem)!r} would become a student: enrol the class "
            f"by `course roster FILE.csv`, name it STUDENT{suffix}.zip, or add `--as STUDENT`"
        )
