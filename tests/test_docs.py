"""The documents beside the code: their links lead somewhere, and the tests that they name exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "deploy").rglob("*.md"),
        ROOT / "exercises" / "README.md",
    ]
)
each_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)


def functions(path: Path) -> set[str]:
    return {
        node.name
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    }


@each_page
def test_links_lead_to_files(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if not target.startswith(("https://", "#", "mailto:")):
            assert (page.parent / target.partition("#")[0]).exists(), target


@each_page
def test_tests_that_are_named_exist(page):
    for file, _, name in re.findall(r"`(tests/[\w/.-]+?)(::(\w+))?`", page.read_text()):
        assert (ROOT / file).exists(), file
        assert not name or name in functions(ROOT / file), f"{file} has no {name}"


def test_every_promise_on_security_names_a_test():
    table = (
        (ROOT / "SECURITY.md").read_text().split("| promise | held by |", 1)[1].split("\n\n", 1)[0]
    )
    rows = table.strip().splitlines()[1:]
    assert len(rows) >= 10 and all("`tests/" in row.rsplit("|", 2)[1] for row in rows)


def test_places_in_the_glossary_exist():
    rows = [
        line
        for line in (ROOT / "docs" / "glossary.md").read_text().splitlines()
        if line.startswith("|")
    ][2:]
    for row in rows:
        for place in re.findall(
            r"`([\w.*-]+/[\w./*-]*)`(?! in the course folder)", row.rsplit("| ", 1)[1]
        ):
            assert any(ROOT.glob(place.rstrip("/"))), place
