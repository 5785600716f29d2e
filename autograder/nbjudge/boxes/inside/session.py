"""One notebook's run: cells in order, a kernel that is replaced when it dies, and the cases of the
test cells.

The policy, in order:

1. A cell that ends, well or with an error, is done. Later output of it is dropped.
2. A cell whose time is over is interrupted, then its kernel is killed. A cell whose kernel dies is
   over. The time of cells and of cases is the kernel's own (`own_time`), that of the notebook is not.
3. After a lost kernel a new one replays the cells that had ended, test cells left out, and goes on
   behind the one that was lost.
4. A case that hangs or kills loses only itself: the test cell is run again for the cases after it.
   After `MAX_LOST_CASES` of them, the exercise's other cases are lost like the last one. What runs
   of a test cell is its call of `check`, taken from the package.
5. A test cell is run for the public cases, then for the hidden ones: what a student's code says
   about a public case is shown to students, so it is said before a hidden input is in reach. From
   the first test cell on a cell says that it ended, or that it did not.
6. After `MAX_RESTARTS` new kernels, or when the notebook's time is over, what is left is `not_run`,
   or the culprit's outcome.
7. The notebook is over when everything it started has ended; what it wrote is taken away before
   another notebook runs in the box.
8. The box gives up, and says so, when a kernel is killed by SIGKILL (itself, or somebody outside:
   the coordinator tries once more), unless the place is among those that the job `endures`, and
   when a kernel that is to replace a lost one does not come up.
"""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from nbjudge.boxes import mounts
from nbjudge.boxes.inside import outputs
from nbjudge.boxes.inside.cases import Cases, ExerciseCases
from nbjudge.boxes.inside.cells import NO_VALUE, Outcome, execute
from nbjudge.boxes.inside.channel import Channel
from nbjudge.boxes.inside.job import Cell, Job
from nbjudge.boxes.inside.kernel_client import PROGRAM, Kernel, KernelDied, KernelSilent
from nbjudge.boxes.inside.own_time import OwnTime
from nbjudge.boxes.inside.spool import GIVEN, place
from nbjudge.boxes.inside.template import Template
from nbjudge.boxes.inside.testing import call_of
from nbjudge.boxes.inside.workdir import WorkDir, clear

MAX_RESTARTS = 12
MAX_LOST_CASES = 3
# How long a kernel may take to answer: the first one, and one that comes in its place.
_READY_SECONDS = (60.0, 120.0)


class GivenUp(RuntimeError):
    """The box cannot, or should not, go on. `kind` is the frame that tells the coordinator so:
    `killed` or `no_kernel`.
    """

    def __init__(self, kind: str, detail: str):
        self.kind = kind
        super().__init__(detail)


class Session:
    def __init__(self, job: Job, channel: Channel, template: Template):
        self._job = job
        self._channel = channel
        self._template = template
        self._workdir = WorkDir(job.files)
        self._clock = OwnTime()
        self._cases = Cases(job.cases, job.case_seconds, channel, self._clock.now)
        place(job.given, self._cases.folder.with_name(GIVEN))
        self._kernel: Kernel | None = None
        self._kernels = 0
        self._replay: list[Cell] = []
        self._hidden = False
        self._end = float("inf")

    def start(self) -> None:
        """The first kernel. KernelDied and OSError are the harness's fault: no student code ran."""
        self._workdir.renew()
        self._template.load((PROGRAM, *self._job.imports))
        self._kernel = self._new_kernel()

    def run(self) -> None:
        """All cells. Raises GivenUp."""
        self._end = time.monotonic() + self._job.notebook_seconds
        for cell in self._job.cells:
            self._channel.send("started", index=cell.index)
            outcome = self._run(cell)
            self._channel.send("cell", index=cell.index, **outcome.to_header())
        if self._kernel is not None:
            self._kernel.kill()
        if self._job.plain:
            for path, data in self._workdir.written():
                self._channel.send("file", {"data": data}, path=path)

    def leave(self) -> bool:
        """End what the notebook started and take away what it wrote. False when something stays:
        the box must not be used again.
        """
        self._cases.close()
        try:
            self._template.sweep()
            return clear()
        except (OSError, subprocess.SubprocessError):
            return False

    def _run(self, cell: Cell) -> Outcome:
        if cell.index in self._job.skip:
            return Outcome("not_run")
        if not cell.source.strip():
            return Outcome("ok")
        if cell.exercise is not None:
            return self._concealed(self._run_cases(cell, cell.exercise))
        if not self._has_kernel():
            return Outcome("not_run")
        outcome = self._execute(cell.source, self._of_cell(), expression=NO_VALUE)
        self._refuse_kill(outcome, (cell.index,))
        if not outcome.kernel_lost:
            self._replay.append(cell)
        return self._concealed(outcome)

    def _run_cases(self, cell: Cell, exercise: str) -> Outcome:
        """Run the test cell of an exercise for its public cases, then for its hidden ones."""
        self._hidden = True
        worst = Outcome("ok")
        lost = 0
        for cases in self._cases.of(exercise):
            if lost >= MAX_LOST_CASES:
                cases.give_up("killed" if worst.status == "died" else "timeout")
                break
            outcome, lost = self._run_part(cell, cases, lost)
            worst = outcome if worst.status == "ok" else worst
        return worst

    def _run_part(self, cell: Cell, cases: ExerciseCases, lost: int) -> tuple[Outcome, int]:
        """Run a test cell, again and again, until every case has been called or no kernel is left.
        Also how many cases were lost by now.
        """
        worst = None
        while True:
            if not self._has_kernel():
                cases.give_up("killed" if self._left() > 0 else "timeout")
                return worst or Outcome("not_run"), lost
            outcome = self._call(cases, *call_of(cell.source))
            if not outcome.kernel_lost:
                return worst or outcome, lost
            self._refuse_kill(
                outcome, (cell.exercise, cases.current) if cases.current else (cell.index,)
            )
            worst = worst or outcome
            lost = lost + 1
            if not cases.blame(outcome.status):
                return worst, lost
            if lost >= MAX_LOST_CASES:
                cases.give_up("killed" if outcome.status == "died" else "timeout")
                return worst, lost

    def _call(self, cases: ExerciseCases, source: str, expression: str | None) -> Outcome:
        """Run a test cell once, with the cases that are left in its reach."""
        left = lambda: min(self._left(), cases.left(self._job.cell_seconds))  # noqa: E731
        cases.offer()
        outcome = self._execute(source, left, cases.tick, patient=False, expression=expression)
        cases.tick()
        cases.withdraw()
        return outcome

    def _execute(
        self,
        source: str,
        left: Callable[[], float],
        tick: Callable[[], None] | None = None,
        patient: bool = True,
        expression: str | None = None,
    ) -> Outcome:
        kernel = self._kernel
        assert kernel is not None  # `_has_kernel` said so
        outcome = execute(
            kernel,
            source,
            output_bytes=self._job.output_bytes,
            left=left,
            tick=tick,
            patient=patient,
            expression=expression,
        )
        if outcome.kernel_lost:
            kernel.kill()
            self._kernel = None
        return outcome

    def _refuse_kill(self, outcome: Outcome, place: tuple) -> None:
        if outcome.killed and self._job.endures is not None and place not in self._job.endures:
            raise GivenUp("killed", "the kernel was killed")

    def _has_kernel(self) -> bool:
        """A kernel, with everything replayed; False without time or patience. Raises GivenUp."""
        while self._kernel is None and self._kernels <= MAX_RESTARTS and self._left() > 0:
            try:
                self._workdir.renew()
                self._kernel = self._new_kernel()
            except (KernelDied, OSError, RuntimeError, subprocess.SubprocessError) as error:
                raise GivenUp("no_kernel", f"{type(error).__name__}: {error}") from None
            for cell in list(self._replay):
                if self._execute(cell.source, self._of_cell()).kernel_lost:
                    self._replay.remove(cell)
                    break
        return self._kernel is not None and self._left() > 0

    def _new_kernel(self) -> Kernel:
        """One that answers. Of some thousand kernels one was seen that never did, before any code
        of a student had run in it; another one comes in its place.
        """
        self._kernels += 1
        first, last = _READY_SECONDS
        with contextlib.suppress(KernelSilent):
            return self._started(f"kernel-{self._kernels}-first", first)
        return self._started(f"kernel-{self._kernels}", last)

    def _started(self, name: str, ready_seconds: float) -> Kernel:
        folder = Path(mounts.SPOOL, name)
        folder.mkdir(mode=0o700)
        environment = {"NBGRADER_EXECUTION": "autograde"} if self._job.plain else {}
        kernel = Kernel(
            self._template,
            folder,
            self._cases.folder,
            environment=environment,
            ready_seconds=ready_seconds,
            reply=self._cases.reply,
            offline=not self._job.plain,
        )
        self._clock.follow(kernel.pid)
        return kernel

    def _of_cell(self) -> Callable[[], float]:
        end = self._clock.now() + self._job.cell_seconds
        return lambda: min(self._left(), end - self._clock.now())

    def _left(self) -> float:
        """Seconds that the notebook still has. They pass on any clock: threads that get in one
        another's way would stop a clock of its own.
        """
        return self._end - time.monotonic()

    def _concealed(self, outcome: Outcome) -> Outcome:
        """Beside hidden inputs, nothing of a cell but whether it ended: all else (a count, a text,
        an error's name) could spell them.
        """
        if not self._hidden:
            return outcome
        status = "ok" if outcome.status in ("ok", "error") else "not_run"
        shown = [outputs.stream(outputs.HIDDEN)]
        return Outcome(
            status,
            execution_count=None,
            outputs=shown,
            truncated=True,
            kernel_lost=outcome.kernel_lost,
        )
