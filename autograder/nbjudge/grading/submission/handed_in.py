"""A notebook as it was handed in, made into what is run and recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from nbjudge.grading.document.cells import Notebook
from nbjudge.grading.marks import plain_tests
from nbjudge.grading.marks.results import SubmissionResult
from nbjudge.grading.notebook import renamed
from nbjudge.grading.notebook.parser import Unreadable
from nbjudge.grading.notebook.rebuild import rebuild, with_note
from nbjudge.grading.published.skeletons import are_worth_the_same, own_version, same_cells
from nbjudge.grading.reference.references import Prepared
from nbjudge.grading.submission.task import Task


@dataclass(frozen=True, kw_only=True)
class HandedIn:
    """A notebook of a submission, rebuilt from the version that the student fetched.

    `whole` is what is run: with the hidden tests, and in the cells of `same`, which are worth
    today what they were worth then, with today's. `file` is the name that it was handed in under,
    `answers` says of answer cells that were not as given how they were read.
    """

    file: str
    version: str
    skeleton: Notebook
    notebook: Notebook
    whole: Notebook
    same: Set[str]
    exercises: Mapping[str, Prepared]
    answers: Sequence[str] = ()


def rebuilt(
    task: Task, name: str, result: SubmissionResult, candidates: renamed.Candidates
) -> HandedIn:
    """Raises Unreadable, NotRebuildable, renamed.NotHandedIn, and Fault when it is ours."""
    file = _file_of(task, name, candidates)
    cells, claimed = candidates.read(task.submission.notebooks[file])
    fetched = _holding(task, name, claimed)
    version = _fitting(task, name, fetched)
    if fetched not in (None, version):
        result.remarks.append(
            f"{name}: the student fetched version {claimed}, whose graded cells are worth other points than today's, "
            f"so today's version {own_version(task.skeleton[name])} was graded"
        )
    skeleton = task.skeletons[version][name]
    newest = task.skeleton[name]
    joined = rebuild(skeleton, cells)
    result.tampered += [f"{name}: {remark}" for remark in joined.tampered]
    result.remarks += [f"{name}: {remark}" for remark in joined.remarks]

    exercises = {key: one for key, one in task.exercises.items() if one.notebook == name}
    same = same_cells(skeleton, newest)
    corrected = same - {one.grade_id for one in exercises.values()}
    notebook = plain_tests.with_tests(with_note(joined), plain_tests.sources(newest, corrected))
    tests = of_today(task, task.tests, version, name, corrected)
    whole = plain_tests.with_tests(notebook, tests)
    return HandedIn(
        file=file,
        version=version,
        skeleton=skeleton,
        notebook=notebook,
        whole=whole,
        same=same,
        exercises=exercises,
        answers=joined.answers,
    )


def _file_of(task: Task, name: str, candidates: renamed.Candidates) -> str:
    """The name that a notebook was handed in under. Raises Unreadable, renamed.NotHandedIn."""
    refused = task.submission.refused
    if reason := refused.get(name) or refused.get("*"):
        raise Unreadable(f"{name}.ipynb {reason}" if name in refused else reason)
    if name in task.submission.notebooks:
        return name
    return renamed.find(name, candidates)


def _holding(task: Task, name: str, claimed: str | None) -> str | None:
    """Return the published version of the assignment with the notebook that is claimed: today's, if
    the notebook is still that one; None where none was published.
    """
    for version in (task.current, *task.skeletons):
        notebook = task.skeletons[version].get(name)
        if claimed and notebook and own_version(notebook) == claimed:
            return version
    return None


def _fitting(task: Task, name: str, fetched: str | None) -> str:
    """Return the version that the student fetched, if its graded cells are those of today, and
    otherwise today's: the gradebook holds no others, and whoever has an older notebook may have had
    more points in it.
    """
    if fetched is None:
        return task.current
    then = task.skeletons[fetched][name]
    return fetched if are_worth_the_same(then, task.skeleton[name]) else task.current


def of_today(
    task: Task,
    stored: Mapping[str, Mapping[str, Mapping[str, str]]],
    version: str,
    name: str,
    same: Set[str],
) -> dict[str, str]:
    """By grade_id, what goes with the version that the student fetched; for cells that are worth
    the `same` today, the newest.
    """
    then = stored[version].get(name, {})
    today = stored[task.current].get(name, {})
    return {
        **{grade_id: text for grade_id, text in then.items() if grade_id not in same},
        **{grade_id: text for grade_id, text in today.items() if grade_id in same},
    }
