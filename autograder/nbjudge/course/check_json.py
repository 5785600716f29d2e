"""`course check --json`: the ladders of notebooks as data, for programs and for assistants.
`check_schema.json` describes it, and docs/students.md explains it.

It says what the terminal shows and nothing more, under the same caps: no case's input, no expected
value that the text would not name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

from nbjudge import render, sections
from nbjudge.course.ladders import Checked, Ladders
from nbjudge.verdict import Item, Rung

VERSION = 1
STATES = {True: "passed", False: "broken", None: "not reached"}


def schema() -> dict[str, Any]:
    """The JSON Schema of what `report` gives."""
    text = resources.files("nbjudge.course").joinpath("check_schema.json")
    return json.loads(text.read_text(encoding="utf-8"))


def report(checked: Iterable[tuple[Path, Ladders | str]]) -> dict[str, Any]:
    """What the checks of notebooks said; for a notebook that could not be run, a text says why."""
    notebooks = [_notebook(path, found) for path, found in checked]
    return {
        "schema": VERSION,
        "passed": all(each["passed"] for each in notebooks),
        "notebooks": notebooks,
    }


def _notebook(path: Path, found: Ladders | str) -> dict[str, Any]:
    whole = Ladders("", False) if isinstance(found, str) else found
    return {
        "path": render.clean(str(path)),
        "passed": whole.passed,
        "problem": render.clean(found) if isinstance(found, str) else None,
        "notes": [render.clean(line) for line in whole.notes],
        "errors_elsewhere": [render.clean(line) for line in whole.troubles],
        "checks": [_check(each, path.parent) for each in whole.checks],
    }


def _check(checked: Checked, folder: Path) -> dict[str, Any]:
    verdict = checked.verdict
    broken = verdict.broken if verdict else None
    return {
        "cell": render.clean(checked.cell),
        "exercise": checked.exercise and render.clean(checked.exercise),
        "passed": checked.passed,
        "error": checked.error and render.clean(checked.error),
        "practice_draw": checked.draw,
        "score": verdict.score if verdict else None,
        "max_score": verdict.max_score if verdict else None,
        "items": [_item(item) for item in verdict.items] if verdict else [],
        "rungs": [_rung(rung) for rung in verdict.rungs] if verdict else [],
        "broken": _broken(broken, folder) if broken else None,
        "also_found": list(map(render.clean, render.also(verdict))) if verdict else [],
    }


def _item(item: Item) -> dict[str, Any]:
    return {
        "name": render.clean(item.name),
        "title": render.clean(item.title),
        "points": item.points,
        "passed": item.passed,
        "cases": item.cases,
        "failed": list(map(render.clean, item.failed)),
        "rung": render.clean(item.rung) or None,
    }


def _rung(rung: Rung) -> dict[str, Any]:
    return {
        "name": render.clean(rung.name),
        "title": render.clean(rung.title),
        "state": STATES[rung.passed],
        "points": 0.0,  # items give them; schema 1 has these two keys
        "given": 0.0,
        "cases": rung.cases,
        "wrong": rung.wrong,
    }


def _broken(rung: Rung, folder: Path) -> dict[str, Any]:
    page, _, section = rung.read.partition("#")
    again = {
        "notebook": render.clean(f"notebooks/{page}.ipynb"),
        "section": render.clean(section),
        "address": sections.link(rung.read, folder.absolute()) or None,
    }
    return {
        "rung": render.clean(rung.name),
        "case": rung.case and render.clean(rung.case),
        "expected": render.clean(rung.expected),
        "found": render.clean(rung.found),
        "misconception": render.clean(rung.misconception) or None,
        "likely_cause": render.clean(rung.cause),
        "read_again": again if page else None,
    }
