"""The program of a box in which a student's functions run as they were handed in, and with one small
change each, on inputs that fit on paper.

In: `job` {"exercise", "given": [sources], "cells": [sources], "seed", "most", "seconds",
"variant_seconds", "imports"}, then `input` {"number", "parameters"} with its files, up to `go`.
`given` are the notebook's other cells: what they define runs first, if the program reads it, and may
fail. `cells` are the student's: those that define something are one program, which is changed.

Out: what `defending.program.versions` says, and between for each input what `answers` does, as
`ran` {"variant", "input", "outcome", "lines", "values"}. A variant that does not answer in time has
no further `ran`.

Each variant is a process of its own, forked from the template. Process 1, which knows the mutants,
passes on texts alone, under caps: a variant can say something wrong of itself, and of nothing else.
"""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import sys
import time
from collections.abc import Iterable, Iterator

from nbjudge import exercises, plain_text, wire
from nbjudge.boxes.inside.channel import Channel, Frames
from nbjudge.boxes.inside.template import Template, reap
from nbjudge.boxes.inside.workdir import clear
from nbjudge.contract import Case
from nbjudge.defending.program import (
    LONGEST,
    LONGEST_VALUE,
    MOST_LOOKS,
    MOST_VALUES,
    Version,
    answers,
    versions,
)

# Of one variant. Its texts are short.
MOST_BYTES = 1 << 20
# What a variant may wait for, as a multiple of what it may compute.
PATIENCE = 10


def main(handle: int | None = None) -> None:
    """The box's program; with the `handle` of a line to process 1, that of one variant."""
    exercises.use(exercises.IN_BOX)
    if handle is not None:
        line = socket.socket(fileno=handle)
        _answer(Frames(line.makefile("rb"), line.makefile("wb")))
        os._exit(0)
    template = Template()  # before anything is read, and before there is a second thread
    channel = Channel()
    sent = list(_up_to_go(channel.frames()))
    if sent:
        _serve(template, channel, sent)
    template.close()
    sys.exit(0)


def _up_to_go(frames: Iterable[wire.Frame]) -> Iterator[wire.Frame]:
    for frame in frames:
        if frame.kind == "go":
            return
        yield frame


def _serve(template: Template, channel: Channel, sent: list[wire.Frame]) -> None:
    job = sent[0].header
    template.load([*job["imports"], f"exercise:{job['exercise']}", _module(job["exercise"])])

    def run(version: Version) -> bool:
        _run(template, channel, sent, version)
        template.sweep()
        reap()
        return clear()

    versions(job, channel.send, run)


def _module(exercise_id: str) -> str:
    """Where the exercise says what is asked of its answers."""
    exercises.get(exercise_id)
    folder = exercises.find(exercise_id)
    return f"{exercises.module_of(folder)}.defend" if folder else ""


def _run(template: Template, channel: Channel, sent: list[wire.Frame], version: Version) -> None:
    """One variant on all inputs. Whatever it says beside short texts is dropped."""
    job = sent[0].header
    seconds = job["variant_seconds"]
    os.makedirs("/tmp/work", exist_ok=True)
    ours, theirs = socket.socketpair()
    with theirs:
        template.spawn(__spec__.name, theirs.fileno(), {}, "/tmp/work", offline=True)
    deadline = time.monotonic() + seconds * PATIENCE
    with ours, contextlib.suppress(OSError, wire.WireError):
        ours.settimeout(seconds * PATIENCE)
        reader = ours.makefile("rb")
        line = Frames(reader, ours.makefile("wb"))
        line.send(
            "job",
            exercise=job["exercise"],
            seconds=seconds,
            version=vars(version),
        )
        for frame in sent[1:]:
            line.send("input", frame.blobs, **_told(frame))
        line.send("go")
        for frame in wire.read(reader, MOST_BYTES):
            if (said := _read(frame, len(sent) - 1)) is not None:
                channel.send("ran", variant=version.number, **said)
            if time.monotonic() > deadline:
                break


def _told(frame: wire.Frame) -> dict:
    return {key: value for key, value in frame.header.items() if key != "kind"}


def _read(frame: wire.Frame, inputs: int) -> dict | None:
    """What a variant said of one input, if it is what a variant says."""
    header = frame.header
    number = header.get("input")
    outcome = header.get("outcome")
    if type(number) is not int or not 0 <= number < inputs or type(outcome) is not str:
        return None
    lines = header.get("lines")
    values = header.get("values")
    return {
        "input": number,
        "outcome": plain_text.line(outcome, LONGEST),
        "lines": [one for one in lines if type(one) is int][:MOST_LOOKS]
        if type(lines) is list
        else [],
        "values": [one for one in map(_value, values) if one][:MOST_LOOKS]
        if type(values) is list
        else [],
    }


def _value(said: object) -> list | None:
    """[line, name, [texts]], under caps."""
    if not isinstance(said, list) or len(said) != 3:
        return None
    line, name, texts = said
    if type(line) is not int or type(name) is not str or type(texts) is not list:
        return None
    shown = [plain_text.line(text, LONGEST_VALUE) for text in texts[:MOST_VALUES]]
    return [line, plain_text.line(name, LONGEST_VALUE), shown]


def _answer(line: Frames) -> None:
    """The process of one variant: run the cells, then call the functions on each input."""
    frames = list(_up_to_go(line.frames()))
    job = frames[0].header
    resource.setrlimit(resource.RLIMIT_CPU, (job["seconds"], job["seconds"] + 1))
    nothing = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nothing, descriptor)
    inputs = [
        (frame.header["number"], Case("", frame.files, frame.header["parameters"]))
        for frame in frames[1:]
    ]
    exercise = exercises.get(job["exercise"])
    for said in answers(exercise, Version(**job["version"]), inputs):
        line.send("ran", **said)


if __name__ == "__main__":
    main()
