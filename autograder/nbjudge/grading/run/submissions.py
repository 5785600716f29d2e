"""What becomes of the submissions of a run: each is taken, put to work, journaled and recorded."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import replace
from typing import Any

from nbjudge.grading.cluster import ClusterRefused
from nbjudge.grading.faults import remedies
from nbjudge.grading.faults.policy import Moment, Place, Way
from nbjudge.grading.intake import intake, untrusted
from nbjudge.grading.intake.intake import Submission
from nbjudge.grading.marks.results import UNGRADED, Earlier, SubmissionResult
from nbjudge.grading.reuse.journal import Entry
from nbjudge.grading.reuse.keys import Keys, of_ours_alone
from nbjudge.grading.reuse.reused import Reused, reuse, unchanged
from nbjudge.grading.run import workers
from nbjudge.grading.run.batch import Pending, Run
from nbjudge.grading.submission import engine
from nbjudge.grading.submission.task import Task

POLL_SECONDS = 0.5
Watcher = Callable[[str, int, Any], None]


def graded(run: Run, watch: Watcher) -> Generator[SubmissionResult]:
    """Results as they are ready, each journaled and recorded. At most twice as many submissions are
    in memory as run at once.

    A submission whose time is over comes again behind all others.
    """
    queue: deque[tuple[str, SubmissionResult | None]] = deque(
        (student, None) for student in run.students
    )
    waiting: dict[Future, str] = {}
    since: dict[str, float] = {}
    with workers.opened(run.request.scheduler, run.jobs) as executor:
        while queue or waiting:
            while queue and len(waiting) < 2 * run.jobs:
                yield from _begin(run, executor, waiting, *queue.popleft())
            ready = []
            for future in wait(waiting, POLL_SECONDS, FIRST_COMPLETED).done:
                student = waiting.pop(future)
                since.pop(student, None)
                if later := _unfinished(future):
                    watch("later", 0, student)
                    queue.append((student, later))
                else:
                    ready.append(_finish(run, student, future))
            for result in ready:
                if result.earlier is not None:
                    watch("changed", 0, result)
            yield from _recorded(run, ready)
            looks = _looks(run, waiting, since)
            watch("running", len(looks), looks)


def _looks(
    run: Run, waiting: Mapping[Future, str], since: dict[str, float]
) -> dict[str, tuple[float, str]]:
    """By student, how long each submission that runs has been at work, and at which notebook it
    is.
    """
    now = time.monotonic()
    running = [student for future, student in waiting.items() if future.running()]
    return {
        student: run.pending[student].looks(since.setdefault(student, now)) for student in running
    }


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
    submission = _taken(run, student)
    if isinstance(submission, SubmissionResult):
        yield submission
        return
    if before is None and (known := _known(run, student, submission)):
        yield from known
        return
    run.prove()
    try:
        task = _task(run, submission, before)
        waiting[executor.submit(engine.grade, task, run.pending[student].begin)] = student
    except ClusterRefused:
        raise
    except RuntimeError as error:  # no thread can be started
        yield _fault(student, Way.EXCEPTION, Moment.GRADING, error)


def _taken(run: Run, student: str) -> Submission | SubmissionResult:
    """The submission, or the result of one that cannot be taken."""
    try:
        return run.take(student)
    except intake.IntakeFault as error:
        return SubmissionResult(untrusted.shown(student), 0.0, fault=str(error))
    except Exception as error:  # a bug of ours: it costs nobody else  # noqa: BLE001
        return _fault(student, Way.EXCEPTION, Moment.TAKING, error)


def _known(run: Run, student: str, submission: Submission) -> list[SubmissionResult]:
    """The last run's result, recorded, where it still holds. Else the submission is pending, with
    what it takes over from that result.
    """
    keys = run.keys.keys(submission)
    entry = run.journal.read(student)
    is_done = entry.is_recorded and student in run.in_gradebook
    if not run.request.force and (old := unchanged(entry, keys, with_documents=not is_done)):
        run.report.resumed += 1
        return [old] if is_done else _recorded(run, [old])
    why = _is_kept(run, student, entry, keys) if is_done else ""
    if why and (old := entry.result(with_documents=False)):
        run.report.kept[student] = why
        return [old]
    reused = _reused(run, entry, keys, submission)
    before = entry.result(with_documents=False)
    run.pending[student] = Pending(
        keys=keys, reused=reused, score_before=before.score if before else None
    )
    run.report.why[student] = reused.why
    return []


def _is_kept(run: Run, student: str, entry: Entry, keys: Keys) -> str:
    """What of ours changed since the student got the marks, which stay as they were fed back; empty
    where the student is graded again.
    """
    request = run.request
    is_asked = request.regrade or request.force or request.new_seed
    pages = run.course.feedback / student / request.assignment
    if is_asked or not next(pages.glob("*.html"), None):
        return ""
    return of_ours_alone(entry.keys, keys)


def _unfinished(future: Future) -> SubmissionResult | None:
    """The result of a submission that is to come again."""
    return future.result() if future.exception() is None and future.result().waiting else None


def _reused(run: Run, entry: Entry, keys: Keys, submission: Submission) -> Reused:
    """The parts of the last run's result that are reused; none by a cluster, whose workers grade
    submissions whole.
    """
    if run.request.force:
        return Reused(why=dict.fromkeys(keys.runs, "--force"))
    found = reuse(entry, keys, submission, run.skeleton)
    return found if run.request.scheduler is None else Reused(why=found.why)


def _task(run: Run, submission: Submission, before: SubmissionResult | None) -> Task:
    pending = run.pending[submission.student]
    task = run.task(submission)
    if before:
        return replace(task, before=before, turn=2)
    return replace(task, before=pending.reused.before, stored=pending.reused.stored)


def _finish(run: Run, student: str, future: Future) -> SubmissionResult:
    """The result of a submission that is over, in the journal."""
    pending = run.pending.pop(student)
    try:
        result = future.result()
    except Exception as error:  # a worker that is lost costs nobody else  # noqa: BLE001
        return _fault(student, Way.WORKER_LOST, Moment.GRADING, error)
    answers = result.answers
    result.answers = {}
    if result.status == UNGRADED:
        return result
    keys = pending.keys.to_json()
    keeping = pending.reused.keeping
    try:
        run.journal.write(student, keys, result, answers, keeping)
    except Exception as error:  # a bug of ours costs nobody else  # noqa: BLE001
        return _fault(student, Way.EXCEPTION, Moment.JOURNALING, error)
    if pending.score_before not in (None, result.score):
        reasons = run.report.why.get(student, {})
        why = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        result.earlier = Earlier(pending.score_before, why)
    return result


def _recorded(run: Run, results: list[SubmissionResult]) -> list[SubmissionResult]:
    """Record results in the gradebook, together; what was not graded is never recorded."""
    wanted = [result for result in results if result.status != UNGRADED]
    if not wanted:
        return results
    try:
        run.recorder.record(wanted)
    except Exception as error:  # all of them are recorded apart  # noqa: BLE001
        run.recorder.close()  # none of them is recorded
        _record_apart(run, wanted, error)
        return results
    for result in wanted:
        # Without this note it is recorded once more, which changes nothing.
        with contextlib.suppress(OSError):
            run.journal.mark_recorded(result.student)
    return results


def _record_apart(run: Run, results: list[SubmissionResult], error: Exception) -> None:
    """Record one by one what could not be recorded together: one of them must not cost the others.
    Of the one that cannot be recorded alone, say so.
    """
    if len(results) > 1:
        for result in results:
            _recorded(run, [result])
    else:
        why = remedies.reason(Place.COORDINATOR, Way.EXCEPTION, Moment.RECORDING, str(error))
        results[0].fault = f"graded, but not recorded: {why}. Nothing is graded twice"


def _fault(student: str, way: Way, moment: Moment, error: Exception) -> SubmissionResult:
    why = remedies.reason(Place.COORDINATOR, way, moment, f"{type(error).__name__}: {error}")
    return SubmissionResult(student, 0.0, fault=why)
