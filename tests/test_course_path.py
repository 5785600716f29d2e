"""Day 50 as a path: its line can be followed, and each notebook leads to its labs."""

import re
from pathlib import Path

import nbformat
import pytest

from tests.notebook_tools import is_line

ROOT = Path(__file__).resolve().parents[1]
FRONT = ROOT / "notebooks" / "00-start-here.ipynb"
# The lab of the line is one that Lab 7-01 has, too.
OF_THE_LINE = ROOT / "labs" / "lab-7-01" / "export.ipynb"


def cells(path: Path) -> list:
    return nbformat.read(path, as_version=4).cells


def needs(path: Path) -> set[Path]:
    """The notebooks and labs that its first cell asks for, without the alternatives behind "or"."""
    line = re.search(r"\| before this \| (.*) \|", cells(path)[0].source)[1]
    line = line.partition(" or ")[0]
    linked = {
        (path.parent / target).resolve() for target in re.findall(r"\]\(([^)]+\.ipynb)\)", line)
    }
    return linked or {numbered(number) for number in re.findall(r"\b0\d\b", line)}


def numbered(number: str) -> Path:
    if part := re.fullmatch(r"part (\d)", number):
        [path] = ROOT.glob(f"notebooks/day-50/line-{part[1]}-*.ipynb")
        return path
    [path] = (
        ROOT.glob(f"notebooks/**/{number}-*.ipynb")
        if number == "00"
        else ROOT.glob(f"notebooks/day-50/{number}-*.ipynb")
    )
    return path


def listed() -> list[Path]:
    """What the map on the first page leads to, in its order."""
    text = cells(FRONT)[-1].source.partition("<details>")[2].partition("</details>")[0]
    return [
        (FRONT.parent / target).resolve()
        for target in re.findall(r"^ *(?:\d+\.|-) .*?\]\((\S+\.ipynb)\)", text, re.MULTILINE)
    ]


def the_line() -> list[Path]:
    """The steps of the first evening on the map."""
    text = cells(FRONT)[-1].source.partition("<details>")[2].partition("\n- ")[0]
    return [
        (FRONT.parent / target).resolve()
        for target in re.findall(r"^\d+\. .*?\]\((\S+\.ipynb)\)", text, re.MULTILINE)
    ]


def test_the_line_is_whole_and_can_be_followed_from_its_first_page():
    """Its pages and its lab, each after what it needs, and nothing from outside."""
    line = the_line()
    assert {path for path in line if is_line(path)} == set(
        ROOT.glob("notebooks/day-50/line-*.ipynb")
    )
    assert [path for path in line if not is_line(path)] == [OF_THE_LINE]
    for place, path in enumerate(line):
        assert needs(path) <= set(line[:place]), path.stem


@pytest.mark.parametrize(
    "page", ["README.md", "site/index.md", "notebooks/00-start-here.ipynb", "docs/students.md"]
)
def test_where_readers_arrive_the_line_is_in_sight(page):
    """`course lab` opens the last but one of these."""
    path = ROOT / page
    text = cells(path)[0].source if path.suffix == ".ipynb" else path.read_text("utf-8")
    assert re.search(r"day-50/line-1-export", text), page


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


@pytest.mark.parametrize(
    "path", [path for path in listed() if "notebooks" in path.parts], ids=lambda path: path.stem
)
def test_every_next_is_a_link(path):
    [said] = re.findall(r"^Next: .*$", cells(path)[-1].source, re.MULTILINE)
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", said)
    assert targets and all((path.parent / target).resolve().is_file() for target in targets), said
