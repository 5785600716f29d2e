"""Grade a class: prepare once, grade submissions side by side, write journal and gradebook one at a
time.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from autograder import boxes
from autograder.grading import (
    budget,
    engine,
    extensions,
    faults,
    intake,
    outlines,
    record,
    seed,
    settings,
    skeletons,
)
from autograder.grading.batch import Pending, Run, Sandbox
from autograder.grading.budget import Budget
from autograder.grading.carried import Carried, carry, unchanged
from autograder.grading.checker import CheckFault
from autograder.grading.cluster import ClusterExecutor, ClusterRefused, Scheduler
from autograder.grading.faults import Moment, Place, Way
from autograder.grading.folders import Course
from autograder.grading.intake import Submission
from autograder.grading.journal import Entry
from autograder.grading.keys import Keys
from autograder.grading.order import Order, Refused, Report
from autograder.grading.references import Prepared, prepare
from autograder.grading.results import UNGRADED, SubmissionResult

POLL_SECONDS = 0.5
Watcher = Callable[[str, int, Any], None]


def grade(
    course: Course, order: Order, watch: Watcher = lambda event, count, result: None
) -> Report:
    """Grade an assignment. `watch` hears ("references", 0, None), ("start", total, None), ("reference",
    number, (total, exercise)) for each that is ready, before or after that, again and again ("running", number,
    {student: (seconds, notebook)}), ("later", 0, student) for a submission that goes to the back of
    the queue, and ("done", number, result) for each that is over. The notebook is empty where
    workers grade.

    Every result is in the journal before it is in the gradebook, so a run that is killed at any
    moment loses nothing and another goes on where it stopped. Raises Refused when nothing could be
    started: no sandbox, nothing published, no such submissions.

    The sandbox is tried, the exercises are made ready, and the canary is sent, before the first box
    that grades: a run with nothing new needs none of it.
    """
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
    sandbox = Sandbox(course.root)
    told = lambda done, total, exercise: watch("reference", done, (total, exercise))  # noqa: E731
    ready = cache(partial(_ready, skeleton, number, jobs, order.pretrained, told, sandbox.prove))
    watch("references", 0, None)
    outlined = outlines.known(skeleton, number, order.pretrained)
    if outlined is None:
        outlined = {name: each.outline for name, each in ready().items()}
    stored = skeletons.versions(course, order.assignment)
    return Run(
        course,
        order,
        skeleton,
        stored,
        outlined,
        ready,
        students,
        number,
        jobs,
        sandbox,
        Report(order.assignment, seed.public_id(number)),
    )


def _ready(*asked) -> dict[str, Prepared]:
    try:
        return prepare(*asked)
    except (CheckFault, faults.Fault) as error:
        raise Refused(f"the references could not be computed: {error}") from None


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
    except Exception as error:  # a bug of ours: it costs nobody else
        yield _fault(student, Way.EXCEPTION, Moment.TAKING, error)
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
    run.prove()
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
        except Exception as error:
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
