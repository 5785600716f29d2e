"""Grade one submission: bytes in, a result out. Runs in a worker thread here, or on another
machine; touches no course folder.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from nbjudge.contract import Answer
from nbjudge.grading.config.budget import Allowance, OutOfTime
from nbjudge.grading.document import cell_names
from nbjudge.grading.document.cells import grade_id, is_test
from nbjudge.grading.execution.checker import CheckFault, judge
from nbjudge.grading.execution.runner import Budget, NotebookRun, TooLong, run_notebook
from nbjudge.grading.execution.sandboxes import Sandboxes, imports
from nbjudge.grading.faults import environment, remedies
from nbjudge.grading.faults.faults import Fault
from nbjudge.grading.faults.policy import Moment, Place, Way
from nbjudge.grading.intake import untrusted
from nbjudge.grading.marks import marking, pictures, plain_tests, views
from nbjudge.grading.marks.results import (
    GRADED,
    MANUAL,
    UNGRADABLE,
    UNGRADED,
    NotebookResult,
    SubmissionResult,
)
from nbjudge.grading.notebook import attachments, renamed
from nbjudge.grading.notebook.parser import Unreadable
from nbjudge.grading.notebook.rebuild import NotRebuildable
from nbjudge.grading.published import rubric
from nbjudge.grading.published.skeletons import max_score
from nbjudge.grading.reference.unmodified import Untouched, sources
from nbjudge.grading.submission.handed_in import HandedIn, of_today, rebuilt
from nbjudge.grading.submission.task import Task
from nbjudge.verdict import Verdict

# Outcomes that a broken environment can bring about as well as a broken function.
FAILURES = frozenset({"raised", "killed", "wrong_type"})


def grade(task: Task, begin: Callable[[str], object] = lambda _name: None) -> SubmissionResult:
    """Grade every notebook of a submission; one that cannot be graded does not keep the others from
    it. `begin` is called with each notebook's name before that notebook's turn.
    """
    began = time.monotonic()
    environment.remember()
    result = task.before or _empty(task)
    if task.turn == 1:
        result.tampered += task.submission.remarks
        result.remarks += task.submission.notes
    result.waiting = []
    allowance = Allowance((task.budget or Budget()).submission, task.turn)
    again = {task.exercises[each].notebook for each in task.stored}
    with Sandboxes() as sandboxes:
        published = [book for books in task.skeletons.values() for book in books.values()]
        held = pictures.Pictures.for_published(published)
        read = allowance.counting(held.read)
        candidates = renamed.Candidates(
            task.skeleton, task.submission.notebooks, read, beside=task.submission.files
        )
        for name in task.skeleton:
            if name not in result.notebooks or name in again:
                begin(name)
                _try_notebook(
                    task,
                    name,
                    result,
                    sandboxes=sandboxes,
                    candidates=candidates,
                    held=held,
                    allowance=allowance,
                )
    result.spent = allowance.used
    if not result.waiting:
        _conclude(task, result)
    result.seconds += time.monotonic() - began
    return result


def _empty(task: Task) -> SubmissionResult:
    submission = task.submission
    return SubmissionResult(
        submission.student,
        sum(map(max_score, task.skeleton.values())),
        timestamp=submission.timestamp,
        secret=submission.secret,
    )


def _conclude(task: Task, result: SubmissionResult) -> None:
    if result.failures and (change := environment.changed()):
        why = remedies.of_a_change(change)
        for name, skeleton in task.skeleton.items():
            marking.without_marks(result, skeleton, name, UNGRADED, why)
        result.documents.clear()
    result.needs_manual = any(cell.status == MANUAL for cell in result.cells.values())


def _try_notebook(
    task: Task,
    name: str,
    result: SubmissionResult,
    *,
    sandboxes: Sandboxes,
    candidates: renamed.Candidates,
    held: pictures.Pictures,
    allowance: Allowance,
) -> None:
    tampered = list(result.tampered)
    remarks = list(result.remarks)
    try:
        if name in result.notebooks:
            allowance.wait_if_over()
            _judge_again(task, name, result, sandboxes, allowance)
        else:
            _grade_notebook(
                task,
                name,
                result,
                sandboxes=sandboxes,
                candidates=candidates,
                held=held,
                allowance=allowance,
            )
        return
    except OutOfTime:  # all of it is said again
        result.tampered = tampered
        result.remarks = remarks
        result.waiting.append(name)
        return
    except (Unreadable, NotRebuildable, TooLong, renamed.NotHandedIn) as error:
        status = UNGRADABLE
        why = str(error)
    except (CheckFault, Fault) as error:
        status = UNGRADED
        why = str(error)
    except Exception as error:  # it must not look like a mark  # noqa: BLE001
        # The machine's, or a bug of ours: it must not look like a mark, nor stop the class.
        detail = f"{type(error).__name__}: {error}"
        why = remedies.reason(Place.COORDINATOR, Way.EXCEPTION, Moment.GRADING, detail)
        status = UNGRADED
    marking.without_marks(result, task.skeleton[name], name, status, why)


def _grade_notebook(
    task: Task,
    name: str,
    result: SubmissionResult,
    *,
    sandboxes: Sandboxes,
    candidates: renamed.Candidates,
    held: pictures.Pictures,
    allowance: Allowance,
) -> None:
    _demand(allowance)
    handed_in = rebuilt(task, name, result, candidates)
    run, verdicts = _run_and_judge(
        task, name, handed_in, result, sandboxes=sandboxes, allowance=allowance
    )
    notebook = handed_in.notebook
    _draw(task, handed_in, run, held, sandboxes=sandboxes, allowance=allowance)
    marking.mark_cells(
        result,
        name,
        skeleton=handed_in.skeleton,
        notebook=notebook,
        run=run,
        verdicts=verdicts,
        has_files=bool(task.submission.files.keys() - task.given.keys()),
    )
    found = _found_as(task, name, handed_in, candidates)
    called = cell_names.names(handed_in.skeleton["cells"])
    trouble = run.reason or cell_names.with_names(
        marking.first_trouble(notebook, run) or "", called
    )
    if given := marking.given_trouble(notebook, run):
        result.remarks.append(f"{name}: {given}")
    remarks = filter(None, (found, *handed_in.answers, trouble))
    result.notebooks[name] = NotebookResult(GRADED, "; ".join(remarks) or None)
    texts = of_today(task, task.rubrics, handed_in.version, name, handed_in.same)
    result.documents[name] = rubric.beside_answers(notebook, texts)
    if not handed_in.exercises:
        _keep_files(task, name, run, result)


def _found_as(
    task: Task, name: str, handed_in: HandedIn, candidates: renamed.Candidates
) -> str | None:
    """What there is to say of the file that was graded: it has another name, or others are like it."""
    if handed_in.file != name:
        return f"handed in as {renamed.shown(handed_in.file)}, and known by its cells"
    if path := task.submission.found_as.get(name):
        return f"handed in as {untrusted.shown(path)}"
    if others := renamed.holding(name, candidates):
        verb = "holds" if len(others) == 1 else "hold"
        return (
            f"{renamed.listed(others)} {verb} its cells, too, and did not count: {name}.ipynb did"
        )
    return None


def _run_and_judge(
    task: Task,
    name: str,
    handed_in: HandedIn,
    result: SubmissionResult,
    *,
    sandboxes: Sandboxes,
    allowance: Allowance,
) -> tuple[NotebookRun, dict[str, Verdict]]:
    """The notebook's run, and by grade_id the verdicts on its answers. One that was handed in as it
    was released is not run.
    """
    known = _as_released(handed_in) if handed_in.version == task.current else None
    run = known.run if known else _run(task, name, handed_in, sandboxes, allowance)
    cells = handed_in.notebook["cells"]
    numbers = handed_in.same & set(task.numbers.get(name, ()))
    run.cells = plain_tests.expecting(run.cells, cells, numbers)
    run.cells = plain_tests.concealed(run.cells, cells, handed_in.whole["cells"])
    if plain_tests.hides(handed_in.notebook, handed_in.whole):
        # What ran beside hidden tests may have written them into its files, which go to the student
        # with the feedback.
        run.files = {}
    if not known:
        _show(task, name, handed_in, run, sandboxes=sandboxes, allowance=allowance)
    verdicts = (
        _by_cell(task, known.verdicts)
        if known
        else _verdicts(task, run.answers, sandboxes, allowance)
    )
    result.answers.update(run.answers)
    result.failures += _failures(run)
    return run, verdicts


def _as_released(handed_in: HandedIn) -> Untouched | None:
    """What is known of a notebook that runs the released sources; without exercises, nothing."""
    for prepared in handed_in.exercises.values():
        known = Untouched.from_json(prepared.untouched) if prepared.untouched else None
        return known if known and known.sources == sources(handed_in.whole) else None
    return None


def _demand(allowance: Allowance) -> None:
    """Raises OutOfTime, or Unreadable in the last turn, where nothing is left."""
    allowance.wait_if_over()
    if allowance.left <= 1:
        raise Unreadable("the submission's time was over before this notebook's turn")


def _run(
    task: Task, name: str, handed_in: HandedIn, sandboxes: Sandboxes, allowance: Allowance
) -> NotebookRun:
    """Run a notebook in what is left of the submission's time. Raises OutOfTime in its first turn,
    Unreadable in its second.
    """
    _demand(allowance)
    budget = task.budget or Budget()
    left = allowance.left
    own = replace(budget, notebook=min(budget.notebook, left))
    cases = {key: prepared.cases for key, prepared in handed_in.exercises.items()}
    files = {} if cases else {**task.submission.files, **task.given}
    imported = imports(task.skeleton[name])
    run = run_notebook(
        handed_in.whole, cases, budget=own, files=files, start=sandboxes.run, imports=imported
    )
    allowance.use(run.seconds)
    if left < budget.notebook and run.seconds > left - 2 and task.turn == 1:
        raise OutOfTime
    return run


def _show(
    task: Task,
    name: str,
    handed_in: HandedIn,
    run: NotebookRun,
    *,
    sandboxes: Sandboxes,
    allowance: Allowance,
) -> None:
    """Put into a notebook's run what a person who marks is to see of it, and why tests fail, from a
    second one.
    """
    notebook = handed_in.notebook
    whole = handed_in.whole
    is_needed = views.is_needed(handed_in.skeleton, notebook, whole)
    if not is_needed and not views.is_unexplained(run.cells, notebook, whole):
        return
    view = None
    if allowance.left > 1:
        budget = task.budget or Budget()
        own = replace(budget, notebook=min(budget.notebook, allowance.left))
        files = {} if handed_in.exercises else {**task.submission.files, **task.given}
        view = run_notebook(
            views.without_checks(notebook),
            {},
            budget=own,
            files=files,
            start=sandboxes.view,
            imports=imports(task.skeleton[name]),
        )
        allowance.use(view.seconds)
    if is_needed or view:
        run.cells = views.joined(run.cells, view, notebook, whole)
    if view:
        run.cells = views.explained(run.cells, view, notebook, whole)
    if view and not handed_in.exercises:
        run.files = view.files


def _draw(
    task: Task,
    handed_in: HandedIn,
    run: NotebookRun,
    held: pictures.Pictures,
    *,
    sandboxes: Sandboxes,
    allowance: Allowance,
) -> None:
    """Put the pictures that the student's Markdown shows into the notebook, drawn anew."""

    def draw(wanted: Iterable[str]) -> None:
        if allowance.left > 1:
            held.draw(wanted, sandboxes.draw, allowance.use)

    files = {**task.submission.files, **task.given, **run.files}
    pictures.show(handed_in.notebook, handed_in.skeleton, held, files, draw)


def _failures(run: NotebookRun) -> int:
    """How many of its cells and answers ended as they also would in a broken environment."""
    outcomes = [one.outcome for answers in run.answers.values() for one in answers.values()]
    return sum(cell.status in ("error", "died") for cell in run.cells.values()) + sum(
        outcome in FAILURES for outcome in outcomes
    )


def _keep_files(task: Task, name: str, run: NotebookRun, result: SubmissionResult) -> None:
    """What was handed in beside a plain notebook, and what it wrote, stays beside it."""
    given = task.given
    own = {path: data for path, data in task.submission.files.items() if path not in given}
    dropped = attachments.keep(result.files, name, {**own, **run.files})
    result.remarks += [
        f"{name}: {path} is not kept beside the notebook, it is too large" for path in dropped[:10]
    ]


def _by_cell(task: Task, verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
    return {task.exercises[exercise].grade_id: verdict for exercise, verdict in verdicts.items()}


def _verdicts(
    task: Task,
    answers: Mapping[str, Mapping[str, Answer]],
    sandboxes: Sandboxes,
    allowance: Allowance,
) -> dict[str, Verdict]:
    """By grade_id, the verdicts on answers by exercise. Raises OutOfTime."""
    verdicts = {}
    for key in answers:
        prepared = task.exercises[key]
        verdicts[prepared.grade_id] = judge(
            key,
            prepared.cases,
            answers[key],
            prepared.references,
            start=sandboxes.check,
            imports=(f"judge:{key}",),
            allowance=allowance,
            observe=sandboxes.observe,
        )
    return verdicts


def _judge_again(
    task: Task,
    name: str,
    result: SubmissionResult,
    sandboxes: Sandboxes,
    allowance: Allowance,
) -> None:
    """Give the stored answers of a notebook the verdicts of today."""
    stored = {key: one for key, one in task.stored.items() if task.exercises[key].notebook == name}
    verdicts = _verdicts(task, stored, sandboxes, allowance)
    for cell in result.documents[name]["cells"]:
        named = grade_id(cell) or ""
        verdict = verdicts.get(named)
        if verdict and is_test(cell):
            before = result.cells.get(f"{name}/{named}")
            marked = marking.judged(cell, verdict)
            marked.label = before.label if before else ""
            result.cells[f"{name}/{named}"] = marked
