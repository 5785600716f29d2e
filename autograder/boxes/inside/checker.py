"""The program of a checker box: judge one exercise's answers, or digest the reference's, or observe
answers that are things to be run.

In: `job` {"exercise", "op": "check" | "digest" | "observe"}; `case` {"name", "parameters",
"public", "seed"} and its files; `answer` {"case", "outcome", "error"} and its files; `reference`
{"case"} and the blob `reference.safetensors`, never where answers are observed. Out: `progress`
{"rung", "case"} before each look, then `verdict` {"verdict"}; or one `digest` {"case"} with the
blob `reference.safetensors` for each case; or `observing` {"case"} before each case and `observed`
{"case", "outcome", "error"} and its files after it; last `done`. An exception of our own checks
becomes `fault` {"detail"}: it is nobody's mark.

A box for several jobs (`series`, see `runner`) gets `go` at the end of each, and in its `job` the
modules to import before (`imports`). Every job is done by a process of its own, forked from the
template, that has that job's frames and nothing of the others'. What it says goes through process
1; when it does not end well, neither does the box.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import resource
import signal
import socket
import sys
import time
import traceback

from safetensors import numpy as safetensors

from autograder import exercises, wire
from autograder.boxes.inside.channel import OUT_OF_MEMORY, OUT_OF_TIME, Channel, Frames
from autograder.boxes.inside.template import Template, reap
from autograder.boxes.inside.workdir import clear
from autograder.contract import Answer, Case, Reference
from autograder.rungs.ladder import MISSING, climb

SAID = frozenset({"progress", "verdict", "digest", "observing", "observed", "fault", "done"})


def main(handle: int | None = None) -> None:
    """A box's program; with the `handle` of a line to process 1, that of a single job."""
    exercises.use(exercises.IN_BOX)
    if handle is not None:
        line = socket.socket(fileno=handle)
        os._exit(_work(Frames(line.makefile("rb"), line.makefile("wb"))))
    template = Template()  # before anything is read, and before there is a second thread
    channel = Channel()
    first = next(channel.frames(), None)
    if not channel.is_series:
        sys.exit(_work(channel, first))
    while first is not None:
        _relay(template, channel, first)
        template.sweep()
        if not clear():
            return
        channel.free()
        first = next(channel.frames(), None)
    os._exit(0)


def _relay(template: Template, channel: Channel, first: wire.Frame) -> None:
    """Have one job done, and pass on what is said. Ends the box unless the job ended well."""
    template.load(first.header.get("imports", ()))
    ours, theirs = socket.socketpair()
    with theirs:
        pid = template.spawn(__spec__.name, theirs.fileno(), {}, "/tmp", offline=True)
    with ours, contextlib.suppress(BrokenPipeError, ConnectionResetError):
        line = Frames(ours.makefile("rb"), ours.makefile("wb"))
        for frame in itertools.chain([first], channel.frames()):
            line.send(
                frame.kind,
                frame.blobs,
                **{key: value for key, value in frame.header.items() if key != "kind"},
            )
            if frame.kind == "go":
                break
        for frame in line.frames():
            if frame.kind in SAID:
                channel.send(
                    frame.kind,
                    frame.blobs,
                    **{key: value for key, value in frame.header.items() if key != "kind"},
                )
    if code := _code(pid):
        sys.exit(code)


def _code(pid: int) -> int:
    """The exit status that tells how the process of a job ended."""
    while True:
        for ended, status, seconds in reap():
            if ended == pid:
                code = os.waitstatus_to_exitcode(status)
                if (
                    code == -signal.SIGKILL
                    and seconds > resource.getrlimit(resource.RLIMIT_CPU)[0] - 1
                ):
                    return OUT_OF_TIME
                return code if code >= 0 else 128 - code
        time.sleep(0.001)


def _work(channel: Frames, first: wire.Frame | None = None) -> int:
    """Do the job whose frames the channel holds, behind its `first`. The exit status."""
    try:
        _serve(channel, first)
    except MemoryError:
        return OUT_OF_MEMORY
    except Exception:
        channel.send("fault", detail=traceback.format_exc(limit=-8))
    else:
        channel.send("done")
    return 0


def _serve(channel: Frames, first: wire.Frame | None) -> None:
    job: dict = {}
    cases: list[Case] = []
    answers: dict[str, Answer] = {}
    references: dict[str, Reference] = {}
    for frame in itertools.chain([first] if first else [], channel.frames()):
        header = frame.header
        if frame.kind == "job":
            job = header
        elif frame.kind == "case":
            cases.append(
                Case(
                    header["name"],
                    frame.blobs,
                    header["parameters"],
                    header["public"],
                    header["seed"],
                )
            )
        elif frame.kind == "answer":
            answers[header["case"]] = Answer(header["outcome"], frame.blobs, header["error"])
        elif frame.kind == "reference":
            references[header["case"]] = safetensors.load(frame.blobs["reference.safetensors"])
        elif frame.kind == "go":
            break
    exercise = exercises.get(job["exercise"])
    if job["op"] == "digest":
        for case in cases:
            arrays = exercise.digest(case, answers.get(case.name, MISSING))
            channel.send(
                "digest", {"reference.safetensors": safetensors.save(arrays)}, case=case.name
            )
    elif job["op"] == "observe":
        for case in cases:
            channel.send("observing", case=case.name)
            seen = exercise.judge.observe(case, answers.get(case.name, MISSING))
            channel.send(
                "observed",
                dict(seen.files),
                case=case.name,
                outcome=seen.outcome,
                error=dict(seen.error),
            )
    else:
        verdict = climb(
            exercise,
            cases,
            answers,
            references,
            lambda rung, case: channel.send("progress", rung=rung, case=case),
        )
        channel.send("verdict", verdict=verdict.to_json())


if __name__ == "__main__":
    main()
