"""The check of a lab in a page: the worker of `lab-check` calls `answer`, in Pyodide.

It is the check of the machine: the same cases, references, rungs and words. What differs is said
here.

1. A browser's stack is small, and to overflow it ends the interpreter. So JSON is read by Python's
   own scanner and not by the one in C, and source text that is nested too deep for Python's parser
   never reaches it. Both end in the exception that they end in on a machine: RecursionError, and
   SyntaxError.
2. The bytes that a file was asked for are counted by the worker: there is no /proc/self/io.
3. There are Python's standard library and NumPy. An answer that imports something else is told so.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import json.scanner
import linecache
import re
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

import plain_safetensors

# The parser itself refuses text from this depth on, but reaches it with thousands of calls.
MOST_NESTED = 100
BRACKET = re.compile(r"([\[({])|[\])}]")

json.scanner.make_scanner = json.decoder.scanner.make_scanner = json.scanner.py_make_scanner
json._default_decoder = json.JSONDecoder()

with plain_safetensors.standing_in():
    from nbjudge import checking, exercises, render
    from nbjudge.rungs import ladder  # noqa: F401  loaded now, and not with the first check
    from nbjudge.verdict import Verdict

MOST_PRINTED = 10_000
FOLDER = Path(tempfile.mkdtemp())
ANSWER = "your answer"
PUBLIC = (
    "These were the cases that ship with the lab. Hidden ones, made the same way, decide a mark in a "
    "class; this page gives none. To meet such cases, press “Practise on fresh cases”."
)


def _too_deep(source: object) -> bool:
    """Whether brackets are nested deeper than the stack allows; those in texts count, too."""
    depth = 0
    text = source.decode("latin-1") if isinstance(source, bytes | bytearray) else source
    for bracket in BRACKET.finditer(text) if isinstance(text, str) else ():
        depth = max(0, depth + (1 if bracket[1] else -1))
        if depth > MOST_NESTED:
            return True
    return False


def _guard(name: str) -> None:
    """Let the built-in function refuse what is nested too deep, as the parser would."""
    function = getattr(builtins, name)

    def guarded(source: object, *given: object, **named: object) -> object:
        if _too_deep(source):
            raise SyntaxError("too many nested parentheses")
        if name != "compile" and not given and not named:  # in the scope of whoever calls
            caller = sys._getframe(1)
            given = (caller.f_globals, caller.f_locals)
        return function(source, *given, **named)

    guarded.__name__ = guarded.__qualname__ = name
    guarded.__module__ = builtins.__name__  # a pickle names it
    setattr(builtins, name, guarded)


for _name in ("compile", "eval", "exec"):
    _guard(_name)


def prepare(exercise_ids: Sequence[str]) -> None:
    """Load what judges these exercises, so that the first check takes no longer than the others."""
    with plain_safetensors.standing_in():
        for name in exercise_ids:
            exercise = exercises.get(name)
            exercise.public_cases()
            assert exercise.rungs


def answer(asked: str) -> str:
    """What the page shows for `{"exercise", "given", "sources", "practice", "seed"}`, as JSON:
    `{"html", "printed", "verdict", "read", "draw"}`, or `{"failed", "printed"}` where the code itself
    does not run. `draw` is the number of the practice draw, or null.
    """
    wanted = json.loads(asked)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        found = _answered(wanted)
    return json.dumps({**found, "printed": _cut(printed.getvalue())})


def _answered(wanted: Mapping) -> dict[str, object]:
    exercise = exercises.get(wanted["exercise"])
    namespace = ModuleType("__main__")
    try:
        _run(wanted["given"], "given", namespace)
        for number, source in enumerate(wanted["sources"], 1):
            _run(source, f"{ANSWER}, cell {number}", namespace)
    except BaseException as error:  # what a student writes may raise anything  # noqa: BLE001
        return {"failed": _told(error)}
    functions = {
        name: value
        for name in exercise.functions
        if callable(value := getattr(namespace, name, None))
    }
    draw = None
    try:
        if wanted["practice"]:
            draw, verdict = checking.practice_verdict(exercise, functions, FOLDER, wanted["seed"])
        else:
            verdict = checking.public_verdict(exercise, functions, FOLDER)
    except KeyboardInterrupt as error:  # a person's, on a machine; here the code itself raised it
        return {"failed": _told(error)}
    return {
        "html": render.html(verdict, _note(verdict, draw), "#" if verdict.broken else ""),
        "read": verdict.broken.read if verdict.broken else "",
        "draw": draw,
        "verdict": verdict.to_json(),
    }


def _note(verdict: Verdict, draw: int | None) -> str:
    """What stands below the ladder."""
    if draw is None:
        return "" if verdict.broken else PUBLIC
    again = "the same cases" if verdict.broken else "others"
    return (
        f"Practice draw {draw}: fresh cases of every kind that a grader draws. Practise again, and you "
        f"get {again}."
    )


def _run(source: str, name: str, module: ModuleType) -> None:
    """Run the source in the module. Its lines are known by that name to whoever quotes one."""
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), vars(module))


def _told(error: BaseException) -> str:
    """An error of the answer's own code, without the lines of this module; a missing package with
    what the page has.
    """
    lines = error.__traceback__
    while lines is not None and not lines.tb_frame.f_code.co_filename.startswith(f"<{ANSWER}"):
        lines = lines.tb_next
    words = "".join(traceback.format_exception(type(error), error, lines)).strip()
    if isinstance(error, ModuleNotFoundError) and error.name not in sys.stdlib_module_names:
        words += (
            f"\n\nThis page has Python's standard library and NumPy, and no {error.name}. To check an "
            "answer that needs it, download the lab and run it on your machine."
        )
    return _cut(words)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_PRINTED else f"{text[:MOST_PRINTED]}\n… (cut)"
