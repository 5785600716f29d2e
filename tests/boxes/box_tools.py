"""Run notebooks in real boxes, for the tests of this folder."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from nbjudge import boxes, exercises, wire
from nbjudge.contract import Case

RUNNER = "nbjudge.boxes.inside.runner"
CHECKER = "nbjudge.boxes.inside.checker"
ARCHIVE = "nbjudge.boxes.inside.archive"  # the one that imports least
MIB = 1 << 20


@dataclass
class Ran:
    """`texts` is what each cell printed or showed as text, `errors` the names of the exceptions
    that it ended with.
    """

    ended: str
    detail: str
    cells: dict[int, dict] = field(default_factory=dict)
    answers: dict[str, wire.Frame] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    frames: list[wire.Frame] = field(default_factory=list)

    def status(self, index: int) -> str:
        return self.cells[index]["status"]

    def text(self, index: int) -> str:
        outputs = self.cells[index]["outputs"]
        return "".join(
            output.get("text") or output.get("data", {}).get("text/plain") or output.get("evalue")
            for output in outputs
        )

    def error(self, index: int) -> str | None:
        return next(
            (
                output["ename"]
                for output in self.cells[index]["outputs"]
                if output["output_type"] == "error"
            ),
            None,
        )

    def outcome(self, case: str) -> str:
        return self.answers[case].header["outcome"]


def run_cells(
    *sources: str,
    cases: list[Case] = (),
    files: dict[str, bytes] | None = None,
    limits: dict | None = None,
    exercise: str = "inspect",
    reply: Callable[[wire.Frame], bytes] | None = None,
    start: Callable[..., boxes.BoxRun] | None = None,
    **job,
) -> Ran:
    """One notebook in one box. `cases` are of `exercise`, served by `reply`; `limits` change fields
    of the runner's; `job` the job's.

    `start` is that of a series of boxes.
    """
    mode = "exercises" if cases else "plain"
    cells = [{"index": index, "source": source} for index, source in enumerate(sources)]
    sent = [wire.encode("job", **{"mode": mode, "cells": cells, **job})]
    sent += [wire.encode("file", {"data": data}, path=path) for path, data in (files or {}).items()]
    told = [
        {
            "exercise": exercise,
            "name": case.name,
            "parameters": dict(case.parameters),
            "public": case.public,
        }
        for case in cases
    ]
    sent += [
        wire.encode("case", dict(case.files), **one) for case, one in zip(cases, told, strict=True)
    ]
    sent.append(wire.encode("go"))
    own = replace(boxes.limits_for_runner(), **(limits or {}))
    ended = (
        start(lambda: sent, own, reply=reply)
        if start
        else boxes.run(RUNNER, sent, own, reply=reply)
    )
    ran = Ran(ended.ended, ended.detail, frames=ended.frames)
    for frame in ended.frames:
        if frame.kind == "cell":
            ran.cells[frame.header["index"]] = frame.header
        elif frame.kind == "answer":
            ran.answers[frame.header["case"]] = frame
        elif frame.kind == "file":
            ran.files[frame.header["path"]] = frame.blobs["data"]
    return ran


_series = boxes.Series(RUNNER)
atexit.register(_series.close)


def evaluate(source: str, **changes) -> str:
    """The text that a one-cell notebook prints, or the text of the error that it ends with.

    Its box is that of the test before, where that one left it as it was, as it would be in a
    submission of several notebooks.
    """
    return run_cells(source, start=_series.run, **changes).text(0)


def public_cases() -> list[Case]:
    return exercises.get("inspect").public_cases()
