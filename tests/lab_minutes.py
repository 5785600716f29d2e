"""How many minutes a reading notebook and short answers are said to take: rules over their cells.
CONTRIBUTING.md states them.

A short answer: fifteen minutes and one point, after ten minutes to read.

A reading notebook: ten minutes to begin, one for each 250 words and each 15 lines of code, one for
each prediction, two for each step.
"""

from __future__ import annotations

import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
READING, ANSWER = 10, 15
WORDS, LINES, PREDICTION, STEP = 250, 15, 1, 2
# On the pages of a line: two engineers who had seen none of the pages needed that much longer.
REREADING = 1.28


def cells(notebook: Path) -> list:
    return nbformat.read(notebook, as_version=4).cells


def exercises(notebook: Path) -> list[str]:
    """The exercises that a lab's graded cells check."""
    marked = [
        cell.source for cell in cells(notebook) if cell.metadata.get("nbgrader", {}).get("points")
    ]
    return sorted(set(re.findall(r"check\(\"(\w+)\", ", "\n".join(marked))))


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
    once = READING + words / WORDS + lines / LINES + PREDICTION * predictions + STEP * steps
    return REREADING * once if notebook.stem.startswith("line-") else once


if __name__ == "__main__":
    for path in sorted((ROOT / "notebooks").glob("*/*.ipynb")):
        print(f"{path.stem}: {reading(path):.0f} minutes")
