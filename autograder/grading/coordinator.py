"""Grade a class: prepare once, grade submissions side by side, write journal and gradebook one at a
time.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from traitlets.config import Config

from autograder import boxes
from autograder.contract import Answer
from autograder.grading import (
    budget,
    canary,
    engine,
    extensions,
    faults,
    intake,
    record,
    seed,
    settings,
    skeletons,
)
from autograder.grading.asked import in_notebooks
from autograder.grading.budget import Budget
from autograder.grading.carried import Carried, carry, unchanged
from autograder.grading.checker import CheckFault
from autograder.grading.cluster import ClusterExecutor, ClusterRefused, Scheduler
from autograder.grading.faults import Moment, Place, Way
from autograder.grading.folders import Course
from autograder.grading.intake import Submission
from autograder.grading.journal import Entry, Journal
from autograder.grading.keys import KeyMaker, Keys
from autograder.grading.references import Prepared, prepare
from autograder.grading.results import UNGRADED, SubmissionResult
from autograder.grading.skeletons import Skeleton

POLL_SECONDS = 0.5


class Refused(RuntimeError):
    """Grading did not start. The text says why, and what to type."""


@dataclass(frozen=True)
class Order:
    """What to grade and how. `students` empty means everybody with a submission; `jobs` is how many
    submissions run at once.
    """

    assignment: str
    submitted: Path | None = None
    students: Sequence[str] = ()
    jobs: int | None = None
    seed: int | None = None
    new_seed: bool = False
    force: bool = False
    scheduler: Scheduler | None = None
    budget: Budget | Mapping[str, float] | None = None
    pretrained: bool = False
    config: Config | None = None  # nbgrader's settings; those of the course folder by default


@dataclass
class Report:
    """What a run did. `new_students` were added to the gradebook; `resumed` counts results taken
    from the journal.

    `why` says of each student's notebooks why they were graded, or checked, now; of one that was
    taken from the journal, nothing.
    """

    assignment: str
    seed_id: str
    submissions: list[SubmissionResult] = field(default_factory=list)
    new_students: list[str] = field(default_factory=list)
    resumed: int = 0
    why: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        return 3 if any(result.status == UNGRADED for result in self.submissions) else 0

    def to_json(self) -> dict:
        return {
            "assignment": self.assignment,
            "seed_id": self.seed_id,
            "submissions": [result.to_json() for result in self.submissions],
        }


@dataclass
class Run:
    """One grading run: what is the same for every submission."""

    course: Course
    order: Order
    skeleton: Skeleton
    stored: Mapping[str, Skeleton]
    prepared: Mapping[str, Prepared]
    students: Sequence[str]
    number: int
    jobs: int
    report: Report

    @cached_property
    def journal(self) -> Journal:
        return Journal(self.course, self.order.assignment)

    @cached_property
    def recorder(self) -> record.Recorder:
        return record.Recorder(
            self.course,
            self.order.assignment,
            self.order.config,
            self.skeleton.files if self.is_plain else {},
        )

    @cached_property
    def in_gradebook(self) -> set[str]:
        """Students whose submissions the gradebook holds, with the notebooks that were recorded:
        both may have been lost since.
        """
        return record.recorded_students(self.course, self.order.assignment)

    @cached_property
    def keys(self) -> KeyMaker:
        order = self.order
        return KeyMaker(
            self.skeleton, self.stored, self.prepared, self.number, order.budget, order.pretrained
        )

    @cached_property
    def pending(self) -> dict[str, Pending]:
        """By student, what is being graded."""
        return {}

    @cached_property
    def shared(self) -> dict[str, object]:
        """The part of a task that every submission has in common."""
        return {
            "skeletons": {version: one.notebooks for version, one in self.stored.items()},
            "tests": {version: one.tests() for version, one in self.stored.items()},
            "rubrics": {version: one.rubrics() for version, one in self.stored.items()},
            "current": self.skeleton.version,
            "exercises": self.prepared,
            "files": self.skeleton.files,
            "budget": self.order.budget,
        }

    @cached_property
    def is_plain(self) -> bool:
        """Whether files beside the notebooks matter: no exercise of ours asks for any."""
        return not in_notebooks(self.skeleton.notebooks)

    def take(self, student: str) -> Submission:
        return intake.take(
            self.order.submitted or self.course.submitted,
            student,
            self.order.assignment,
            with_files=self.is_plain,
        )

    def task(self, submission: Submission) -> engine.Task:
        return engine.Task(submission, **self.shared)


@dataclass(frozen=True)
class Pending:
    """A submission that is being graded: its keys, what it takes over from the last run, and the
    answers as they come.
    """

    keys: Keys
    carried: Carried
    answers: dict[str, Mapping[str, Answer]] = field(default_factory=dict)
    at: list[str] = field(default_factory=list)  # the notebook that it is at

    def looks(self, since: float) -> tuple[float, str]:
        return time.monotonic() - since, next(iter(self.at), "")


Watcher = Callable[[str, int, Any], None]


def grade(
    course: Course, order: Order, watch: Watcher = lambda event, count, result: None
) -> Report:
    """Grade an assignment. `watch` hears ("references", 0, None), ("reference", number, (total,
    exercise)) for each that is ready, ("start", total, None), again and again ("running", number,
    {student: (seconds, notebook)}), ("later", 0, student) for a submission that goes to the back of
    the queue, and ("done", number, result) for each that is over. The notebook is empty where
    workers grade.

    Every result is in the journal before it is in the gradebook, so a run that is killed at any
    moment loses nothing and another goes on where it stopped. Raises Refused when nothing could be
    started: no sandbox, nothing published, no such submissions.
    """
    try:
        boxes.require_sandbox(course.root)
    except boxes.SandboxUnavailable as error:
        raise Refused(f"no grading without a sandbox: {error}") from None
    with alone(course):
        run = _run(course, _with_settings(course, order), watch)
        known = record.known_students(course)
        watch("start", len(run.students), None)
        with contextlib.closing(run.recorder), contextlib.closing(_graded(run, watch)) as graded:
            for result in graded:
                run.report.submissions.append(result)
                if result.student not in known and result.documents:
                    run.report.new_students.append(result.student)
                watch("done", len(run.report.submissions), result)
                # they are recorded; a class of any size takes the same memory
                result.documents = {}
        try:
            record.final_marks(course, order.assignment, run.report.submissions, run.order.config)
        except Exception as error:
            raise Refused(
                f"everything is graded, but the final marks cannot be read from the gradebook: {error}"
            ) from None
        run.report.submissions.sort(key=lambda result: result.student)
        run.report.new_students.sort()
        return run.report


def _run(course: Course, order: Order, watch: Watcher) -> Run:
    """Everything that is prepared once. Raises Refused."""
    skeleton = skeletons.current(course, order.assignment)
    if skeleton is None:
        raise Refused(
            f"{order.assignment} was never published in {course.root}: type `course publish {order.assignment}`"
        )
    students = _choose(order.submitted or course.submitted, order)
    jobs = order.jobs or len(os.sched_getaffinity(0))
    number = seed.of_assignment(course, order.assignment, order.seed, order.new_seed)
    watch("references", 0, None)
    try:
        told = lambda done, total, exercise: watch("reference", done, (total, exercise))  # noqa: E731
        prepared = prepare(skeleton, number, jobs, order.pretrained, told)
    except (CheckFault, faults.Fault) as error:
        raise Refused(f"the references could not be computed: {error}") from None
    stored = skeletons.versions(course, order.assignment)
    run = Run(
        course,
        order,
        skeleton,
        stored,
        prepared,
        students,
        number,
        jobs,
        Report(order.assignment, seed.public_id(number)),
    )
    try:
        canary.prove(run.task(Submission("canary")), skeleton.solutions, skeleton.edition)
    except canary.CanaryDied as error:
        raise Refused(f"nothing was graded, because grading does not work here: {error}") from None
    return run


def _with_settings(course: Course, order: Order) -> Order:
    """The order with nbgrader's settings. What is wrong with them, or with the extensions, is said
    before anything is graded.
    """
    try:
        extensions.read(course)
        config = settings.of(course) if order.config is None else order.config
        own = (
            order.budget
            if isinstance(order.budget, Budget)
            else budget.of(config, order.budget or {})
        )
        return replace(order, config=config, budget=own)
    except (settings.SettingsError, extensions.ExtensionError, budget.BudgetError) as error:
        raise Refused(str(error)) from None


def _choose(submitted: Path, order: Order) -> list[str]:
    found = intake.students(submitted, order.assignment)
    if missing := sorted(set(order.students) - set(found)):
        raise Refused(f"no submission of {order.assignment} by {', '.join(missing)} in {submitted}")
    if not found:
        raise Refused(
            f"{submitted} holds no submission of {order.assignment}: it should look like {submitted}/STUDENT/{order.assignment}/*.ipynb"
        )
    return sorted(set(order.students)) or found


def _graded(run: Run, watch: Watcher) -> Iterator[SubmissionResult]:
    """Results as they are ready, each journaled and recorded. At most twice as many submissions are
    in memory as run at once.

    A submission whose time is over comes again behind all others.
    """
    queue: deque[tuple[str, SubmissionResult | None]] = deque(
        (student, None) for student in run.students
    )
    waiting: dict[Future, str] = {}
    since: dict[str, float] = {}
    with _executor(run.order.scheduler, run.jobs) as executor:
        while queue or waiting:
            while queue and len(waiting) < 2 * run.jobs:
                yield from _begin(run, executor, waiting, *queue.popleft())
            done = wait(waiting, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED).done
            for future in done:
                student = waiting.pop(future)
                since.pop(student, None)
                if later := _unfinished(future):
                    watch("later", 0, student)
                    queue.append((student, later))
                else:
                    yield _finish(run, student, future)
            now, running = (
                time.monotonic(),
                [student for future, student in waiting.items() if future.running()],
            )
            looks = {
                student: run.pending[student].looks(since.setdefault(student, now))
                for student in running
            }
            watch("running", len(looks), looks)


def _begin(
    run: Run,
    executor: Executor,
    waiting: dict[Future, str],
    student: str,
    before: SubmissionResult | None,
) -> Iterator[SubmissionResult]:
    """Put a submission to work, or give its result at once: from the journal, or because it cannot
    be begun.
    """
    try:
        submission = run.take(student)
    except intake.IntakeFault as error:
        yield SubmissionResult(intake.shown(student), 0.0, fault=str(error))
        return
    if before is None:
        keys, entry = run.keys.keys(submission), run.journal.read(student)
        is_done = entry.is_recorded and student in run.in_gradebook
        if not run.order.force and (old := unchanged(entry, keys, with_documents=not is_done)):
            run.report.resumed += 1
            yield _recorded(run, keys, old, is_done)
            return
        run.pending[student] = pending = Pending(keys, _carried(run, entry, keys, submission))
        run.report.why[student] = pending.carried.why
    try:
        waiting[executor.submit(engine.grade, _task(run, submission, before))] = student
    except ClusterRefused:
        raise
    except RuntimeError as error:  # no thread can be started
        yield _fault(student, Way.EXCEPTION, Moment.GRADING, error)


def _unfinished(future: Future) -> SubmissionResult | None:
    """The result of a submission that is to come again."""
    return future.result() if future.exception() is None and future.result().waiting else None


def _carried(run: Run, entry: Entry, keys: Keys, submission: Submission) -> Carried:
    """What the last run's result still gives; a cluster's workers grade submissions whole."""
    if run.order.force:
        return Carried(why=dict.fromkeys(keys.runs, "--force"))
    found = carry(entry, keys, submission, run.skeleton)
    return found if run.order.scheduler is None else Carried(why=found.why)


def _task(run: Run, submission: Submission, before: SubmissionResult | None) -> engine.Task:
    pending = run.pending[submission.student]
    own = (
        {"before": before, "turn": 2}
        if before
        else {"before": pending.carried.before, "stored": pending.carried.stored}
    )
    here = {"answers": pending.answers, "at": pending.at} if run.order.scheduler is None else {}
    return replace(run.task(submission), **here, **own)


def _finish(run: Run, student: str, future: Future) -> SubmissionResult:
    pending = run.pending.pop(student)
    try:
        result = future.result()
    except Exception as error:
        return _fault(student, Way.WORKER_LOST, Moment.GRADING, error)
    if result.status != UNGRADED:
        try:
            run.journal.write(
                student, pending.keys.to_json(), result, pending.answers, pending.carried.keeping
            )
        except OSError as error:
            return _fault(student, Way.EXCEPTION, Moment.JOURNALING, error)
    return _recorded(run, pending.keys, result)


def _recorded(
    run: Run, keys: Keys, result: SubmissionResult, is_done: bool = False
) -> SubmissionResult:
    """Record a result in the gradebook unless it is there; what was not graded is never recorded."""
    if result.status == UNGRADED or is_done:
        return result
    try:
        run.recorder.record(result)
    except Exception as error:
        why = faults.reason(Place.COORDINATOR, Way.EXCEPTION, Moment.RECORDING, str(error))
        result.fault = f"graded, but not recorded: {why}. Nothing is graded twice"
        return result
    # Without this note it is recorded once more, which changes nothing.
    with contextlib.suppress(OSError):
        run.journal.mark_recorded(result.student)
    return result


def _fault(student: str, way: Way, moment: Moment, error: Exception) -> SubmissionResult:
    why = faults.reason(Place.COORDINATOR, way, moment, f"{type(error).__name__}: {error}")
    return SubmissionResult(student, 0.0, fault=why)


@contextmanager
def _executor(scheduler: Scheduler | None, jobs: int) -> Iterator[Executor]:
    """Threads that wait for boxes here; or a Dask cluster, when a scheduler is given."""
    if scheduler is None:
        group = boxes.Group()
        executor = ThreadPoolExecutor(jobs, "grade", group.join)
        try:
            yield executor
        except BaseException:  # Ctrl-C, or a fault: what runs would hold the command up, and is graded again by the next one
            group.end()
            raise
        finally:
            executor.shutdown(wait=True, cancel_futures=True)
        return
    try:
        with ClusterExecutor(scheduler) as executor:
            yield executor
    except ClusterRefused as refusal:
        raise Refused(str(refusal)) from None


@contextmanager
def alone(course: Course) -> Iterator[None]:
    """One grading run a course at a time: two would write the gradebook at once."""
    with open(course.private() / "lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(
                f"another `course grade` is at work in {course.root}: wait for it, or stop it"
            ) from None
        yield
