"""Whose archive is it, and is it of this assignment? Pure decisions, without a file: an answer, or
a refusal that says what to type.

The evidence, strongest first:
1. The instructor's own word: `--as`, or the `file` column of a roster.
2. The learning platform's number in its bulk download, held against the roster's `lms_user_id` and
   the name beside it.
3. The file's name, `STUDENT_ASSIGNMENT.zip`, cut at the known assignment; or `STUDENT.zip`.
4. The manifest in the archive, which its student wrote.
What contradicts is refused, and so is a name that is not on the roster. A class whose gradebook is
empty has no roster: there, 3 and 4 do.
"""

from __future__ import annotations

from dataclasses import dataclass

from autograder import typed
from autograder.course.manifest import Manifest
from autograder.course.roster import Person, Roster, folded, problem_of, words
from autograder.grading.untrusted import shown


class Unclear(ValueError):
    """The archive cannot be taken as it is. The text says why, and what to do."""


@dataclass(frozen=True)
class Claim:
    """What is known of one archive. `label` is how messages call it, `stem` the file's name without
    `.zip`.

    `lms_id` and `lms_name` come from a learning platform's bulk download; `stem` then counts for
    nothing, because its student chose it.
    """

    label: str
    stem: str
    manifest: Manifest | None = None
    lms_id: str | None = None
    lms_name: str = ""


def whose(
    claim: Claim, roster: Roster, course_id: str, assignment: str, told: str | None = None
) -> str:
    """The student's id. Raises Unclear."""
    _require_ours(claim, roster, course_id, assignment, is_told=told is not None)
    if told is not None:
        name = told
    elif claim.lms_id is not None:
        name = _by_platform(claim, roster)
    else:
        name = _by_name(claim, roster, assignment)
    _require_known(name, roster, is_told=told is not None)
    return name


def _require_known(name: str, roster: Roster, is_told: bool) -> None:
    """Raises Unclear for what is no name, is not on the roster, or is too like one that is."""
    if problem := problem_of(name):
        raise Unclear(
            f"{shown(name)!r} cannot be a student's name, it {problem}: add `--as STUDENT`"
        )
    if not is_told and roster.people and name not in roster.people:
        raise Unclear(
            f"{name!r} is not on the roster: add `--as {name}` if that is right, or `--as STUDENT`"
        )
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
    if person.words and claim.lms_name and not _is_called(person, claim.lms_name):
        raise Unclear(
            f"the roster calls number {claim.lms_id} {person.first_name} {person.last_name}, and here it is {who}: correct the roster"
        )
    return person


def _is_called(person: Person, name: str) -> bool:
    """Moodle writes `Ada Lovelace`, Canvas `lovelaceada`."""
    first, last = person.first_name, person.last_name
    return words(name) == person.words or _squeezed(name) in {
        _squeezed(first + last),
        _squeezed(last + first),
    }


def _squeezed(name: str) -> str:
    return "".join(char for char in folded(name) if char.isalnum())


def _by_name(claim: Claim, roster: Roster, assignment: str) -> str:
    manifest, suffix = claim.manifest, f"_{assignment}"
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
    if manifest and named is None:
        _require_login(manifest.login, by_file or "", roster)
    return by_file or named or ""


def _require_login(login: str | None, by_file: str, roster: Roster) -> None:
    """Raises Unclear where another student was logged in than the file's name says."""
    if login and login in roster.people and folded(login) != folded(by_file):
        raise Unclear(
            f"its name says {shown(by_file)}, and {login} was logged in when it was packed: add `--as STUDENT`"
        )


def _by_file(stem: str, suffix: str, roster: Roster, named: str | None) -> str | None:
    """Whom the name of an archive names, None for nobody. Raises Unclear."""
    if not stem.endswith(suffix):
        is_name = stem in roster.people or (named is None and stem and "_" not in stem)
        return stem if is_name else None
    student = stem.removesuffix(suffix)
    if stem in roster.people and student in roster.people:
        raise Unclear(f"it may be {student}'s or {stem}'s: add `--as STUDENT`")
    if not student:
        raise Unclear("its name names nobody: add `--as STUDENT`")
    return student
