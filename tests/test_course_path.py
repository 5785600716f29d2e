"""Day 50 as a path: the table on the first page is what the notebooks and labs say, and each
notebook leads to its labs.
"""

import re
from pathlib import Path

import nbformat
import pytest

from nbjudge import exercises

ROOT = Path(__file__).resolve().parents[1]
FRONT = ROOT / "notebooks" / "00-start-here.ipynb"
SHORT_PATH = 150  # minutes: two and a half hours


def cells(path: Path) -> list:
    return nbformat.read(path, as_version=4).cells


def minutes(path: Path) -> int:
    return int(re.search(r"\| time \| (\d+) minutes", cells(path)[0].source)[1])


def needs(path: Path) -> set[Path]:
    """The notebooks and labs that its first cell asks for."""
    line = re.search(r"\| before this \| (.*) \|", cells(path)[0].source)[1]
    linked = {
        (path.parent / target).resolve() for target in re.findall(r"\]\(([^)]+\.ipynb)\)", line)
    }
    return linked or {numbered(number) for number in re.findall(r"\b0\d\b", line)}


def numbered(number: str) -> Path:
    [path] = (
        ROOT.glob(f"notebooks/**/{number}-*.ipynb")
        if number == "00"
        else ROOT.glob(f"notebooks/day-50/{number}-*.ipynb")
    )
    return path


def table() -> list[tuple[Path, list[str]]]:
    """Each row's notebook or lab, and the row's cells."""
    found = []
    for line in cells(FRONT)[-1].source.split("| needs |")[1].split("\n\n")[0].splitlines()[2:]:
        row = [cell.strip() for cell in line.strip("|").split("|")]
        link = re.search(r"\]\(([^)]+)\)", row[1])
        found.append(((FRONT.parent / link[1]).resolve() if link else FRONT, row))
    return found


ROWS = [pytest.param(path, row, id=path.stem) for path, row in table()]


def test_the_table_has_every_notebook_and_lab_of_the_day_in_an_order_that_can_be_followed():
    listed = [path for path, _ in table()]
    assert set(listed) == {
        FRONT,
        *ROOT.glob("notebooks/day-50/*.ipynb"),
        *ROOT.glob("labs/day-50/*.ipynb"),
    }
    for place, path in enumerate(listed):
        assert needs(path) <= set(listed[:place]), path.stem


@pytest.mark.parametrize(("path", "row"), ROWS)
def test_a_row_says_what_its_page_says(path, row):
    number, _, stated, points, asked = row
    is_lab = path.parent.parent.name == "labs"
    assert number == ("" if is_lab else path.stem[:2])
    assert int(stated) == minutes(path)
    assert points == (f"{exercises.get(path.stem).points:g}" if is_lab else "")
    known = {
        other if other[:1].isalpha() else numbered(other)
        for other in filter(None, asked.split(", "))
    }
    assert {
        ROOT / "labs" / "day-50" / f"{name}.ipynb" if isinstance(name, str) else name
        for name in known
    } == needs(path)


def test_the_paths_take_the_minutes_that_they_state():
    text = cells(FRONT)[-1].source
    paths = re.findall(
        r"^\| (two and a half hours|a long day|everything): (.*) \| (\d+) \|$", text, re.MULTILINE
    )
    assert len(paths) == 3
    every = [path for path, _ in table()]
    for name, says, stated in paths:
        chosen = [
            FRONT,
            *((FRONT.parent / target).resolve() for target in re.findall(r"\]\(([^)]+)\)", says)),
        ]
        if name != "two and a half hours":
            chosen = (
                every
                if name == "everything"
                else [path for path in every if path.parent.parent.name != "labs"]
            )
        assert int(stated) == sum(map(minutes, chosen)), name
        for place, path in enumerate(chosen):
            assert needs(path) <= set(chosen[:place]), path.stem
        assert name != "two and a half hours" or int(stated) <= SHORT_PATH


@pytest.mark.parametrize(
    "lab", sorted(ROOT.glob("labs/day-50/*.ipynb")), ids=lambda path: path.stem
)
def test_the_notebook_that_a_lab_needs_names_and_links_it(lab):
    notebooks = [
        path
        for path in needs(lab)
        if path.parent.name != lab.parent.name or "notebooks" in path.parts
    ]
    assert notebooks
    for notebook in notebooks:
        linked = re.findall(r"\]\(([^)]+)\)", cells(notebook)[-1].source)
        assert lab in {(notebook.parent / target).resolve() for target in linked}, notebook.stem


@pytest.mark.parametrize("path", [path for path, _ in table()], ids=lambda path: path.stem)
def test_every_next_is_a_link(path):
    [said] = re.findall(r"^Next: .*$", cells(path)[-1].source, re.MULTILINE)
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", said)
    assert targets and all((path.parent / target).resolve().is_file() for target in targets), said


@pytest.mark.parametrize(
    "lab", sorted(ROOT.glob("solutions/day-50/*.ipynb")), ids=lambda path: path.stem
)
def test_a_lab_draws_a_picture(lab):
    code = "\n".join(cell.source for cell in cells(lab) if cell.cell_type == "code")
    assert re.search(r"\bshow\.(draw|pair|bars|strip|grid_of|columns)\(", code)
