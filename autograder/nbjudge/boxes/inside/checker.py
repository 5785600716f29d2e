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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from safetensors import numpy as safetensors

from nbjudge import exercises, wire
from nbjudge.boxes.inside.channel import OUT_OF_MEMORY, OUT_OF_TIME, Channel, Frames
from nbjudge.boxes.inside.template import Template, TemplateLost, reap
from nbjudge.boxes.inside.workdir import clear
from nbjudge.boxes.limits import is_used_up
from nbjudge.contract import Answer, Case, Exercise, Reference
from nbjudge.contract.authored import ExerciseBroken
from nbjudge.rungs.ladder import MISSING, climb

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
        template.close()
        sys.exit(_work(channel, first))
    try:
        _serve_series(template, channel, first)
    except TemplateLost as error:
        # No job can reach the template: as if process 1 had been killed, which is nobody's mark.
        print(error, file=sys.stderr)
        sys.exit(_status(-signal.SIGKILL))
    except OSError as error:  # no process, no descriptor: nothing that a job could take away
        channel.send("fault", detail=f"{type(error).__name__}: {error}")
    template.close()


def _serve_series(template: Template, channel: Channel, first: wire.Frame | None) -> None:
    while first is not None:
        _relay(template, channel, first)
        template.sweep()
        if not clear():
            return
        channel.free()
        first = next(channel.frames(), None)


def _relay(template: Template, channel: Channel, first: wire.Frame) -> None:
    """Have one job done, and pass on what is said. Ends the box unless the job ended well."""
    template.load(first.header.get("imports", ()))
    ours, theirs = socket.socketpair()
    with theirs:
        pid = template.spawn(__spec__.name, theirs.fileno(), {}, "/tmp", offline=True)
    with ours, contextlib.suppress(BrokenPipeError, ConnectionResetError):
        line = Frames(ours.makefile("rb"), ours.makefile("wb"))
        for frame in itertools.chain([first], channel.frames()):
            _pass_on(frame, line)
            if frame.kind == "go":
                break
        for frame in line.frames():
            if frame.kind in SAID:
                _pass_on(frame, channel)
    if code := _code(pid):
        sys.exit(code)


def _pass_on(frame: wire.Frame, to: Frames) -> None:
    told = {key: value for key, value in frame.header.items() if key != "kind"}
    to.send(frame.kind, frame.blobs, **told)


def _code(pid: int) -> int:
    """The exit status that tells how the process of a job ended."""
    while True:
        for ended, status, seconds in reap():
            if ended == pid:
                code = os.waitstatus_to_exitcode(status)
                limit, _ = resource.getrlimit(resource.RLIMIT_CPU)
                if code == -signal.SIGKILL and is_used_up(seconds, limit):
                    return OUT_OF_TIME
                return _status(code)
        time.sleep(0.001)


def _status(code: int) -> int:
    """The exit status that a shell gives for a process that ended with the code, or by the signal
    that it is minus.
    """
    return code if code >= 0 else 128 - code


def _work(channel: Frames, first: wire.Frame | None = None) -> int:
    """Do the job whose frames the channel holds, behind its `first`. The exit status."""
    try:
        _serve(channel, first)
    except MemoryError:
        return OUT_OF_MEMORY
    except ExerciseBroken as error:
        channel.send("fault", detail=f"ExerciseBroken: {error}")
    except Exception:  # whatever breaks in the checks is the harness's fault  # noqa: BLE001
        channel.send("fault", detail=traceback.format_exc(limit=-8))
    else:
        channel.send("done")
    return 0


@dataclass
class _Job:
    """What one job is about, as its frames said it."""

    header: dict = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)
    answers: dict[str, Answer] = field(default_factory=dict)
    references: dict[str, Reference] = field(default_factory=dict)

    @classmethod
    def read(cls, frames: Iterable[wire.Frame]) -> _Job:
        job = cls()
        for frame in frames:
            if frame.kind == "go":
                break
            job._take(frame.kind, frame.header, frame.files)
        return job

    def _take(self, kind: str, header: dict, files: Mapping[str, bytes]) -> None:
        if kind == "job":
            self.header = header
        elif kind == "case":
            self.cases.append(
                Case(
                    name=header["name"],
                    files=files,
                    parameters=header["parameters"],
                    public=header["public"],
                    seed=header["seed"],
                )
            )
        elif kind == "answer":
            self.answers[header["case"]] = Answer(header["outcome"], files, header["error"])
        elif kind == "reference":
            self.references[header["case"]] = safetensors.load(files["reference.safetensors"])


def _serve(channel: Frames, first: wire.Frame | None) -> None:
    job = _Job.read(itertools.chain([first] if first else [], channel.frames()))
    exercise = exercises.get(job.header["exercise"])
    do = {"digest": _digest, "observe": _observe}.get(job.header["op"], _judge)
    do(channel, exercise, job)


def _digest(channel: Frames, exercise: Exercise, job: _Job) -> None:
    for case in job.cases:
        arrays = exercise.digest(case, job.answers.get(case.name, MISSING))
        channel.send("digest", {"reference.safetensors": safetensors.save(arrays)}, case=case.name)


def _observe(channel: Frames, exercise: Exercise, job: _Job) -> None:
    for case in job.cases:
        channel.send("observing", case=case.name)
        seen = exercise.observe(case, job.answers.get(case.name, MISSING))
        channel.send(
            "observed",
            dict(seen.files),
            case=case.name,
            outcome=seen.outcome,
            error=dict(seen.error),
        )


def _judge(channel: Frames, exercise: Exercise, job: _Job) -> None:
    def progress(rung: str, case: str) -> None:
        channel.send("progress", rung=rung, case=case)

    verdict = climb(exercise, job.cases, job.answers, job.references, progress)
    channel.send("verdict", verdict=verdict.to_json())


if __name__ == "__main__":
    main()
