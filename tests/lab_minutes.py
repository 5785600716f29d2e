"""How many minutes a lab or a reading notebook is said to take, and what an exercise is worth:
rules over its cells. CONTRIBUTING.md states them.

An exercise: ten minutes to read, one and a half for each line of the instructor's solution, one for
each branch in it, rounded up to five. One point for each twenty-five minutes, rounded up. A short
answer: fifteen minutes and one point, after ten minutes to read.

A reading notebook: ten minutes to begin, one for each 250 words and each 15 lines of code, one for
each prediction, two for each step.
"""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
READING, LINE, BRANCH, ROUND, POINT, ANSWER = 10, 1.5, 1, 5, 25, 15
WORDS, LINES, PREDICTION, STEP = 250, 15, 1, 2
BRANCHES = (ast.If, ast.IfExp, ast.For, ast.While, ast.Try, ast.comprehension, ast.BoolOp)


def cells(notebook: Path) -> list:
    return nbformat.read(notebook, as_version=4).cells


def minutes(notebook: Path) -> int:
    """Those of a lab: the sum over its exercises."""
    return sum(by_exercise(notebook).values())


def by_exercise(notebook: Path) -> dict[str, int]:
    """The minutes of each exercise that a solution notebook asks for."""
    sources = [cell.source for cell in cells(notebook) if "### BEGIN SOLUTION" in cell.source]
    return {
        exercise: _minutes("\n".join(solution(functions, sources)))
        for exercise, functions in graded(notebook).items()
    }


def graded(notebook: Path) -> dict[str, set[str]]:
    """The functions that each exercise's graded cell checks."""
    marked = [
        cell.source for cell in cells(notebook) if cell.metadata.get("nbgrader", {}).get("points")
    ]
    calls = re.findall(r"check\(\"(\w+)\", ([\w, ]+)\)", "\n".join(marked))
    return {exercise: set(functions.split(", ")) for exercise, functions in calls}


def solution(functions: set[str], sources: list[str]) -> list[str]:
    """The cells that define these functions, and those that define what these use: bonus parts and
    other exercises are left out.
    """
    found = [source for source in sources if defined(source) & functions]
    while more := [
        source
        for source in sources
        if source not in found and any(_uses(other, source) for other in found)
    ]:
        found += more
    return [source for source in sources if source in found]


def defined(source: str) -> set[str]:
    return set(re.findall(r"^def (\w+)", source, re.MULTILINE))


def _uses(source: str, other: str) -> bool:
    return any(re.search(rf"\b{name}\(", source) for name in defined(other))


def _minutes(source: str) -> int:
    lines = [
        line
        for block in re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", source, re.DOTALL)
        for line in block.splitlines()
    ]
    lines = [line for line in lines if line.strip() and not line.strip().startswith("#")]
    branches = sum(isinstance(node, BRANCHES) for node in ast.walk(ast.parse(source)))
    return ROUND * math.ceil((READING + LINE * len(lines) + BRANCH * branches) / ROUND)


def points(minutes: int) -> int:
    """What an exercise of so many minutes is worth."""
    return math.ceil(minutes / POINT)


def short_answers(notebook: Path) -> int:
    """How many cells a person marks."""
    marked = [cell.metadata.get("nbgrader", {}) for cell in cells(notebook)]
    return sum(bool(one.get("grade") and one.get("solution")) for one in marked)


def reading(notebook: Path) -> float:
    """The minutes of a reading notebook, before they are rounded. What is folded does not count."""
    texts, codes = (
        [cell.source for cell in cells(notebook) if cell.cell_type == kind]
        for kind in ("markdown", "code")
    )
    words = sum(
        len(re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL).split()) for text in texts
    )
    lines = sum(bool(line.strip()) for code in codes for line in code.splitlines())
    predictions = sum("my_guess = ..." in code for code in codes)
    steps = sum(bool(re.search(r"^\w+ = step\(", code, re.MULTILINE)) for code in codes)
    return READING + words / WORDS + lines / LINES + PREDICTION * predictions + STEP * steps


if __name__ == "__main__":
    for path in sorted((ROOT / "solutions").glob("*/*.ipynb")):
        found = by_exercise(path)
        print(f"{path.stem}: {sum(found.values())} minutes", found if len(found) > 1 else "")
    for path in sorted((ROOT / "notebooks").glob("*/*.ipynb")):
        print(f"{path.stem}: {reading(path):.0f} minutes")
