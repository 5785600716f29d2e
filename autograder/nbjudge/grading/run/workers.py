"""Where submissions are graded: in threads here, or on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager

from nbjudge import boxes
from nbjudge.grading.cluster import ClusterRefused, Scheduler
from nbjudge.grading.cluster.executor import ClusterExecutor
from nbjudge.grading.config.errors import Refused


def opened(scheduler: Scheduler | None, jobs: int) -> AbstractContextManager[Executor]:
    """Threads that wait for boxes here; or a Dask cluster, when a scheduler is given."""
    return _threads(jobs) if scheduler is None else _cluster(scheduler)


@contextmanager
def _threads(jobs: int) -> Iterator[Executor]:
    group = boxes.Group()
    executor = ThreadPoolExecutor(jobs, "grade", group.join)
    try:
        yield executor
    except BaseException:
        # Ctrl-C, or a fault: what runs would hold the command up, and the next one grades it again.
        group.end()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _cluster(scheduler: Scheduler) -> Iterator[Executor]:
    try:
        with ClusterExecutor(scheduler) as executor:
            yield executor
    except ClusterRefused as refusal:
        raise Refused(str(refusal)) from None
