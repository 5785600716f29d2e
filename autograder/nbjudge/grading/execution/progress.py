"""What has come out of a notebook's runner boxes so far: whatever a box says is held against what
it was asked.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace

from nbjudge import exercises, wire
from nbjudge.boxes.inside.outputs import HIDDEN, stream, telling
from nbjudge.contract import Answer, Case, Server
from nbjudge.grading.document.sanitize import safe_outputs, size
from nbjudge.grading.faults.policy import Moment

# A runner passes a question to a server that answers no more at most once a case and box.
MAX_REFUSED = 1000
# Characters of output that are kept of a notebook, beside the limit for each of its cells: what is
# over it nobody reads.
MAX_OUTPUT = 4 << 20
STATUSES = frozenset({"ok", "error", "timeout", "died", "not_run"})
TOO_MUCH = {
    "output_type": "stream",
    "name": "stdout",
    "text": "[grader] not kept: the notebook's output is over the limit\n",
}
Cases = Mapping[str, Sequence[Case]]


@dataclass
class CellRun:
    """How a cell ended, and what it showed. With `wants_number` it is a test cell whose result must be
    a number of points.
    """

    status: str
    outputs: list[dict] = field(default_factory=list)
    execution_count: int | None = None
    _: KW_ONLY
    truncated: bool = False
    incomplete: bool = False
    wants_number: bool = False


@dataclass
class NotebookRun:
    """`cells` by index; `answers` by exercise and case; `files` that a plain notebook wrote;
    `reason` when the run was cut short.

    `seconds` is the time that the student's code has taken, without the start of boxes and kernels;
    `output` how many characters of output came.
    """

    cells: dict[int, CellRun] = field(default_factory=dict)
    answers: dict[str, dict[str, Answer]] = field(default_factory=dict)
    _: KW_ONLY
    files: dict[str, bytes] = field(default_factory=dict)
    reason: str | None = None
    seconds: float = 0.0
    output: int = 0


class Servers:
    """The servers of the cases that have one. They outlive a box: one that replaces another goes on
    asking where that one ended.
    """

    def __init__(self, known: Mapping[str, Mapping[str, Case]]):
        """`known` are the cases by exercise and by their names in the box."""
        self._cases = {
            (exercise, name): case
            for exercise, several in known.items()
            for name, case in several.items()
        }
        self._servers: dict[tuple[str, str], Server] = {}
        for exercise, name in self._cases:
            self.renew(exercise, name)
        self._refused = 0

    def renew(self, exercise: str, name: str) -> None:
        """A fresh server for a case that is put once more, from its beginning."""
        if server := exercises.get(exercise).server(self._cases[exercise, name]):
            self._servers[exercise, name] = server

    def reply(self, frame: wire.Frame) -> bytes:
        """The reply to an `ask` frame, which may be forged. Raises wire.WireError."""
        exercise, case, question = (
            frame.header.get(key) for key in ("exercise", "case", "question")
        )
        server = (
            self._servers.get((exercise, case))
            if isinstance(exercise, str) and isinstance(case, str)
            else None
        )
        reply = server.reply(question) if server and type(question) is int else None
        if reply is None:
            self._refused += 1
            if self._refused > MAX_REFUSED:
                raise wire.WireError("the runner asks on and on where nothing is answered")
        return wire.encode("told", reply=reply)

    def log(self, exercise: str, case: str) -> dict[str, bytes]:
        server = self._servers.get((exercise, case))
        return server.log() if server else {}


# What is looked up among numbers and names.
_KEYS = ("index", "status", "exercise", "case", "outcome")


def _can_be_looked_up(header: Mapping) -> bool:
    return all(isinstance(header.get(key), (str, int, type(None))) for key in _KEYS)


def _is_outcome(header: Mapping) -> bool:
    """Whether it says how a cell ended, and what it put out."""
    return header.get("status") in STATUSES and isinstance(header.get("outputs"), list)


def _cell_run(header: Mapping, outputs: list[dict]) -> CellRun:
    """A cell's outcome with the outputs that are kept of it."""
    count = header.get("execution_count")
    return CellRun(
        header["status"],
        outputs,
        count if type(count) is int and count >= 0 else None,
        truncated=bool(header.get("truncated")),
        incomplete=bool(header.get("incomplete")),
    )


class Progress:
    """Takes the frames of one box into `run`. `cells` are those that it runs, `skipped` those that
    an earlier box was lost at.
    """

    def __init__(
        self,
        run: NotebookRun,
        cells: Sequence[dict],
        cases: Cases,
        servers: Servers,
        skipped: Sequence[int],
    ):
        self.run = run
        self.servers = servers
        self.skipped = frozenset(skipped)
        self._wanted = {
            exercise: {case.name for case in wanted} for exercise, wanted in cases.items()
        }
        self._tests = {cell["index"] for cell in cells if cell["exercise"] is not None}
        self._open = [cell["index"] for cell in cells]
        self._all = frozenset(self._open)
        # From this cell on, the notebook runs beside hidden inputs: a cell ended or it did not, and
        # nothing else is taken.
        self._hidden = min(self._tests, default=None)
        self._is_hiding = False
        self._began: float | None = None
        self.started: int | None = None
        self.calling: tuple[str, str] | None = None
        self.lost: list[int] = []
        self.gave_up: str | None = None
        self.done = False

    @property
    def moment(self) -> Moment:
        """Where the box is, or was when it ended."""
        if self._began is None:
            return Moment.READY
        if self.calling:
            return Moment.CASE
        if self.started is not None:
            return Moment.BETWEEN_CASES if self.started in self._tests else Moment.CELL
        return Moment.BETWEEN_CELLS if self._open else Moment.ENDING

    @property
    def place(self) -> tuple:
        """As the runner names it in `endures`: a case, a cell, or how many cells are over."""
        if self.calling:
            return self.calling
        return (self.started,) if self.started is not None else (len(self._open), "left")

    @property
    def seconds(self) -> float:
        """Since the first cell started."""
        return 0.0 if self._began is None else time.monotonic() - self._began

    def take(self, frame: wire.Frame) -> None:
        handler = getattr(self, f"_take_{frame.kind}", None)
        if handler is not None and _can_be_looked_up(frame.header):
            handler(frame.header, frame.blobs)

    def _take_started(self, header, _blobs) -> None:
        if header.get("index") in self._all:
            self.started = header["index"]
            self._began = self._began or time.monotonic()
            self._is_hiding |= self._hidden is not None and self.started >= self._hidden

    def _take_cell(self, header, _blobs) -> None:
        index = header.get("index")
        if index not in self._all or not _is_outcome(header):
            return
        self.started = None
        self._open = [other for other in self._open if other != index]
        if index in self.skipped:
            return  # what is known of it is why it is skipped
        self.keep(index, _cell_run(header, self._within(safe_outputs(header["outputs"]))))
        if header.get("kernel_lost") is True and index not in self._tests:
            self.lost.append(index)

    def keep(self, index: int, cell: CellRun) -> None:
        """What is kept of a cell. Once hidden inputs are in the box, an earlier cell cannot be told
        anew.
        """
        if self._hidden is not None and index >= self._hidden:
            self.run.cells[index] = CellRun(
                "ok" if cell.status in ("ok", "error") else "not_run",
                [stream(HIDDEN)],
                None,
                truncated=True,
            )
        elif not self._is_hiding:
            self.run.cells[index] = cell

    def _within(self, outputs: list[dict]) -> list[dict]:
        """The outputs, if the notebook may still have as many; else what a mark is read from."""
        self.run.output += size(outputs)
        return outputs if self.run.output <= MAX_OUTPUT else [TOO_MUCH, *telling(outputs, [])]

    def _take_calling(self, header, _blobs) -> None:
        self._is_hiding = True
        self.calling = self._case(header)

    def _take_answer(self, header, blobs) -> None:
        if (key := self._case(header)) and (answer := Answer.read(header, {})):
            # Only a returned answer may carry bytes.
            if answer.outcome == "returned":
                answer = replace(answer, files={**blobs, **self.servers.log(*key)})
            self.run.answers[key[0]][key[1]] = answer
            self.calling = None

    def _take_file(self, header, blobs) -> None:
        if isinstance(header.get("path"), str) and not self._wanted:
            self.run.files[header["path"]] = blobs.get("data", b"")

    def _take_killed(self, _header, _blobs) -> None:
        self.gave_up = "kernel killed"

    def _take_no_kernel(self, _header, _blobs) -> None:
        self.gave_up = "no new kernel"

    def _take_done(self, _header, _blobs) -> None:
        self.done = True

    def _case(self, header) -> tuple[str, str] | None:
        exercise = header.get("exercise")
        case = header.get("case")
        return (
            (exercise, case)
            if isinstance(exercise, str) and case in self._wanted.get(exercise, ())
            else None
        )
