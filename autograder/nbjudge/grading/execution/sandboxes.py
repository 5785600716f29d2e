"""The boxes of one submission: one that runs its notebooks, one that checks the answers.

Each takes its notebooks one after the other (`boxes.Series`). They belong to one student, and to
the thread that opened them.
"""

from __future__ import annotations

import ast
import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from functools import lru_cache
from queue import Empty, SimpleQueue
from typing import TypeVar

from nbjudge import boxes
from nbjudge.grading.document import syntax
from nbjudge.grading.document.cells import Notebook

RUNNER = "nbjudge.boxes.inside.runner"
CHECKER = "nbjudge.boxes.inside.checker"
DRAWER = "nbjudge.boxes.inside.draw"
POLL_SECONDS = 0.2
Item = TypeVar("Item")
Result = TypeVar("Result")
# Starts a job: frames (made anew when it is begun again), limits, then what `boxes.run` takes.
Start = Callable[..., boxes.BoxRun]


class Sandboxes:
    """A context manager. Boxes are started when they are needed first; `before` is called ahead of
    each job. `observe`, `view` and `draw` take a fresh box for each job, the others one for all of theirs.
    """

    def __init__(self, before: Callable[[], None] = lambda: None):
        self._before = before

    def __enter__(self) -> Sandboxes:
        with ExitStack() as stack:
            self.run, self.check = (
                self._after(stack.enter_context(boxes.Series(name)).run)
                for name in (RUNNER, CHECKER)
            )
            self._stack = stack.pop_all()
        self.observe = self._after(_fresh(CHECKER))
        self.draw = self._after(_fresh(DRAWER))
        self.view = self._after(_fresh(RUNNER))
        return self

    def __exit__(self, *_) -> None:
        self._stack.close()

    def _after(self, start: Start) -> Start:
        def run(*job, **options) -> boxes.BoxRun:
            self._before()
            return start(*job, **options)

        return run


def spread(
    items: Sequence[Item],
    work: Callable[[Item, Sandboxes], Result],
    jobs: int,
    before: Callable[[], None] = lambda: None,
) -> Iterator[tuple[Item, Result]]:
    """`work(item, sandboxes)` for each item, in threads that each have boxes of their own; results
    as they are ready.

    For what we trust alone: one thread's items share its boxes. The first exception of `work` ends
    it, and is raised here. `before` is called ahead of each job in a box.
    """
    left = deque(items)
    ready: SimpleQueue[tuple[Item, Result]] = SimpleQueue()

    def loop() -> None:
        with Sandboxes(before) as sandboxes, contextlib.suppress(_Empty):
            while True:
                item = _take(left)
                ready.put((item, work(item, sandboxes)))

    group = boxes.Group()
    with ThreadPoolExecutor(jobs, "spread", group.join) as pool:
        futures = [pool.submit(loop) for _ in range(jobs)]
        try:
            for _ in items:
                yield _first(ready, futures)
        except BaseException:
            group.end()
            raise
        finally:
            left.clear()


class _Empty(Exception):
    """Nothing is left to do."""


def _take(left: deque[Item]) -> Item:
    try:
        return left.popleft()
    except IndexError:
        raise _Empty from None


def _first(ready: SimpleQueue, futures: Sequence[Future]) -> tuple:
    while True:
        with contextlib.suppress(Empty):
            return ready.get(timeout=POLL_SECONDS)
        for future in futures:
            if future.done():
                future.result()


def once(module: str) -> Start:
    """A fresh box for each job."""

    def start(frames, limits, **options) -> boxes.BoxRun:
        return boxes.run(module, frames(), limits, **options)

    return start


def _fresh(module: str) -> Start:
    """A box of its own for each job."""

    def start(*job, **options) -> boxes.BoxRun:
        with boxes.Series(module) as series:
            return series.run(*job, **options)

    return start


def imports(notebook: Notebook) -> tuple[str, ...]:
    """The modules that a published notebook imports, for the template that its kernel is forked
    from.
    """
    found: dict[str, None] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            found |= dict.fromkeys(_imported("".join(cell["source"])))
    return tuple(found)


@lru_cache(maxsize=1024)
def _imported(source: str) -> list[str]:
    try:
        tree = syntax.parse(source)
    except (SyntaxError, ValueError):  # a line for IPython alone
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found
