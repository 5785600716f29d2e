"""Grade one submission: bytes in, a result out. Runs in a worker thread here, or on another
machine; touches no course folder.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from functools import partial

from autograder import boxes, render, wire
from autograder.contract import Answer
from autograder.grading import beside, environment, faults, plain, renamed, rubric, sanitize
from autograder.grading.checker import CheckFault, judge
from autograder.grading.faults import Fault, Moment, Place, Ruling, Way
from autograder.grading.intake import Submission
from autograder.grading.progress import Cases
from autograder.grading.rebuild import EXTRA, NotRebuildable, rebuild
from autograder.grading.references import Prepared
from autograder.grading.results import (
    GRADED,
    MANUAL,
    UNGRADABLE,
    UNGRADED,
    CellResult,
    NotebookResult,
    SubmissionResult,
)
from autograder.grading.runner import Budget, CellRun, NotebookRun, TooLong, run_notebook
from autograder.grading.sandboxes import PARSER, Sandboxes, Start, imports, once
from autograder.grading.skeletons import (
    Notebook,
    are_worth_the_same,
    nbgrader_metadata,
    same_cells,
)
from autograder.grading.untouched import Untouched, sources
from autograder.verdict import Verdict

# Outcomes that a broken environment can bring about as well as a broken function.
FAILURES = frozenset({"raised", "killed", "wrong_type"})


@dataclass(frozen=True)
class Task:
    """What a worker needs to grade one submission.

    `skeletons` maps a version to its notebooks, `tests` to its plain test cells by notebook and
    grade_id, `rubrics` to what helps to mark an answer by hand, in the same way; `current` names
    the newest.

    `files` are published beside plain notebooks; those that are `changeable` give way to what a
    student handed in.

    `before` is an earlier result, whose notebooks are done; `turn` is 2 for one whose time was over
    in its first turn. `stored` are answers that were kept, by exercise: their notebooks are in
    `before`, and only their verdicts are made anew. The answers to all other exercises are put into
    `answers`, if there is one. `at` holds the notebook that is being graded, for whoever looks on.
    """

    submission: Submission
    skeletons: Mapping[str, Mapping[str, Notebook]]
    tests: Mapping[str, Mapping[str, Mapping[str, str]]]
    rubrics: Mapping[str, Mapping[str, Mapping[str, str]]]
    current: str
    exercises: Mapping[str, Prepared]
    files: Mapping[str, bytes]
    budget: Budget | None = None
    changeable: tuple[str, ...] = ()
    before: SubmissionResult | None = None
    turn: int = 1
    stored: Mapping[str, Mapping[str, Answer]] = field(default_factory=dict)
    answers: dict[str, Mapping[str, Answer]] | None = None
    at: list[str] = field(default_factory=list)

    @property
    def given(self) -> dict[str, bytes]:
        """The published files that this submission finds as they were published."""
        own = set(self.changeable) & self.submission.files.keys()
        return {name: data for name, data in self.files.items() if name not in own}


class OutOfTime(Exception):
    """The submission's seconds were over before the notebook's run was: it is run again in the
    submission's next turn.
    """


class Unreadable(ValueError):
    """The submitted bytes are not a notebook. The text is for the student."""


def grade(task: Task) -> SubmissionResult:
    """Grade every notebook of a submission; one that cannot be graded does not keep the others from
    it.
    """
    began = time.monotonic()
    environment.remember()
    skeleton = task.skeletons[task.current]
    submission = task.submission
    result = task.before or SubmissionResult(
        submission.student,
        sum(map(max_score, skeleton.values())),
        timestamp=submission.timestamp,
        secret=submission.secret,
    )
    if task.turn == 1:
        result.tampered += submission.remarks
    result.spent, result.waiting = 0.0, []
    with Sandboxes() as sandboxes:
        for name in skeleton:
            if name not in result.notebooks or any(
                task.exercises[each].notebook == name for each in task.stored
            ):
                task.at[:] = [name]
                _try_notebook(task, name, result, sandboxes)
    if result.waiting:
        result.seconds += time.monotonic() - began
        return result
    if result.failures and environment.changed():
        why = faults.reason(
            Place.COORDINATOR,
            Way.EXCEPTION,
            Moment.CHANGED,
            "A package or a library is not what it was",
        )
        for name in skeleton:
            _without_marks(result, skeleton[name], name, UNGRADED, why)
        result.documents.clear()
    result.needs_manual = any(cell.status == MANUAL for cell in result.cells.values())
    result.seconds += time.monotonic() - began
    return result


def _try_notebook(task: Task, name: str, result: SubmissionResult, sandboxes: Sandboxes) -> None:
    skeleton = task.skeletons[task.current][name]
    tampered, remarks = list(result.tampered), list(result.remarks)
    try:
        (_grade_notebook if name not in result.notebooks else _judge_again)(
            task, name, result, sandboxes
        )
    except OutOfTime:  # all of it is said again
        result.tampered, result.remarks = tampered, remarks
        result.waiting.append(name)
    except (Unreadable, NotRebuildable, TooLong, renamed.NotHandedIn) as error:
        _without_marks(result, skeleton, name, UNGRADABLE, str(error))
    except (CheckFault, Fault) as error:
        _without_marks(result, skeleton, name, UNGRADED, str(error))
    except Exception as error:
        # The machine's, or a bug of ours: it must not look like a mark, nor stop the class.
        why = faults.reason(
            Place.COORDINATOR, Way.EXCEPTION, Moment.GRADING, f"{type(error).__name__}: {error}"
        )
        _without_marks(result, skeleton, name, UNGRADED, why)


def _run(
    task: Task,
    name: str,
    notebook: Notebook,
    cases: Cases,
    files: Mapping[str, bytes],
    result: SubmissionResult,
    start: Start,
) -> NotebookRun:
    """Run a notebook in what is left of the submission's time. Raises OutOfTime in its first turn,
    Unreadable in its second.
    """
    budget = task.budget or Budget()
    left = budget.submission - result.spent
    if left <= 1:
        raise (
            OutOfTime
            if task.turn == 1
            else Unreadable("the submission's time was over before this notebook's turn")
        )
    own = replace(budget, notebook=min(budget.notebook, left))
    run = run_notebook(
        notebook, cases, own, files, start, imports(task.skeletons[task.current][name])
    )
    result.spent += run.seconds
    if left < budget.notebook and run.seconds > left - 2 and task.turn == 1:
        raise OutOfTime
    return run


def read_notebook(data: wire.Blob, start: Start | None = None) -> tuple[list[dict], str | None]:
    """The cells of a submitted notebook and the version that it claims, parsed in a box. Raises
    Unreadable, and Fault when it is ours.
    """
    is_repeated = False
    while True:
        ended = _parse(data, start or once(PARSER))
        for frame in ended.frames:
            if frame.kind == "refused":
                raise Unreadable(str(frame.header.get("reason"))[:500])
            if frame.kind == "notebook":
                return _checked_cells(frame.blobs.get("notebook.json", b""))
        if (
            faults.settle(
                Place.PARSER, Way(ended.ended), Moment.LOOKING, "", is_repeated, _parser_control
            )
            is not Ruling.REPEAT
        ):
            raise Unreadable(f"the notebook could not be read within the limits ({ended.ended})")
        is_repeated = True


def _parse(data: wire.Blob, start: Start) -> boxes.BoxRun:
    try:
        return start(
            lambda: wire.pieces("notebook", {"notebook.ipynb": data}), boxes.limits_for_notebook()
        )
    except boxes.SandboxUnavailable as error:
        raise faults.before_start(Place.PARSER, Moment.LOOKING, error) from None


def _parser_control() -> str:
    """What is wrong with the box that reads notebooks: nothing, if it reads an empty one."""
    try:
        ended = _parse(b'{"nbformat": 4, "cells": [], "metadata": {}}', once(PARSER))
    except Fault as fault:
        return str(fault)
    return (
        ""
        if any(frame.kind == "notebook" for frame in ended.frames)
        else f"it ended as: {ended.ended}"
    )


def _checked_cells(data: bytes) -> tuple[list[dict], str | None]:
    try:
        notebook = wire.safe_json(data)
    except wire.WireError as error:
        raise Unreadable(str(error)) from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise Unreadable("the notebook has no cells")
    for cell in cells:
        if not (
            isinstance(cell, dict)
            and isinstance(cell.get("source"), str)
            and isinstance(cell.get("cell_type"), str)
        ):
            raise Unreadable("a cell of the notebook has no source")
        meta = cell.get("nbgrader")
        if meta is not None and not (
            isinstance(meta, dict) and isinstance(meta.get("grade_id"), str)
        ):
            cell["nbgrader"] = None
    version = notebook.get("version")
    return cells, version if isinstance(version, str) else None


def _grade_notebook(task: Task, name: str, result: SubmissionResult, sandboxes: Sandboxes) -> None:
    submission = task.submission
    if reason := submission.refused.get(name) or submission.refused.get("*"):
        raise Unreadable(f"{name}.ipynb {reason}" if name in submission.refused else reason)
    read = partial(read_notebook, start=sandboxes.parse)
    file = (
        name
        if name in submission.notebooks
        else renamed.find(name, task.skeletons[task.current], submission, read)
    )
    cells, version = read(submission.notebooks[file])
    version = _fitting(task, name, version)
    skeleton = task.skeletons[version][name]
    rebuilt = rebuild(skeleton, cells)
    result.tampered += [f"{name}: {remark}" for remark in rebuilt.tampered]
    result.remarks += [f"{name}: {remark}" for remark in rebuilt.remarks]

    exercises = {
        key: prepared for key, prepared in task.exercises.items() if prepared.notebook == name
    }
    cases = {key: prepared.cases for key, prepared in exercises.items()}
    files = {} if cases else {**submission.files, **task.given}
    newest = task.skeletons[task.current][name]
    same = same_cells(skeleton, newest)
    corrected = same - {prepared.grade_id for prepared in exercises.values()}
    notebook = plain.with_tests(rebuilt.notebook, plain.sources(newest, corrected))
    whole = plain.with_tests(
        notebook, _of_today(task.tests, version, task.current, name, corrected)
    )
    known = _as_released(exercises, whole) if version == task.current else None
    run = known.run if known else _run(task, name, whole, cases, files, result, sandboxes.run)
    run.cells = plain.concealed(run.cells, notebook["cells"], whole["cells"])
    verdicts = _by_cell(task, known.verdicts) if known else _verdicts(task, run.answers, sandboxes)
    if task.answers is not None:
        task.answers.update(run.answers)
    result.failures += sum(cell.status in ("error", "died") for cell in run.cells.values())
    result.failures += sum(
        answer.outcome in FAILURES
        for answers in run.answers.values()
        for answer in answers.values()
    )
    _record_cells(result, name, skeleton, notebook, run, verdicts)
    found = f"handed in as {renamed.shown(file)}, and known by its cells" if file != name else None
    remarks = filter(None, (found, run.reason or _trouble(notebook, run)))
    result.notebooks[name] = NotebookResult(GRADED, "; ".join(remarks) or None)
    result.documents[name] = rubric.beside_answers(
        notebook, _of_today(task.rubrics, version, task.current, name, same)
    )
    if not cases:
        # What ran beside hidden tests may have written them into its files, which go to the student
        # with the feedback.
        wrote = {} if plain.hides(notebook, whole) else run.files
        handed_in = {
            path: data for path, data in submission.files.items() if path not in task.given
        }
        dropped = beside.keep(result.files, name, {**handed_in, **wrote})
        result.remarks += [
            f"{name}: {path} is not kept beside the notebook, it is too large"
            for path in dropped[:10]
        ]


def _fitting(task: Task, name: str, claimed: str | None) -> str:
    """The version that a notebook claims, if its graded cells are those of today: the gradebook
    holds no others, and whoever has an older notebook may have had more points in it.
    """
    then = task.skeletons.get(claimed or "", {}).get(name)
    today = task.skeletons[task.current][name]
    return claimed if then and are_worth_the_same(then, today) else task.current


def _as_released(exercises: Mapping[str, Prepared], whole: Notebook) -> Untouched | None:
    """What is known of a notebook that runs the sources that were released; of one without
    exercises, nothing.
    """
    for prepared in exercises.values():
        known = Untouched.from_json(prepared.untouched) if prepared.untouched else None
        return known if known and known.sources == sources(whole) else None
    return None


def _by_cell(task: Task, verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
    return {task.exercises[exercise].grade_id: verdict for exercise, verdict in verdicts.items()}


def _verdicts(
    task: Task, answers: Mapping[str, Mapping[str, Answer]], sandboxes: Sandboxes
) -> dict[str, Verdict]:
    """By grade_id, the verdicts on answers by exercise."""
    judging = [f"judge:{key}" for key in task.exercises]
    asked = {key: task.exercises[key] for key in answers}
    return {
        prepared.grade_id: judge(
            key, prepared.cases, answers[key], prepared.references, sandboxes.check, judging
        )
        for key, prepared in asked.items()
    }


def _judge_again(task: Task, name: str, result: SubmissionResult, sandboxes: Sandboxes) -> None:
    """Give the stored answers of a notebook the verdicts of today."""
    stored = {
        key: answers for key, answers in task.stored.items() if task.exercises[key].notebook == name
    }
    verdicts = _verdicts(task, stored, sandboxes)
    for cell in result.documents[name]["cells"]:
        meta = nbgrader_metadata(cell)
        if (
            meta
            and meta["grade"]
            and not meta["solution"]
            and (verdict := verdicts.get(meta["grade_id"]))
        ):
            marked = result.cells[f"{name}/{meta['grade_id']}"] = _from_verdict(
                verdict, float(meta["points"])
            )
            cell["outputs"] = _verdict_outputs(render.text(verdict) + "\n", marked.score)


def _of_today(
    stored: Mapping[str, Mapping[str, Mapping[str, str]]],
    version: str,
    current: str,
    name: str,
    same: Set[str],
) -> dict[str, str]:
    """By grade_id, what goes with the version that the student fetched; for cells that are worth
    the `same` today, the newest.
    """
    corrected = {
        grade_id: text
        for grade_id, text in stored[current].get(name, {}).items()
        if grade_id in same
    }
    return {
        **{
            grade_id: text
            for grade_id, text in stored[version].get(name, {}).items()
            if grade_id not in same
        },
        **corrected,
    }


def _record_cells(
    result: SubmissionResult,
    name: str,
    skeleton: Notebook,
    notebook: Notebook,
    run: NotebookRun,
    verdicts: Mapping[str, Verdict],
) -> None:
    given = {
        meta["grade_id"]: cell["source"]
        for cell in skeleton["cells"]
        if (meta := nbgrader_metadata(cell))
    }
    for index, cell in enumerate(notebook["cells"]):
        ran = run.cells.get(index, CellRun("not_run"))
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = list(ran.outputs), ran.execution_count
        meta = nbgrader_metadata(cell)
        is_untouched = bool(meta) and cell["source"] == given[meta["grade_id"]]
        if not is_untouched and (
            meta["solution"] or meta.get("task") if meta else cell["id"].startswith(EXTRA)
        ):
            cell["source"] = sanitize.source(cell)
        if not meta or not (meta["grade"] or meta.get("task")):
            continue
        key, points = f"{name}/{meta['grade_id']}", float(meta["points"])
        if meta["solution"] or meta.get("task"):
            is_zero = is_untouched and not meta.get("task")
            result.cells[key] = (
                CellResult(GRADED, 0.0, points) if is_zero else CellResult(MANUAL, None, points)
            )
        elif verdict := verdicts.get(meta["grade_id"]):
            result.cells[key] = _from_verdict(verdict, points)
            cell["outputs"] = _verdict_outputs(render.text(verdict) + "\n", result.cells[key].score)
        elif cell["cell_type"] == "code":
            result.cells[key] = plain.grade_cell(ran, points)
            cell["outputs"] = plain.record_outputs(ran, result.cells[key].score)
        else:
            result.cells[key] = CellResult(MANUAL, None, points)


def _from_verdict(verdict: Verdict, points: float) -> CellResult:
    """The verdict's share of the points that the gradebook gives the cell."""
    share = verdict.score / verdict.max_score if verdict.max_score else 0.0
    broken = verdict.broken
    texts = (
        {
            key: getattr(broken, key)
            for key in ("case", "expected", "found", "cause", "read", "misconception")
        }
        if broken
        else {}
    )
    return CellResult(
        GRADED,
        round(min(max(share, 0.0), 1.0) * points, 4),
        points,
        rung=broken.name if broken else None,
        **texts,
    )


def _verdict_outputs(text: str, score: float) -> list[dict]:
    """What nbgrader reads a mark from: the explanation on stdout, then exactly one result, a float
    between 0 and the cell's points.
    """
    return [
        {"output_type": "stream", "name": "stdout", "text": text},
        {
            "output_type": "execute_result",
            "data": {"text/plain": repr(float(score))},
            "metadata": {},
            "execution_count": None,
        },
    ]


def _trouble(notebook: Notebook, run: NotebookRun) -> str | None:
    """The first of the student's cells that did not run through: what the ladder alone would call a
    missing function.
    """
    for index, cell in enumerate(notebook["cells"]):
        ran, meta = run.cells.get(index), nbgrader_metadata(cell)
        if ran is None or ran.status == "ok" or (meta and not meta["solution"]):
            continue
        name = meta["grade_id"] if meta else "a cell of the student's own"
        error = next(
            (output["ename"] for output in ran.outputs if output["output_type"] == "error"),
            "an error",
        )
        if ran.status == "error" and error == "SystemExit":
            return f"{name}: the cell called exit() or quit(), which ended it there"
        ends = {
            "timeout": "was stopped: its time was over",
            "died": "ended its kernel",
            "not_run": "did not run to its end",
        }
        return f"{name}: the cell {ends.get(ran.status, f'raised {_inert(error)}')}"
    return None


def _inert(name: str) -> str:
    """The name of an exception, which a student chose."""
    return name if name.isidentifier() and len(name) <= 60 else "an exception"


def _without_marks(
    result: SubmissionResult, skeleton: Notebook, name: str, status: str, reason: str
) -> None:
    """A notebook that earned nothing (`ungradable`: 0, and the reason in its cells) or was not
    graded (`ungraded`: no document at all).
    """
    result.notebooks[name] = NotebookResult(status, reason)
    document = {**skeleton, "cells": [dict(cell) for cell in skeleton["cells"]]}
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
        meta = nbgrader_metadata(cell)
        if not meta or not (meta["grade"] or meta.get("task")):
            continue
        points = float(meta["points"])
        score = 0.0 if status == UNGRADABLE else None
        result.cells[f"{name}/{meta['grade_id']}"] = CellResult(
            GRADED if status == UNGRADABLE else UNGRADED, score, points
        )
        if cell["cell_type"] == "code" and not meta["solution"]:
            cell["outputs"] = _verdict_outputs(
                f"This notebook could not be graded: {reason}\n", 0.0
            )
    if status == UNGRADABLE:
        result.documents[name] = document


def max_score(skeleton: Notebook) -> float:
    """What a notebook's graded cells are worth together."""
    metas = filter(None, map(nbgrader_metadata, skeleton["cells"]))
    return sum(float(meta["points"]) for meta in metas if meta["grade"] or meta.get("task"))
