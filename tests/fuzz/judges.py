"""The program that judges corrupted answers, each in a process of its own, as the checker's box
judges them.

`python -m tests.fuzz.judges EXERCISE ...` prepares the exercises' public cases and right answers,
says `ready`, then answers JSON lines on stdin with JSON lines on stdout: {"exercise", "case",
"file", "edits"}, where `bent` makes the edits those of a graph and `hostile` names one instead, with
{"score", "most", "texts"}, {"ended"} or {"fault"}.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
import traceback
from pathlib import Path

from nbjudge.asking import ask
from nbjudge.contract import Answer, Case, Exercise
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.fuzz import hostile_graphs
from tests.fuzz.corruptions import of_file
from tests.fuzz.graph_edits import of_graph
from tests.mutants import reference_functions

SECONDS = 60
MEMORY = 3 << 30
CASES = 4


class Subject:
    """An exercise with its first public cases, the right answers to them, and what they are
    compared with.
    """

    def __init__(self, exercise: Exercise):
        self.exercise = exercise
        self.cases = exercise.public_cases()[:CASES]
        self.answers = {case.name: self._right(case) for case in self.cases}
        self.references = {
            case.name: exercise.digest(case, self._seen(case, self.answers[case.name]))
            for case in self.cases
        }
        for case in self.cases:
            right = self.judge(case, self.answers[case.name])
            # A rung that is about other cases is neither passed nor broken here.
            assert right.broken is None and right.score > 0, (exercise.id, case.name)

    def judge(self, case: Case, answer: Answer):
        return climb(self.exercise, [case], {case.name: self._seen(case, answer)}, self.references)

    def _right(self, case: Case) -> Answer:
        with tempfile.TemporaryDirectory() as scratch:
            return ask(self.exercise, reference_functions(self.exercise.id), case, Path(scratch))

    def _seen(self, case: Case, answer: Answer) -> Answer:
        """What an answer does that is a thing to be run: it is the file that a student can corrupt."""
        return self.exercise.judge.observe(case, answer)

    def _ours(self, case: Case) -> set[str]:
        """The log of a case's server: the coordinator keeps it and overwrites a file of its name,
        so no student can corrupt it.
        """
        server = self.exercise.server(case)
        return set(server.log()) if server else set()

    def corrupted(self, order: dict) -> tuple[Case, Answer]:
        case = self.cases[order["case"] % len(self.cases)]
        files = dict(self.answers[case.name].files)
        theirs = sorted(files.keys() - self._ours(case))
        if order.get("bent") or order.get("hostile"):
            theirs = [name for name in theirs if name.endswith(".onnx")]
        name = theirs[order["file"] % len(theirs)]
        files[name] = _edited(name, files[name], order)
        return case, Answer("returned", files)


def _edited(name: str, data: bytes, order: dict) -> bytes:
    if order.get("hostile"):
        return hostile_graphs.of_graph(data, order["hostile"])
    return (
        of_graph(data, order["edits"]) if order.get("bent") else of_file(name, data, order["edits"])
    )


def child(subject: Subject, order: dict, pipe: int) -> None:
    """Judge, and write what came of it. Whatever the checks raise would be a fault of the harness,
    but for a lack of memory.
    """
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    signal.alarm(2 * SECONDS)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    case, answer = subject.corrupted(order)
    try:
        verdict = subject.judge(case, answer)
        texts = [text for rung in verdict.rungs for text in (rung.expected, rung.found, rung.cause)]
        told = {"score": verdict.score, "most": verdict.max_score, "texts": texts}
    except MemoryError:
        told = {"ended": "memory"}
    except BaseException:
        told = {"fault": traceback.format_exc()}
    with os.fdopen(pipe, "w") as out:
        out.write(json.dumps(told))
    os._exit(0)


def main() -> None:
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    subjects = {name: Subject(get(name)) for name in sys.argv[1:]}
    print(json.dumps("ready"), file=out)
    for line in sys.stdin:
        order = json.loads(line)
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            child(subjects[order["exercise"]], order, writing)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            text = pipe.read()
        _, status = os.waitpid(pid, 0)
        print(text if text else json.dumps({"ended": f"signal {os.WTERMSIG(status)}"}), file=out)


if __name__ == "__main__":
    main()
