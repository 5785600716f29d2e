"""The coordinator's end: an Executor whose futures are submissions on a cluster."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nbjudge.grading.cluster import arrivals, parcel, worker
from nbjudge.grading.cluster.scheduler import ClusterRefused, Scheduler
from nbjudge.grading.submission import engine
from nbjudge.grading.submission.task import Task

if TYPE_CHECKING:
    from distributed import Client

# How long the first worker may take to come.
JOIN_SECONDS = 180
TICK = 0.5


class ClusterLost(ConnectionError):
    """The scheduler is gone."""

    def __str__(self) -> str:
        return "the connection to the cluster was lost"


class ClusterExecutor(Executor):
    """Grades `Task`s on workers. A future's exception is Dask's or the worker's where one was lost or
    failed, and arrivals.Rejected where it sent no result of the task.

    The first task opens the connection, because it carries what all of them share. Raises
    ClusterRefused then.
    """

    def __init__(self, scheduler: Scheduler):
        self._scheduler = scheduler
        self._client: Client | None = None

    def submit(self, function: Callable, /, *args: Any, **_kwargs: Any) -> Future:
        """A future of a `Task`'s result, which is the first argument; `function` is engine.grade, which
        is what workers run. Nobody hears at which notebook a worker is.
        """
        if function is not engine.grade:
            raise TypeError("a cluster grades submissions, and nothing else")
        task: Task = args[0]
        if self._client is None:
            self._open(task)
        future: Future = Future()
        future.set_running_or_notify_cancel()
        # The secret names the student's feedback in the exchange, which is no worker's business.
        submission = parcel.pack(replace(task.submission, secret=None))
        try:
            sent = self._workers.submit(worker.grade, self._shared, submission)
        except Exception:  # the scheduler is gone, and what was shared  # noqa: BLE001
            future.set_exception(ClusterLost())
        else:
            sent.add_done_callback(lambda done: _hand_over(done, task, future))
        return future

    def shutdown(
        self,
        wait: bool = True,  # noqa: ARG002  # nobody waits for a cluster
        *,
        cancel_futures: bool = False,  # noqa: ARG002
    ) -> None:
        """Leave the cluster. What is still at work there is given up."""
        if self._client is not None:
            self._client.close()

    def _open(self, task: Task) -> None:
        client = _connected(self._scheduler)
        try:
            _wait_for_a_worker(client, self._scheduler.address)
        except BaseException:
            client.close()
            raise
        self._client = client
        self._workers = client.get_executor(pure=False, resources={worker.offered(): 1})
        # A task of its own that returns its argument: Dask hands the result to whichever worker
        # needs it, and makes it anew where the machine that held it is lost.
        self._shared = client.submit(
            bytes, worker.shared(task), pure=False, resources={worker.offered(): 1}
        )


def _hand_over(done: Future, task: Task, future: Future) -> None:
    """Give what a worker sent to who waits for the task's result."""
    try:
        future.set_result(arrivals.accept(done.result(), task))
    except CancelledError:  # what Dask does with all tasks of a client without a scheduler
        future.set_exception(ClusterLost())
    except Exception as error:  # whatever went wrong, it costs nobody else  # noqa: BLE001
        future.set_exception(error)


def _connected(scheduler: Scheduler) -> Client:
    """A client of the scheduler, which speaks TLS alone. Raises ClusterRefused."""
    try:
        import dask
        from distributed import Client
        from distributed.security import Security
    except ImportError:
        raise ClusterRefused(
            "grading on a cluster needs Dask: type `pip install -c requirements.lock '.[course,scale]'` in the course's folder"
        ) from None
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what it would say is in the faults
    # What submissions share is large, and is meant to be.
    dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"})
    security = Security(
        require_encryption=True,
        tls_ca_file=scheduler.ca,
        tls_client_cert=scheduler.cert,
        tls_client_key=scheduler.key,
    )
    try:
        return Client(
            scheduler.address, security=security, timeout=scheduler.seconds, set_as_default=False
        )
    except Exception as error:  # Dask's errors have no common type  # noqa: BLE001
        raise ClusterRefused(f"nothing is graded at {scheduler.address}: {_why(error)}") from None


def _wait_for_a_worker(client: Client, address: str) -> None:
    """Raises ClusterRefused where none comes that has this version of the package."""
    deadline = time.monotonic() + JOIN_SECONDS
    while time.monotonic() < deadline:
        present = client.scheduler_info(n_workers=-1)["workers"]
        if any(worker.offered() in one["resources"] for one in present.values()):
            return
        if present:
            unfit = "; ".join(f"{name}: {_unfit(one)}" for name, one in sorted(present.items())[:3])
            raise ClusterRefused(f"nothing is graded at {address}: no worker can grade: {unfit}")
        time.sleep(TICK)
    raise ClusterRefused(f"nothing is graded at {address}: the scheduler has no worker")


def _unfit(one: dict) -> str:
    if any(name.startswith(worker.OFFER) for name in one["resources"]):
        return "it has another version of nbjudge installed"
    return "it was not started with `deploy/dask/worker.sh`, which tries its sandbox"


def _why(error: Exception) -> str:
    """What was wrong first: Dask wraps it several times."""
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) and len(causes) < 5:
        causes.append(cause)
    return next((str(one) for one in reversed(causes) if str(one)), type(error).__name__)[:500]
