"""How many minutes a lab of Day 50 is said to take, and what it is worth: rules over the
instructor's own solution. CONTRIBUTING.md states them.

Ten minutes to read, one and a half for each line of the solution, one for each branch in it,
rounded up to five. One point for each twenty-five minutes, rounded up.
"""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
READING, LINE, BRANCH, STEP, POINT = 10, 1.5, 1, 5, 25
BRANCHES = (ast.If, ast.IfExp, ast.For, ast.While, ast.Try, ast.comprehension, ast.BoolOp)


def solution(notebook: Path) -> str:
    """The source of every graded function's solution, bonus parts left out."""
    cells = nbformat.read(notebook, as_version=4).cells
    graded = "\n".join(
        cell.source for cell in cells if cell.metadata.get("nbgrader", {}).get("points")
    )
    wanted = {
        name
        for call in re.findall(r"check\(\"\w+\", ([\w, ]+)\)", graded)
        for name in call.split(", ")
    }
    sources = [cell.source for cell in cells if "### BEGIN SOLUTION" in cell.source]
    return "\n".join(source for source in sources if not is_bonus(source, sources, wanted))


def is_bonus(source: str, sources: list[str], wanted: set[str]) -> bool:
    """It defines no graded function, and no other cell uses what it defines."""
    names = set(re.findall(r"^def (\w+)", source, re.MULTILINE))
    used = any(
        re.search(rf"\b{name}\(", other)
        for name in names
        for other in sources
        if other is not source
    )
    return not (names & wanted or used)


def minutes(notebook: Path) -> int:
    source = solution(notebook)
    lines = [
        line
        for block in re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", source, re.DOTALL)
        for line in block.splitlines()
    ]
    lines = [line for line in lines if line.strip() and not line.strip().startswith("#")]
    branches = sum(isinstance(node, BRANCHES) for node in ast.walk(ast.parse(source)))
    return STEP * math.ceil((READING + LINE * len(lines) + BRANCH * branches) / STEP)


def points(notebook: Path) -> int:
    return math.ceil(minutes(notebook) / POINT)


if __name__ == "__main__":
    for path in sorted((ROOT / "solutions" / "day-50").glob("*.ipynb")):
        print(path.stem, minutes(path), "minutes,", points(path), "points")
