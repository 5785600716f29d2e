"""Run a notebook in runner boxes until every cell and case has an outcome, a killed box included."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from nbjudge import boxes, exercises, wire
from nbjudge.contract import Answer
from nbjudge.grading.config.budget import Budget
from nbjudge.grading.document.cells import Notebook, grade_id
from nbjudge.grading.execution.anonymous import AnonymousCases
from nbjudge.grading.execution.progress import Cases, CellRun, NotebookRun, Progress, Servers
from nbjudge.grading.execution.sandboxes import RUNNER, Start, once
from nbjudge.grading.faults import faults
from nbjudge.grading.faults.policy import Moment, Place, Ruling, Way

__all__ = ["Budget", "CellRun", "NotebookRun", "TooLong", "run_notebook"]

OUTPUT_BYTES = 1 << 20
MAX_BOXES = 4
MAX_REPEATS = 2
# For a kernel to come up on a busy machine: the student's time begins with the first cell.
START_SECONDS = 150
# The runner keeps the notebook's time itself; this is for one that does not.
GRACE_SECONDS = 30
MAX_PATH = 1000
WHY_ENDED = {
    Way.DEADLINE: "the notebook's time was over",
    Way.MEMORY: "more memory than the limit was used",
    Way.OUTPUT: "more output than the limit was written",
    Way.CRASHED: "the process was killed",
    Way.KERNEL_KILLED: "the process was killed",
    Way.STARVED: "the process was killed when no memory was left",
}


class TooLong(ValueError):
    """The notebook's code does not fit into a job. The text is for the student."""


@dataclass(kw_only=True)
class _Task:
    """What is to be run, and what the boxes that were lost have taught: cells to skip, places that
    were tried twice.
    """

    cells: list[dict]
    anonymous: AnonymousCases
    files: Mapping[str, wire.Blob]
    servers: Servers
    start: Start
    imports: tuple[str, ...]
    skip: list[int] = field(default_factory=list)
    repeated: list[tuple] = field(default_factory=list)

    def repeat(self, progress: Progress) -> None:
        """The next box comes to the same place once more."""
        self.repeated.append(progress.place)
        if progress.calling:
            self.servers.renew(*progress.calling)


def run_notebook(
    notebook: Notebook,
    cases: Cases,
    *,
    budget: Budget | None = None,
    files: Mapping[str, wire.Blob] | None = None,
    start: Start | None = None,
    imports: tuple[str, ...] = (),
) -> NotebookRun:
    """Execute a notebook's code cells in order, and call the exercises' functions on `cases` where
    their test cells stand.

    A box that dies costs the cell or case it was at, if that is the student's doing (see `faults`):
    the next box skips that one and goes on, up to `MAX_BOXES` in all. Without `cases` the notebook
    is a plain one: it finds `files` in its working directory, and the files that it writes come
    back. `start` starts the boxes, fresh ones by default; `imports` are modules that code we trust
    imports there.

    Raises TooLong, and faults.Fault when the harness failed, never for what the student's code did.
    """
    budget = budget or Budget()
    anonymous = AnonymousCases(cases)
    imports = (*imports, *(f"exercise:{exercise}" for exercise in cases)) if imports else ()
    task = _Task(
        cells=_cells(notebook, cases),
        anonymous=anonymous,
        files=_placeable(files or {}),
        servers=Servers(anonymous.known),
        start=start or once(RUNNER),
        imports=imports,
    )
    run = NotebookRun(answers={exercise: {} for exercise in cases})
    _run_through(run, task, budget)
    _fill_up(run, task)
    run.answers = anonymous.named(run.answers)
    return run


def _run_through(run: NotebookRun, task: _Task, budget: Budget) -> None:
    """Box after box, to the end of the notebook, of its time or of its boxes."""
    left = MAX_BOXES
    while left > 0:
        if budget.notebook - run.seconds <= 1:
            run.reason = WHY_ENDED[Way.DEADLINE]
            return
        ruling = _run_once(run, task, replace(budget, notebook=budget.notebook - run.seconds))
        if ruling is None:
            return
        left -= ruling is Ruling.THEIRS


def _fill_up(run: NotebookRun, task: _Task) -> None:
    """What did not run, and was not called, is said to be so."""
    for cell in task.cells:
        run.cells.setdefault(cell["index"], CellRun("not_run"))
    for exercise, cases in task.anonymous.cases.items():
        for case in cases:
            missing = Answer("missing", error={"reason": run.reason or ""})
            run.answers[exercise].setdefault(case.name, missing)


def _cells(notebook: Notebook, cases: Cases) -> list[dict]:
    """The code cells as the runner takes them; the test cell of an exercise is the one with its
    grade_id, whatever its source says.
    """
    tests = {exercises.get(exercise).grade_id: exercise for exercise in cases}
    return [
        {
            "index": index,
            "source": "".join(cell["source"]),
            "exercise": tests.get(grade_id(cell) or ""),
        }
        for index, cell in enumerate(notebook["cells"])
        if cell["cell_type"] == "code"
    ]


def _placeable(files: Mapping[str, wire.Blob]) -> dict[str, wire.Blob]:
    """The files that can lie beside the notebook: no path too long, none both file and folder."""
    folders = {parent for path in files for parent in _parents(path)}
    return {
        path: data for path, data in files.items() if len(path) <= MAX_PATH and path not in folders
    }


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _run_once(run: NotebookRun, task: _Task, budget: Budget) -> Ruling | None:
    """One box. None when no other is needed; else whether what ended this one counts (`theirs`) or
    is to be tried again (`repeat`).
    """
    progress = Progress(run, task.cells, task.anonymous.cases, task.servers, task.skip)
    job = _job(task, budget)
    frames = lambda: itertools.chain([job], _inputs(run, task))  # noqa: E731
    try:
        ended = task.start(
            frames,
            _limits(budget),
            on_frame=progress.take,
            reply=task.servers.reply,
            store=wire.Store(),
        )
    except boxes.SandboxUnavailable as error:
        raise faults.before_start(Place.RUNNER, progress.moment, error) from None
    run.seconds += progress.seconds
    return None if progress.done else _settle(run, task, progress, ended)


def _limits(budget: Budget) -> boxes.Limits:
    limits = boxes.limits_for_runner()
    most = START_SECONDS + budget.notebook + GRACE_SECONDS
    return replace(limits, wall_seconds=min(limits.wall_seconds, most))


def _settle(
    run: NotebookRun, task: _Task, progress: Progress, ended: boxes.BoxRun
) -> Ruling | None:
    """Decide what the end of a box means, and act on it. Raises Fault."""
    way = Way(progress.gave_up or ended.ended)
    moment = Moment.ANSWERING if ended.cut and progress.calling else progress.moment
    task.skip += progress.lost
    # What a box wrote to stderr once student code ran is the student's to choose.
    detail = ended.detail if moment is Moment.READY else ""
    is_repeated = progress.place in task.repeated or len(task.repeated) >= MAX_REPEATS
    ruling = faults.settle(
        Place.RUNNER, way, moment, detail=detail, is_repeated=is_repeated, control=boxes.control
    )
    if ruling is Ruling.REPEAT:
        task.repeat(progress)
        return ruling
    run.reason = WHY_ENDED.get(way, "the process broke off")
    is_borne = _blame(run, task, progress, way)
    return ruling if is_borne and way is not Way.DEADLINE else None


def _blame(run: NotebookRun, task: _Task, progress: Progress, way: Way) -> bool:
    """Let the case, or the cell, that the box was at bear its end. False when it was at none."""
    is_late = way is Way.DEADLINE
    why = run.reason or ""
    if progress.calling:
        exercise, case = progress.calling
        outcome = "timeout" if is_late else "killed"
        run.answers[exercise][case] = Answer(outcome, error={"reason": why})
    elif progress.started is not None:
        progress.keep(progress.started, CellRun("timeout" if is_late else "died", [_note(why)]))
        task.skip.append(progress.started)
    else:
        return False
    return True


def _job(task: _Task, budget: Budget) -> bytes:
    endures = [place for place in task.repeated if place[-1] != "left"]
    try:
        return wire.encode(
            "job",
            mode="exercises" if task.anonymous.cases else "plain",
            cells=task.cells,
            cell_seconds=budget.cell,
            case_seconds=budget.case,
            notebook_seconds=budget.notebook,
            output_bytes=OUTPUT_BYTES,
            skip=task.skip,
            imports=task.imports,
            endures=endures if len(task.repeated) < MAX_REPEATS else None,
        )
    except wire.WireError:
        raise TooLong(
            f"the notebook's code is longer than {wire.MAX_HEADER >> 20} MB: move data out of the cells"
        ) from None


def _inputs(run: NotebookRun, task: _Task) -> Iterator[bytes]:
    for path, data in task.files.items():
        yield from wire.pieces("file", {"data": data}, path=path)
    yield from task.anonymous.public_frames()
    for exercise, wanted in task.anonymous.cases.items():
        for case in wanted:
            if case.name not in run.answers[exercise]:
                yield wire.encode(
                    "case",
                    dict(case.files),
                    exercise=exercise,
                    name=case.name,
                    parameters=dict(case.parameters),
                    public=case.public,
                )
    yield wire.encode("go")


def _note(text: str) -> dict:
    return {"output_type": "stream", "name": "stdout", "text": f"[grader] {text}\n"}
