"""The search in a process of its own: a native fault, a full memory or a long run ends that process and
nothing else. `python -m formatlab.why.child REQUEST` prints a line of JSON for everything that it
begins, with the answer so far.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from formatlab.diff import CannotDiff
from formatlab.measure.errors import first_line
from formatlab.why.answer import Answer
from formatlab.why.question import CannotFeed, load
from formatlab.why.steps import Ask, Steps

MEMORY = 12 << 30
REFUSED = 2


def main(path: str) -> None:
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what native code prints is no line of ours
    _limit()

    def tell(doing: str, answer: Answer) -> None:
        lines.write(json.dumps({"doing": doing, "answer": answer.to_json()}) + "\n")
        lines.flush()

    try:
        answer = Steps(read(json.loads(Path(path).read_text()), Path(path).parent), tell).run()
    except (CannotDiff, CannotFeed) as problem:
        lines.write(json.dumps({"refused": str(problem)}) + "\n")
        lines.close()
        sys.exit(REFUSED)
    except Exception as problem:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
        lines.write(json.dumps({"stopped": first_line(problem)}) + "\n")
        lines.close()
        sys.exit(1)
    lines.write(json.dumps({"done": answer.to_json()}) + "\n")
    lines.close()


def _limit() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def read(request: dict[str, Any], folder: Path) -> Ask:
    notes: list[str] = []
    return Ask(
        a=load(request["a"], "A", notes),
        b=None if request["b"] is None else load(request["b"], "B", notes),
        notes=notes,
        feeds=_arrays(request["feeds"]),
        expected=_arrays(request["expected"]),
        seed=request["seed"],
        runs=request["runs"],
        sizes=request["sizes"],
        ranges={name: tuple(pair) for name, pair in request["ranges"].items()},
        seconds=request["seconds"],
        reproducer=Path(request["reproducer"]) if request["reproducer"] else None,
        folder=folder,
        careful=request["careful"],
    )


def _arrays(given: Any) -> Any:
    """A user's file stays a path; arrays that the caller had come as files of their own."""
    if isinstance(given, dict):
        found = []
        for path in given["runs"]:
            with np.load(path) as file:
                found.append({name: file[name] for name in file.files})
        return found
    return given


if __name__ == "__main__":
    main(sys.argv[1])
