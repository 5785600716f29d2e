"""Find the right option of a printed question by running the printed code, without the boxes, the
mutants and the tracing that made the key.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import ModuleType

from nbjudge.asking import ask
from nbjudge.contract import Case, Defence
from nbjudge.course.defend.sheets import Sheet
from nbjudge.defending.questions import LETTERS
from nbjudge.exercises import get


def right(sheet: Sheet, asked: dict) -> str:
    """The letters of all options that are right."""
    about = asked["about"]
    cases = get(sheet.exercise).defence.inputs(0)
    of_option = [_input(sheet, option) for option in asked["options"]]
    lines = sheet.source.splitlines()
    if about["kind"] == "breaks":
        new = _edited(lines, about["line"], about["last"], about["now"])
        found = [
            outcome_of(sheet.exercise, new, cases[place])
            != outcome_of(sheet.exercise, lines, cases[place])
            for place in of_option
        ]
    elif about["kind"] == "gives":
        new = _edited(lines, about["line"], about["last"], about["now"])
        given = outcome_of(sheet.exercise, new, cases[about["input"]])
        found = [option == given for option in asked["options"]]
    elif about["kind"] == "can_go":
        old = [outcome_of(sheet.exercise, lines, cases[place]) for place in about["inputs"]]
        found = []
        for option in asked["options"]:
            numbers = [int(word) for word in option.split() if word.isdigit()]
            new = _edited(lines, numbers[0], numbers[-1], None)
            given = [outcome_of(sheet.exercise, new, cases[place]) for place in about["inputs"]]
            found.append(given == old)
    elif about["kind"] == "runs":
        new = _noting(lines, about["line"], "None")
        found = [bool(_noted(sheet.exercise, new, cases[place])) for place in of_option]
    else:
        new = _noting(lines, about["line"], about["name"])
        held = _noted(sheet.exercise, new, cases[about["input"]])[about["time"] - 1]
        found = [option == held for option in asked["options"]]
    return "".join(letter for letter, is_right in zip(LETTERS, found, strict=True) if is_right)


def _input(sheet: Sheet, option: str) -> int | None:
    word, _, number = option.partition(" ")
    return sheet.inputs[int(number) - 1] if word == "input" and number.isdigit() else None


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _edited(lines: list[str], first: int, last: int, now: str | None) -> list[str]:
    """The lines with another one in the place of some; without one they are taken out, with what
    Python then needs.
    """
    indent = _indent(lines[first - 1])
    rest = lines[last:]
    if now:
        return [*lines[: first - 1], f"{indent}{now}", *rest]
    gone = [*lines[: first - 1], *rest]
    try:
        compile("\n".join(gone), "edited", "exec")
    except SyntaxError:
        return [*lines[: first - 1], f"{indent}pass", *rest]
    return gone


def _noting(lines: list[str], line: int, name: str) -> list[str]:
    """The lines with a note of what a name holds, before a line runs."""
    old = lines[line - 1]
    head, tail = lines[: line - 1], lines[line:]
    if old.lstrip().startswith("elif "):
        condition = old.partition("elif ")[2]
        return [*head, f"{_indent(old)}elif note({name}) or {condition}", *tail]
    return [*head, f"{_indent(old)}note({name})", old, *tail]


def _functions(exercise_id: str, lines: list[str], notes: list) -> dict:
    module = ModuleType("defended")
    defence = get(exercise_id).defence
    vars(module)["note"] = lambda value: notes.append(_text(value, defence))
    exec(compile("\n".join(lines), "defended", "exec"), vars(module))
    return {name: getattr(module, name, None) for name in get(exercise_id).functions}


def outcome_of(exercise_id: str, lines: list[str], case: Case) -> str:
    """Return what the code gives for an input, as an option says it."""
    exercise = get(exercise_id)
    with tempfile.TemporaryDirectory() as scratch:
        answer = ask(exercise, _functions(exercise_id, lines, []), case, Path(scratch))
    if answer.outcome != "returned":
        return f"an exception, {answer.error.get('type', answer.outcome)}"
    return exercise.defence.outcome(case, answer)


def _noted(exercise_id: str, lines: list[str], case: Case) -> list:
    notes: list = []
    functions = _functions(exercise_id, lines, notes)
    notes.clear()  # what stands outside functions runs before
    with tempfile.TemporaryDirectory() as scratch:
        ask(get(exercise_id), functions, case, Path(scratch))
    return notes


def _text(value: object, defence: Defence) -> str:
    """A value as it is now: a list may be changed later."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_text(each, defence) for each in value)}]"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(_text(each, defence) for each in value))}}}"
    return defence.value(value) or repr(value)
