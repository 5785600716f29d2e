"""How many minutes a reading notebook and short answers are said to take: rules over their cells.
CONTRIBUTING.md states them.

A short answer: fifteen minutes and one point, after ten minutes to read.

A reading notebook: ten minutes to begin, one for each 250 words and each 15 lines of code, one for
each prediction, two for each step; then a quarter more, because two engineers who had seen none of
the pages read parts of them twice, and needed that much longer. What is folded does not count.

`python tests/lab_minutes.py` prints them; with `--write` it also puts them, rounded to five
minutes, into the first cell of each page that states another time.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
READING, ANSWER = 10, 15
WORDS, LINES, PREDICTION, STEP = 250, 15, 1, 2
REREADING = 1.25
# How far a page may be from what it states: it may gain a sentence.
NEAR = 7
STATED = re.compile(r"\| time \| (\d+) minutes \|")


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
    """The minutes of a reading notebook, before they are rounded."""
    texts, codes = (
        [
            cell.source
            for cell in cells(notebook)
            if cell.cell_type == kind and "hide-input" not in cell.metadata.get("tags", [])
        ]
        for kind in ("markdown", "code")
    )
    words = sum(
        len(re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL).split()) for text in texts
    )
    lines = sum(bool(line.strip()) for code in codes for line in code.splitlines())
    predictions = sum("my_guess = ..." in code for code in codes)
    steps = sum(bool(re.search(r"^\w+ = step\(", code, re.MULTILINE)) for code in codes)
    once = READING + words / WORDS + lines / LINES + PREDICTION * predictions + STEP * steps
    return REREADING * once


def follows_a_rule(notebook: Path) -> bool:
    """The first page states half an hour, and most of the zoo's code is only read."""
    return notebook.parent.name != "notebooks" and "zoo" not in notebook.stem


def stated(notebook: Path) -> int:
    """The minutes in the first cell of a page."""
    return int(STATED.search(cells(notebook)[0].source)[1])


def state(notebook: Path) -> None:
    """Write the minutes into the page, as text, so that nothing else of the file changes."""
    minutes = 5 * round(reading(notebook) / 5)
    text = notebook.read_text(encoding="utf-8")
    notebook.write_text(STATED.sub(f"| time | {minutes} minutes |", text, count=1), "utf-8")


if __name__ == "__main__":
    for path in filter(follows_a_rule, sorted((ROOT / "notebooks").glob("*/*.ipynb"))):
        if "--write" in sys.argv and abs(stated(path) - reading(path)) > NEAR:
            state(path)
        print(f"{path.stem}: {reading(path):.0f} minutes, stated {stated(path)}")
