"""The program of a box in which a student's functions run as they were handed in, and with one small
change each, on inputs that fit on paper.

In: `job` {"exercise", "given": [sources], "cells": [sources], "seed", "most", "seconds",
"variant_seconds", "imports"}, then `input` {"number", "parameters"} with its files, up to `go`.
`given` are the notebook's other cells: what they define runs first, if the program reads it, and may
fail. `cells` are the student's: those that define something are one program, which is changed.

Out: `code` {"source", "steps"}, that program and the lines of which it is clear how often they run;
for the program as it stands (variant 0) and for at most `most` mutants, `variant` {"variant",
"line", "last", "operator", "was", "now"} and for each input `ran` {"variant", "input", "outcome"},
for variant 0 with {"lines", "values"}: which lines ran, and what names held. An outcome begins with
`=` for a result, with `!` for an exception, and with `?` where NumPy warns that nothing says what
the result is. A variant that does not answer in time has no
further `ran`. Last `done` {"is_cut"}; or `unreadable` {"why"}.

Each variant is a process of its own, forked from the template. Process 1, which knows the mutants,
passes on texts alone, under caps: a variant can say something wrong of itself, and of nothing else.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import os
import random
import resource
import socket
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from nbjudge import exercises, mutants, plain_text, wire
from nbjudge.asking import ask
from nbjudge.boxes.inside.channel import Channel, Frames
from nbjudge.boxes.inside.template import Template, reap
from nbjudge.boxes.inside.workdir import clear
from nbjudge.contract import Case, Defence, Exercise
from nbjudge.mutants import Mutant

FILE = "<answer>"
LONGEST = 400
LONGEST_VALUE = 40
# Of one variant. Its texts are short.
MOST_BYTES = 1 << 20
MOST_LOOKS = 4000
MOST_VALUES = 12
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
    try:
        job["source"] = _program(job["cells"])
        job["given"] = _needed(job["given"], job["source"])
        found = mutants.mutants(job["source"])
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = "it is no Python" if isinstance(error, SyntaxError) else str(error)
        channel.send("unreadable", why=why[:LONGEST])
        return
    channel.send("code", source=job["source"], steps=mutants.steps(job["source"]))
    chosen = _spread(found, random.Random(job["seed"]), job["most"])
    template.load([*job["imports"], f"exercise:{job['exercise']}", _module(job["exercise"])])
    deadline = time.monotonic() + job["seconds"]
    for number, mutant in enumerate([None, *chosen]):
        if time.monotonic() > deadline:
            break
        if mutant is not None:
            channel.send(
                "variant",
                variant=number,
                line=mutant.line,
                last=mutant.last,
                operator=mutant.operator,
                was=mutant.was[:LONGEST],
                now=mutant.now[:LONGEST],
            )
        _run(template, channel, sent, number, mutant)
        template.sweep()
        reap()
        if not clear():
            break
    else:
        channel.send("done", is_cut=False)
        return
    channel.send("done", is_cut=True)


_DEFINING = (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.Import, ast.ImportFrom)


def _program(cells: list[str]) -> str:
    """The cells that define something, as one text. Raises SyntaxError where there is none."""
    kept = []
    for cell in cells:
        with contextlib.suppress(SyntaxError, ValueError):
            if any(isinstance(node, _DEFINING) for node in ast.parse(cell).body):
                kept.append(cell.strip("\n"))
    if not kept:
        raise SyntaxError
    return "\n\n\n".join(kept) + "\n"


def _needed(cells: list[str], program: str) -> list[str]:
    """Of other cells, the statements that give the program a name, or one of these statements."""
    statements: list[ast.stmt] = []
    for cell in cells:
        with contextlib.suppress(SyntaxError, ValueError):
            statements += ast.parse(cell).body
    wanted = {node.id for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Name)}
    kept = []
    for statement in reversed(statements):
        bound, read = _names(statement)
        if bound & wanted or "*" in bound:
            kept.append(ast.unparse(statement))
            wanted |= read
    return kept[::-1]


def _names(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """The names that a statement gives a meaning to, and those that it reads."""
    bound: set[str] = set()
    read: set[str] = set()
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        bound.add(statement.name)
    for node in ast.walk(statement):
        if isinstance(node, ast.alias):
            bound.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
    return bound, read


def _module(exercise_id: str) -> str:
    """Where the exercise says what is asked of its answers."""
    exercises.get(exercise_id)
    folder = exercises.find(exercise_id)
    return f"{exercises.module_of(folder)}.defend" if folder else ""


# The operators whose mutants most often change some answers and not others come first.
_RANK = {
    "condition": 0,
    "operand": 0,
    "and-or": 0,
    "comparison": 1,
    "constant": 1,
    "name": 1,
    "arithmetic": 1,
    "branches": 1,
    "sign": 2,
    "delete": 2,
    "filter": 3,
    "arguments": 3,
}


def _spread(found: list[Mutant], rng: random.Random, most: int) -> list[Mutant]:
    """At most so many, in turn from each line."""
    by_line = defaultdict(list)
    for mutant in rng.sample(found, len(found)):
        by_line[mutant.line].append(mutant)
    queues = [sorted(each, key=lambda one: _RANK[one.operator]) for each in by_line.values()]
    chosen: list[Mutant] = []
    while queues and len(chosen) < most:
        chosen += [queue.pop(0) for queue in queues]
        queues = [queue for queue in queues if queue]
    return chosen[:most]


def _run(
    template: Template,
    channel: Channel,
    sent: list[wire.Frame],
    number: int,
    mutant: Mutant | None,
) -> None:
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
        source = mutant.source if mutant else job["source"]
        line.send(
            "job",
            exercise=job["exercise"],
            given=job["given"],
            source=source,
            seconds=seconds,
            is_traced=mutant is None,
        )
        for frame in sent[1:]:
            line.send("input", frame.blobs, **_told(frame))
        line.send("go")
        for frame in wire.read(reader, MOST_BYTES):
            if (said := _read(frame, len(sent) - 1)) is not None:
                channel.send("ran", variant=number, **said)
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
    exercise = exercises.get(job["exercise"])
    defence = exercise.defence
    if defence is None:
        return
    inputs = [
        (frame.header["number"], Case("", frame.files, frame.header["parameters"]))
        for frame in frames[1:]
    ]
    module = sys.modules["__answer__"] = ModuleType("__answer__")
    namespace = vars(module)
    for source in job["given"]:
        with contextlib.suppress(BaseException):
            exec(compile(source, "<given>", "exec"), namespace)
    with contextlib.suppress(BaseException):  # its functions are missing then
        exec(compile(job["source"], FILE, "exec"), namespace)
    for number, case in inputs:
        trace = _Trace(defence.value) if job["is_traced"] else None
        outcome = _outcome(exercise, defence, namespace, case, trace)
        told = trace.told() if trace else {}
        line.send("ran", input=number, outcome=outcome, **told)


def _outcome(
    exercise: Exercise, defence: Defence, namespace: dict, case: Case, trace: _Trace | None
) -> str:
    functions = {name: namespace[name] for name in exercise.functions if name in namespace}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            sys.settrace(trace)
            try:
                answer = ask(exercise, functions, case, Path(scratch), line=lambda _question: None)
            finally:
                sys.settrace(None)
        if any("invalid value" in str(each.message) for each in warned):
            return "?it depends on the processor"  # as an infinity that becomes a whole number
        if answer.outcome != "returned":
            return f"!{answer.error.get('type') or answer.outcome}"
        try:
            return _short(f"={defence.outcome(case, answer)}")
        except Exception as error:  # what a student's function returned may be damaged  # noqa: BLE001
            return f"!{type(error).__name__}, when its result is read"


def _short(text: str) -> str:
    """The text; of a long one the beginning, and what tells it from others that begin like it."""
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - 20]} {hashlib.sha256(text.encode()).hexdigest()[:12]}"


class _Trace:
    """Which lines of the answer ran, and what names held the first times that a line was reached."""

    def __init__(self, value: Callable[[Any], str | None]):
        self._value = value
        self._lines: dict[int, None] = {}
        self._held: dict[tuple[int, str], list[str]] = {}
        self._times: Counter[int] = Counter()
        self._looks = 0

    def __call__(self, frame: FrameType, event: str, _argument: object) -> _Trace | None:
        code = frame.f_code
        if code.co_filename != FILE:
            return None
        if event == "line" and self._looks < MOST_LOOKS:
            self._looks += 1
            self._lines[frame.f_lineno] = None
            if not code.co_name.startswith("<"):
                self._look(frame)
        return self

    def _look(self, frame: FrameType) -> None:
        line = frame.f_lineno
        time = self._times[line]
        self._times[line] += 1
        if time < MOST_VALUES:
            for name, value in frame.f_locals.items():
                texts = self._held.setdefault((line, name), [""] * MOST_VALUES)
                texts[time] = _text(value, self._value) or ""

    def told(self) -> dict:
        """Of each name, what it held each time; an empty text where that cannot be said."""
        values = [
            [line, name, texts]
            for (line, name), texts in self._held.items()
            if len(set(texts) - {""}) > 1
        ]
        return {"lines": list(self._lines), "values": values}


def _text(value: object, more: Callable[[Any], str | None], depth: int = 0) -> str | None:
    """A value in a few characters, for the types whose `repr` is Python's own."""
    kind = type(value)
    if kind in (int, bool, float, type(None), str):
        text: str | None = repr(value)
    elif kind in (list, tuple) and depth < 2 and len(value) <= 8:  # type: ignore[arg-type]
        parts = [_text(each, more, depth + 1) for each in value]  # type: ignore[attr-defined]
        text = None if None in parts else f"[{', '.join(map(str, parts))}]"
    elif kind in (set, frozenset) and len(value) <= 8:  # type: ignore[arg-type]
        parts = [_text(each, more, 2) for each in value]  # type: ignore[attr-defined]
        text = None if None in parts else f"{{{', '.join(sorted(map(str, parts)))}}}"
    else:
        try:
            text = more(value)
        except Exception:  # a value may be anything  # noqa: BLE001
            text = None
    return text if text is None or len(text) <= LONGEST_VALUE else None


if __name__ == "__main__":
    main()
