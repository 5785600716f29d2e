"""`defend`: questions about their own function for somebody who learns alone, in a notebook.

The function's cell runs in processes of its own on the learner's machine, without a box, as it stands
and with one small change each. So the kernel stays as it is, and what hangs is ended.
"""

from __future__ import annotations

import contextlib
import hashlib
import html
import inspect
import io
import linecache
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nbjudge import exercises, typed, wire
from nbjudge.boxes.inside import collect
from nbjudge.checking import CheckFailed, named_exercise, public_verdict, with_names
from nbjudge.contract import Case, Defence, Exercise
from nbjudge.defending import questions, ran
from nbjudge.defending.program import MOST_LINES, Version, versions
from nbjudge.defending.program import answers as given_by
from nbjudge.defending.questions import LETTERS, Page
from nbjudge.display import Shown, put

SECONDS = 60
MOST_BYTES = 64 << 20
_WIDE = "max-width:60em; margin:0.6em 0"
_known: dict[tuple[str, str], _Asked] = {}


def defend(exercise_id: str, *functions: Callable[..., Any], answers: str = "") -> None:
    """Ask up to three questions about `functions`, which pass the public cases of the exercise.

    `answers` has one letter for each question, such as "BAD". With it, each question says which option
    is right, and what came of each option when it ran. The questions are the same whenever the cell of
    the functions is the same. Nothing is graded.

    Raises CheckFailed where functions or answers are not what is asked for.
    """
    # A grader and `course check` look at other cells.
    if collect.armed() or typed.TYPED in os.environ:
        return
    exercise = named_exercise(exercise_id)
    named = with_names(exercise, functions, "defend")
    asked = _asked(exercise, named)
    if isinstance(asked, str):
        put(Shown(asked, f'<p style="{_WIDE}">{html.escape(asked)}</p>'))
        return
    ticks = _ticks(answers, len(asked.page.asked))
    put(Shown(asked.text(ticks), asked.html(ticks)))


def _asked(exercise: Exercise, functions: Mapping[str, Callable[..., Any]]) -> _Asked | str:
    """The questions; without any, why there are none."""
    defence = exercise.defence
    call = f'check("{exercise.id}", {", ".join(functions)})'
    if defence is None:
        return f"There are no questions about the code of {exercise.id}."
    cells = _cells(functions)
    if not cells:
        return "The source of your function cannot be read: define it in a cell, and run that cell."
    key = exercise.id, hashlib.sha256("\0".join(cells).encode()).hexdigest()
    if key not in _known:
        if public_verdict(exercise, functions, Path.cwd()).broken:
            return (
                f"The questions come when your function is right on every public case: run {call}, "
                "and this cell again afterwards."
            )
        if sys.platform == "emscripten":
            return "The questions need processes of their own, which a browser has not: run this lab in JupyterLab."
        found = _run(exercise, cells, _others(functions, cells), key[1], defence)
        _known[key] = _Asked(defence, found, questions.choose(found, random.Random(key[1])), call)
    known = _known[key]
    if not known.page.asked:
        return f"There is no question about your code: {known.why_fewer}."
    return known


def _cells(functions: Mapping[str, Callable[..., Any]]) -> list[str]:
    """The cells, or files, in which the functions are defined."""
    names: dict[str, None] = {}
    for function in functions.values():
        code = getattr(inspect.unwrap(function), "__code__", None)
        names[code.co_filename if code else ""] = None
    sources = ["".join(linecache.getlines(name)).strip("\n") for name in names]
    return [source for source in sources if source]


def _others(functions: Mapping[str, Callable[..., Any]], cells: Sequence[str]) -> list[str]:
    """The other cells that ran in this kernel."""
    ran_here = next(iter(functions.values())).__globals__.get("In", ())
    stripped = {cell.strip() for cell in cells}
    return [cell for cell in ran_here if type(cell) is str and cell.strip() not in stripped]


def _ticks(text: str, wanted: int) -> str:
    """The letters of the answers, or none. Raises CheckFailed."""
    letters = "".join(text.split()).lower() if isinstance(text, str) else "?"
    if letters and (len(letters) != wanted or not set(letters) <= set(LETTERS)):
        example = "BAD"[:wanted]
        raise CheckFailed(
            f"answers={text!r} is no answer to {_questions(wanted)}: give one letter of A to "
            f'{LETTERS[-1].upper()} for each, in their order, such as answers="{example}".'
        )
    return letters


def _questions(number: int) -> str:
    return {1: "one question", 2: "two questions", 3: "three questions"}[number]


class _Asked:
    """Questions with what came of each option, as text and as HTML."""

    def __init__(self, defence: Defence, found: ran.Ran, chosen: questions.Chosen, call: str):
        self.page = Page.of(chosen.questions)
        self.why_fewer = chosen.why_fewer
        self._source = found.source.rstrip("\n").splitlines()
        cases = defence.inputs(0)
        self._drawn = [defence.drawn(cases[place]) for place in self.page.inputs]
        self._reasons = [
            questions.reasons(found, one, self.page.inputs) for one in chosen.questions
        ]
        self._next = call.replace("check(", "defend(").removesuffix(")")

    def text(self, ticks: str) -> str:
        """As plain text; with `ticks`, what is right and why."""
        lines = [f"{number:>4}  {line}" for number, line in enumerate(self._source, 1)]
        for number, drawn in enumerate(self._drawn, 1):
            below = html.unescape("\n".join(re.findall("<pre>(.*?)</pre>", drawn, re.DOTALL)))
            lines += ["", f"input {number}", *(f"    {line}" for line in below.splitlines())]
        for number, text, options in self._read(ticks):
            lines += ["", f"{number}. {text}", *(f"    {option}" for option in options)]
        return "\n".join([*lines, "", self._last(ticks)])

    def html(self, ticks: str) -> str:
        """As HTML, with the inputs as they are drawn."""
        code = "\n".join(f"{number:>4}  {line}" for number, line in enumerate(self._source, 1))
        inputs = "".join(
            f'<figure style="margin:0 1.5em 0.6em 0"><figcaption><strong>input {number}</strong></figcaption>{drawn}</figure>'
            for number, drawn in enumerate(self._drawn, 1)
        )
        asked = "".join(
            f"<p><strong>{number}.</strong> {html.escape(text)}<br>"
            f"{'<br>'.join(map(html.escape, options))}</p>"
            for number, text, options in self._read(ticks)
        )
        return (
            f'<div style="{_WIDE}"><details open><summary>your code</summary><pre>{html.escape(code)}</pre></details>'
            f'<div style="display:flex; flex-wrap:wrap">{inputs}</div>{asked}<p>{html.escape(self._last(ticks))}</p></div>'
        )

    def _read(self, ticks: str) -> Iterator[tuple[int, str, list[str]]]:
        """Each question with its number and options."""
        for place, one in enumerate(self.page.asked):
            options = [
                f"{letter.upper()}) {option}"
                for letter, option in zip(LETTERS, one["options"], strict=True)
            ]
            text = one["text"]
            if ticks:
                said = ticks[place].upper()
                right = one["right"].upper()
                text += (
                    f" {right} is right."
                    if said == right
                    else f" You said {said}, but {right} is right."
                )
                options = [
                    f"{option}  → {reason}"
                    for option, reason in zip(options, self._reasons[place], strict=True)
                ]
            yield place + 1, text, options

    def _last(self, ticks: str) -> str:
        number = len(self.page.asked)
        fewer = f" There are no more, because {self.why_fewer}." if self.why_fewer else ""
        if ticks:
            right = sum(
                tick == one["right"] for tick, one in zip(ticks, self.page.asked, strict=True)
            )
            return f"{right} of {number} right. What stands behind the arrows came of running your code.{fewer}"
        call = f'{self._next}, answers="{"BAD"[:number]}")'
        return (
            f"Work it out without running anything, then answer in a cell of your own with one letter a question: {call}. "
            f"Each change holds for its own question alone, and another result may also be an exception.{fewer}"
        )


def _run(
    exercise: Exercise, cells: Sequence[str], given: Sequence[str], seed: str, defence: Defence
) -> ran.Ran:
    job = {
        "exercise": exercise.id,
        "given": given,
        "cells": cells,
        "seed": seed,
        "most": ran.MOST_VARIANTS,
        "seconds": SECONDS,
    }

    def process(number: int, inputs: Sequence[Case]) -> ran.Said:
        """The order of sets differs from the one process to the other, and not from day to day."""
        sent = b"".join(ran.frames(job, inputs))
        command = [sys.executable, "-m", __name__]
        environment = {**os.environ, "PYTHONHASHSEED": str(number)}
        try:
            ended = subprocess.run(
                command,
                input=sent,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=2 * SECONDS,
                env=environment,
                check=False,
            )
            output = ended.stdout
        except subprocess.TimeoutExpired as error:
            output = error.stdout or b""
        said = ran.Said()
        with contextlib.suppress(wire.WireError), io.BytesIO(output) as stream:
            for frame in wire.read(stream, MOST_BYTES):
                said.take(frame)
        return said

    return ran.run([defence.inputs(number) for number in (0, 1)], process)


def main() -> None:
    """One process: frames in, frames out. What the code prints goes nowhere."""
    frames = list(wire.read(sys.stdin.buffer, MOST_BYTES))
    out = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    job = frames[0].header
    exercise = exercises.get(job["exercise"])
    inputs = [
        (frame.header["number"], Case("", frame.files, frame.header["parameters"]))
        for frame in frames[1:-1]
    ]

    def send(kind: str, **header: object) -> None:
        out.write(wire.encode(kind, None, **header))
        out.flush()

    def run_version(version: Version) -> bool:
        for said in given_by(exercise, version, inputs, MOST_LINES):
            send("ran", variant=version.number, **said)
        return True

    versions(job, send, run_version)


if __name__ == "__main__":
    main()
