"""What a lab earns as it was released, found once for a class, in boxes that hold nothing of a
student's.

Many students hand in some notebooks as they got them. Such a notebook runs the same sources on the
same cases for each of them. So it is run and checked once, beside the references, and kept with
them. If anything in that run is not ordinary, nothing is kept, and every notebook is run by itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass

from nbjudge import boxes
from nbjudge.contract import Answer, Case
from nbjudge.grading.document.cells import Notebook
from nbjudge.grading.execution.checker import CheckFault, judge
from nbjudge.grading.execution.progress import CellRun, NotebookRun
from nbjudge.grading.execution.runner import run_notebook
from nbjudge.grading.execution.sandboxes import Sandboxes, imports
from nbjudge.grading.faults.faults import Fault
from nbjudge.verdict import Verdict

# How a stub ends: it is missing, or raises. Both leave nothing that would have to be kept.
ORDINARY = frozenset({"missing", "raised"})
References = Mapping[str, bytes]


@dataclass(frozen=True)
class Untouched:
    """The run of a notebook and the verdicts by exercise; `sources` are those of its cells, None
    for one that is not run.
    """

    sources: tuple[str | None, ...]
    run: NotebookRun
    verdicts: Mapping[str, Verdict]

    def to_json(self) -> bytes:
        cells = {str(index): asdict(cell) for index, cell in self.run.cells.items()}
        answers = {
            exercise: {
                case: [answer.outcome, dict(answer.error)] for case, answer in several.items()
            }
            for exercise, several in self.run.answers.items()
        }
        verdicts = {exercise: verdict.to_json() for exercise, verdict in self.verdicts.items()}
        return json.dumps(
            {"sources": self.sources, "cells": cells, "answers": answers, "verdicts": verdicts}
        ).encode()

    @classmethod
    def from_json(cls, data: bytes) -> Untouched:
        """Anew each time: what is recorded is changed later."""
        record = json.loads(data)
        answers = {exercise: _answers(several) for exercise, several in record["answers"].items()}
        cells = {int(index): CellRun(**cell) for index, cell in record["cells"].items()}
        verdicts = {key: Verdict.from_json(one) for key, one in record["verdicts"].items()}
        return cls(tuple(record["sources"]), NotebookRun(cells, answers), verdicts)


def sources(notebook: Notebook) -> tuple[str | None, ...]:
    """What decides how a notebook runs: the sources of its code cells, in their places."""
    return tuple(
        "".join(cell["source"]) if cell["cell_type"] == "code" else None
        for cell in notebook["cells"]
    )


def _answers(record: Mapping[str, tuple]) -> dict[str, Answer]:
    return {case: Answer(outcome, error=error) for case, (outcome, error) in record.items()}


def find(
    notebook: Notebook,
    cases: Mapping[str, Sequence[Case]],
    references: Mapping[str, References],
    sandboxes: Sandboxes,
) -> bytes | None:
    """The released notebook's run and verdicts, as `Untouched.to_json` gives them."""
    # Whoever hands it in meets the same fault, and is told.
    with suppress(CheckFault, Fault, boxes.SandboxUnavailable):
        run = run_notebook(notebook, cases, start=sandboxes.run, imports=imports(notebook))
        answers = [answer for several in run.answers.values() for answer in several.values()]
        if not run.reason and all(map(_is_ordinary, answers)):
            judging = [f"judge:{exercise}" for exercise in cases]
            verdicts = {
                key: judge(
                    key,
                    list(own),
                    run.answers[key],
                    references[key],
                    start=sandboxes.check,
                    imports=judging,
                    observe=sandboxes.observe,
                )
                for key, own in cases.items()
            }
            return Untouched(sources(notebook), run, verdicts).to_json()
    return None


def _is_ordinary(answer: Answer) -> bool:
    return answer.outcome in ORDINARY and not answer.files
