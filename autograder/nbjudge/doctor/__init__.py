"""`course doctor`: what works on this machine, and what to type where something does not.

`examine` returns data; `main` prints it. Nothing heavy is imported before the line that needs it,
so that a broken package costs its own line and no other. A line fails when a student cannot work on
the labs; what only grading or speed needs is a warning.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib import metadata

from nbjudge.doctor import accounts, course, environment
from nbjudge.doctor.line import INSTALL, Line

Check = Callable[[], Iterator[Line]]


def examine() -> list[Line]:
    """Every line, in the order in which problems are best solved. Never raises: a check that breaks
    is itself a finding.
    """
    checks: dict[str, Check] = {
        "python": environment.python,
        "accounts": accounts.accounts,
        "packages": environment.packages,
        **_of_others(),
        "kernel": course.kernel,
        "nbgrader": course.nbgrader_programs,
        "exchange": course.exchange,
        "sandbox": course.sandbox,
    }
    return [line for name, check in checks.items() for line in _guarded(name, check)]


def main(as_json: bool = False) -> int:
    """Print the findings. The exit code: 0 when a student can work on the labs, 1 when a line
    fails.
    """
    lines = examine()
    healthy = all(line.status != "fail" for line in lines)
    if as_json:
        print(json.dumps({"ok": healthy, "lines": [asdict(line) for line in lines]}, indent=2))
    else:
        _print(lines)
    return 0 if healthy else 1


def _print(lines: list[Line]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column()
    table.add_column()
    table.add_column(overflow="fold")
    styles = {"ok": "green", "warn": "yellow", "fail": "bold red"}
    for line in lines:
        detail = Text(line.detail)
        if line.fix:
            detail.append(f"\n-> {line.fix}", style="bold")
        table.add_row(Text(line.status, style=styles[line.status]), line.name, detail)
    Console().print(table)


def _guarded(name: str, check: Check) -> list[Line]:
    try:
        return list(check())
    except Exception as error:  # one broken check stops no other  # noqa: BLE001
        detail = f"could not be examined: {type(error).__name__}: {error}"
        return [Line(name, "fail", detail, INSTALL)]


def _of_others() -> dict[str, Check]:
    """What installed packages want looked at: functions without arguments, that give the fields of
    lines.
    """
    entries = sorted(metadata.entry_points(group="nbjudge.doctor"), key=lambda one: one.name)
    return {entry.name: _look_at(entry) for entry in entries}


def _look_at(entry: metadata.EntryPoint) -> Check:
    return lambda: (Line(*fields) for fields in entry.load()())
