"""Run a notebook in runner boxes until every cell and case has an outcome, a killed box included."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder import boxes, exercises, wire
from autograder.exercises.base import Answer, Case, Server
from autograder.grading.inert import safe_outputs
from autograder.grading.skeletons import Notebook, nbgrader_metadata

RUNNER = "autograder.boxes.inside.runner"
CELL_SECONDS = 120
CASE_SECONDS = 60
NOTEBOOK_SECONDS = 600
OUTPUT_BYTES = 1 << 20
MAX_BOXES = 4
# A runner passes a question to a server that answers no more at most once a case and box.
MAX_REFUSED = 1000
# Outcomes that only a returned answer may carry bytes for.
OUTCOMES = frozenset({"returned", "missing", "raised", "wrong_type", "timeout", "killed", "too_large"})
WHY_ENDED = {
    "deadline": "the notebook's time was over",
    "memory": "more memory than the limit was used",
    "output": "more output than the limit was written",
    "crashed": "the process was killed",
    "protocol": "the process broke off",
}


@dataclass(frozen=True)
class Budget:
    """Seconds for a cell, for one call of a student's function, and for the notebook. Generous: a grade never depends on speed."""

    cell: float = CELL_SECONDS
    case: float = CASE_SECONDS
    notebook: float = NOTEBOOK_SECONDS


@dataclass
class CellRun:
    status: str
    outputs: list[dict] = field(default_factory=list)
    execution_count: int | None = None
    truncated: bool = False


@dataclass
class NotebookRun:
    """`cells` by index; `answers` by exercise and case; `files` that a plain notebook wrote; `reason` when the run was cut short."""

    cells: dict[int, CellRun] = field(default_factory=dict)
    answers: dict[str, dict[str, Answer]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    reason: str | None = None


def run_notebook(
    notebook: Notebook,
    cases: Mapping[str, Sequence[Case]],
    budget: Budget | None = None,
    files: Mapping[str, bytes] | None = None,
) -> NotebookRun:
    """Execute a notebook's code cells in order, and call the exercises' functions on `cases` where their test cells stand.

    A box that dies costs the cell or case it was at: the next box skips that one and goes on, up to `MAX_BOXES` in all. Without `cases` the
    notebook is a plain one: it finds `files` in its working directory, and the files that it writes come back.

    Raises boxes.SandboxUnavailable or boxes.BoxFailure when the harness failed, never for what the student's code did.
    """
    budget = budget or Budget()
    cells = _cells(notebook, cases)
    run = NotebookRun(answers={exercise: {} for exercise in cases})
    servers = _Servers(cases)
    skip: list[int] = []
    deadline = time.monotonic() + budget.notebook
    for _ in range(MAX_BOXES):
        left = deadline - time.monotonic()
        if left <= 1:
            run.reason = WHY_ENDED["deadline"]
            break
        if not _run_once(run, cells, cases, servers, skip, replace(budget, notebook=left), files or {}):
            break
    for cell in cells:
        run.cells.setdefault(cell["index"], CellRun("not_run"))
    for exercise, wanted in cases.items():
        for case in wanted:
            run.answers[exercise].setdefault(case.name, Answer("missing", error={"reason": run.reason or ""}))
    return run


def _cells(notebook: Notebook, cases: Mapping[str, Sequence[Case]]) -> list[dict]:
    """The code cells as the runner takes them; the test cell of an exercise is the one with its grade_id, whatever its source says."""
    tests = {exercises.get(exercise).grade_id: exercise for exercise in cases}
    return [
        {"index": index, "source": "".join(cell["source"]), "exercise": tests.get((nbgrader_metadata(cell) or {}).get("grade_id"))}
        for index, cell in enumerate(notebook["cells"])
        if cell["cell_type"] == "code"
    ]


def _run_once(run: NotebookRun, cells: list[dict], cases, servers: _Servers, skip: list[int], budget: Budget, files) -> bool:
    """One box. Returns whether another is needed."""
    wanted = {exercise: {case.name for case in wanted} for exercise, wanted in cases.items()}
    progress = _Progress(run, wanted, frozenset(cell["index"] for cell in cells), servers)
    limits = boxes.limits_for_runner()
    limits = replace(limits, wall_seconds=min(limits.wall_seconds, budget.notebook + 30))
    frames = _frames(run, cells, cases, skip, budget, files)
    ended = boxes.run(RUNNER, frames, limits, on_frame=progress.take, reply=servers.reply)
    if ended.ended == "finished" and progress.done:
        return False
    why = WHY_ENDED.get(ended.ended, "the process broke off")
    run.reason = why
    outcome = "timeout" if ended.ended == "deadline" else "killed"
    if progress.calling:
        exercise, case = progress.calling
        run.answers[exercise][case] = Answer(outcome, error={"reason": why})
    elif progress.started is not None:
        run.cells[progress.started] = CellRun("timeout" if ended.ended == "deadline" else "died", [_note(why)])
        skip.append(progress.started)
    else:
        return False
    return ended.ended != "deadline"


def _frames(run: NotebookRun, cells, cases, skip, budget: Budget, files):
    yield wire.encode(
        "job",
        mode="exercises" if cases else "plain",
        cells=cells,
        cell_seconds=budget.cell,
        case_seconds=budget.case,
        notebook_seconds=budget.notebook,
        output_bytes=OUTPUT_BYTES,
        skip=skip,
    )
    for path, data in files.items():
        yield wire.encode("file", {"data": data}, path=path)
    for exercise, wanted in cases.items():
        for case in wanted:
            if case.name not in run.answers[exercise]:
                yield wire.encode("case", dict(case.files), exercise=exercise, name=case.name, parameters=dict(case.parameters))
    yield wire.encode("go")


class _Servers:
    """The servers of the cases that have one. They outlive a box: one that replaces another goes on asking where that one ended."""

    def __init__(self, cases: Mapping[str, Sequence[Case]]):
        wanted = [(exercise, case) for exercise, several in cases.items() for case in several]
        served = {(exercise, case.name): exercises.get(exercise).server(case) for exercise, case in wanted}
        self._servers: dict[tuple[str, str], Server] = {key: server for key, server in served.items() if server}
        self._refused = 0

    def reply(self, frame: wire.Frame) -> bytes:
        """The reply to one `ask` frame, which may be forged: names and numbers are all that is looked at. Raises wire.WireError."""
        exercise, case, question = (frame.header.get(key) for key in ("exercise", "case", "question"))
        server = self._servers.get((exercise, case)) if isinstance(exercise, str) and isinstance(case, str) else None
        reply = server.reply(question) if server and type(question) is int else None
        if reply is None:
            self._refused += 1
            if self._refused > MAX_REFUSED:
                raise wire.WireError("the runner asks on and on where nothing is answered")
        return wire.encode("told", reply=reply)

    def log(self, exercise: str, case: str) -> dict[str, bytes]:
        server = self._servers.get((exercise, case))
        return server.log() if server else {}


class _Progress:
    """Takes the runner's frames, believing nothing: unknown cells, cases, outcomes and shapes are dropped."""

    def __init__(self, run: NotebookRun, wanted: dict[str, set[str]], indices: frozenset[int], servers: _Servers):
        self.run, self.wanted, self.indices, self.servers = run, wanted, indices, servers
        self.started: int | None = None
        self.calling: tuple[str, str] | None = None
        self.done = False

    def take(self, frame: wire.Frame) -> None:
        handler = getattr(self, f"_take_{frame.kind}", None)
        if handler is not None:
            handler(frame.header, frame.blobs)

    def _take_started(self, header, blobs) -> None:
        if header.get("index") in self.indices:
            self.started = header["index"]

    def _take_cell(self, header, blobs) -> None:
        index, status = header.get("index"), header.get("status")
        if index in self.indices and status in ("ok", "error", "timeout", "died", "not_run") and isinstance(header.get("outputs"), list):
            count = header.get("execution_count")
            cell = CellRun(status, safe_outputs(header["outputs"]), count if type(count) is int else None, bool(header.get("truncated")))
            self.run.cells[index] = cell
            self.started = None

    def _take_calling(self, header, blobs) -> None:
        self.calling = self._case(header)

    def _take_answer(self, header, blobs) -> None:
        if (key := self._case(header)) and header.get("outcome") in OUTCOMES:
            error = header.get("error") if isinstance(header.get("error"), dict) else {}
            error = {str(name)[:32]: str(text)[:2000] for name, text in list(error.items())[:8]}
            files = {**blobs, **self.servers.log(*key)} if header["outcome"] == "returned" else {}
            self.run.answers[key[0]][key[1]] = Answer(header["outcome"], files, error)
            self.calling = None

    def _take_file(self, header, blobs) -> None:
        if isinstance(header.get("path"), str) and not self.wanted:
            self.run.files[header["path"]] = blobs.get("data", b"")

    def _take_done(self, header, blobs) -> None:
        self.done = True

    def _case(self, header) -> tuple[str, str] | None:
        exercise, case = header.get("exercise"), header.get("case")
        return (exercise, case) if isinstance(exercise, str) and case in self.wanted.get(exercise, ()) else None


def _note(text: str) -> dict:
    return {"output_type": "stream", "name": "stdout", "text": f"[grader] {text}\n"}
