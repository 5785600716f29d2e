"""One student's program for an exercise: what belongs to it, which changed versions are run, and what
one of them gives for an input.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import random
import symtable
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from nbjudge import mutants
from nbjudge.asking import ask
from nbjudge.contract import Case, Defence, Exercise
from nbjudge.mutants import Mutant

FILE = "<answer>"
LONGEST = 400
LONGEST_VALUE = 40
MOST_LOOKS = 4000
MOST_VALUES = 12
# Lines of the program that a call may run where no box ends it: what needs more never ends.
MOST_LINES = 100_000


@dataclass(frozen=True, kw_only=True)
class Version:
    """The program as it stands (number 0), or with one change. `given` runs before it."""

    number: int
    given: Sequence[str]
    source: str


def versions(job: dict, send: Callable[..., None], run: Callable[[Version], bool]) -> None:
    """Let `run` run the program of `job` and its changed versions, until it says that no other may
    follow. `send` gets `code` {"source", "steps"}, before
    each changed version `variant` {"variant", "line", "last", "operator", "was", "now"}, and last
    `done` {"is_cut"}; or `unreadable` {"why"}.
    """
    try:
        source = program(job["cells"])
        given = needed(job["given"], source)
        found = mutants.mutants(source)
        steps = mutants.steps(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = "it is no Python" if isinstance(error, SyntaxError) else str(error)
        send("unreadable", why=why[:LONGEST])
        return
    send("code", source=source, steps=steps)
    chosen = _spread(found, random.Random(job["seed"]), job["most"])
    deadline = time.monotonic() + job["seconds"]
    for number, mutant in enumerate([None, *chosen]):
        if time.monotonic() > deadline:
            break
        if mutant is not None:
            send(
                "variant",
                variant=number,
                line=mutant.line,
                last=mutant.last,
                operator=mutant.operator,
                was=mutant.was[:LONGEST],
                now=mutant.now[:LONGEST],
            )
        changed = mutant.source if mutant else source
        if not run(Version(number=number, given=given, source=changed)):
            break
    else:
        send("done", is_cut=False)
        return
    send("done", is_cut=True)


_DEFINING = (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.Import, ast.ImportFrom)


def program(cells: Sequence[str]) -> str:
    """The cells that define something, as one text. Raises SyntaxError where there is none."""
    kept = []
    for cell in cells:
        with contextlib.suppress(SyntaxError, ValueError):
            if any(isinstance(node, _DEFINING) for node in ast.parse(cell).body):
                kept.append(cell.strip("\n"))
    if not kept:
        raise SyntaxError
    return "\n\n\n".join(kept) + "\n"


def needed(cells: Sequence[str], source: str) -> list[str]:
    """Of other cells, the statements that give the program a name, or one of these statements."""
    statements: list[ast.stmt] = []
    for cell in cells:
        with contextlib.suppress(SyntaxError, ValueError):
            statements += ast.parse(cell).body
    wanted = _read_globally(source)
    kept = []
    for statement in reversed(statements):
        bound, read = _names(statement)
        if bound & wanted or "*" in bound:
            kept.append(ast.unparse(statement))
            wanted |= read
    return kept[::-1]


def _read_globally(source: str) -> set[str]:
    """The names that it looks up outside its functions."""
    tables = [symtable.symtable(source, FILE, "exec")]
    for table in tables:
        tables += table.get_children()
    return {
        symbol.get_name()
        for table in tables
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (table.get_type() == "module" or symbol.is_global())
    }


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


def answers(
    exercise: Exercise,
    version: Version,
    inputs: Iterable[tuple[int, Case]],
    most_lines: int | None = None,
) -> Iterator[dict]:
    """Run a version, then call its functions on each input: {"input", "outcome"}, and of the program as
    it stands {"lines", "values"}, what ran and what names held. An outcome begins with `=` for a result, with `!`
    for an exception, and with `?` where NumPy warns that nothing says what the result is, or where
    more than `most_lines` lines ran.
    """
    defence = exercise.defence
    if defence is None:
        return
    made = ModuleType("__answer__")
    sys.modules[made.__name__] = made
    namespace = vars(made)
    for each in version.given:
        with contextlib.suppress(BaseException):
            exec(compile(each, "<given>", "exec"), namespace)
    with contextlib.suppress(BaseException):  # its functions are missing then
        exec(compile(version.source, FILE, "exec"), namespace)
    for number, case in inputs:
        look = None if version.number else _Look(defence.value)
        trace = _Trace(look, most_lines) if look or most_lines else None
        outcome = _outcome(exercise, defence, namespace, case, trace)
        told = look.told() if look else {}
        yield {"input": number, "outcome": outcome, **told}


def _outcome(
    exercise: Exercise, defence: Defence, namespace: dict, case: Case, trace: _Trace | None
) -> str:
    functions = {name: namespace[name] for name in exercise.functions if name in namespace}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            sys.settrace(trace)
            try:
                answer = ask(
                    exercise,
                    functions,
                    case,
                    Path(scratch),
                    passing=(KeyboardInterrupt, _Endless),
                    line=lambda _question: None,
                )
            except _Endless:
                return "?it does not end"
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


class _Endless(BaseException):
    """More lines ran than anything needs that ends."""


class _Trace:
    """Follows the lines of the program, for `look`, up to `most` of them."""

    def __init__(self, look: _Look | None, most: int | None):
        self._look = look
        self._left = most or sys.maxsize

    def __call__(self, frame: FrameType, event: str, _argument: object) -> _Trace | None:
        if frame.f_code.co_filename != FILE:
            return None
        if event == "line":
            self._left -= 1
            if self._left < 0:
                raise _Endless
            if self._look:
                self._look.at(frame)
        return self


class _Look:
    """Which lines of the program ran, and what names held the first times that a line was reached."""

    def __init__(self, value: Callable[[Any], str | None]):
        self._value = value
        self._lines: dict[int, None] = {}
        self._held: dict[tuple[int, str], list[str]] = {}
        self._times: Counter[int] = Counter()
        self._looks = 0

    def at(self, frame: FrameType) -> None:
        """Look at the line that a frame is about to run."""
        if self._looks == MOST_LOOKS:
            return
        self._looks += 1
        line = frame.f_lineno
        self._lines[line] = None
        if frame.f_code.co_name.startswith("<"):
            return
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
