"""The documents beside the code: their links lead somewhere, and the tests and commands that they
name exist.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from nbjudge.cli import app

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


def test_the_architecture_has_every_module_that_grades_in_its_package():
    page = (ROOT / "docs" / "architecture.md").read_text()
    table = page.partition("## The packages of `autograder/nbjudge/grading`")[2]
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", table.partition("\n## ")[0], re.MULTILINE)
    grading = ROOT / "autograder" / "nbjudge" / "grading"
    there = {
        folder.name: sorted({path.stem for path in folder.glob("*.py")} - {"__init__"})
        for folder in grading.iterdir()
        if (folder / "__init__.py").is_file()
    }
    assert {name for name, _ in rows} == set(there)
    for name, text in rows:
        assert (
            sorted(re.findall(r"`(\w+)`", text.replace("`nbgrader_config.py`", ""))) == there[name]
        )


COURSE = typer.main.get_command(app)
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
PROGRAMS = ("course", "make", "python", "pytest", "deploy/")


def commands(text: str) -> Iterator[list[str]]:
    """The words of each command in a page's blocks of shell, and of each that stands in a sentence."""
    blocks = re.findall(r"^ *```sh\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    said = re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    for line in [*lines, *said]:
        for part in re.split(r"&&|\|\||;|\|", line):
            program, *rest = re.sub(r"(^|\s)#.*", "", part).split() or [""]
            program = program.removeprefix(".venv/bin/")
            if rest and program.startswith(PROGRAMS):
                yield [program, *rest]


def fault(words: list[str]) -> str:
    """What does not exist of a command; nothing if all of it does."""
    program, *rest = words
    if program == "make":
        return " ".join(word for word in rest if "=" not in word and word not in TARGETS)
    if program == "course":
        return unknown_to_course(rest)
    file = program if "/" in program else next((word for word in rest if "/" in word), "")
    return "" if not file or (ROOT / file).exists() else file


def unknown_to_course(words: list[str]) -> str:
    command = COURSE
    while hasattr(command, "commands"):
        name, *words = words
        if name not in command.commands:
            return name
        command = command.commands[name]
    options = {
        each
        for parameter in command.params
        for each in (*parameter.opts, *parameter.secondary_opts)
    }
    named = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    return " ".join(sorted(named - options - {"--help"}))


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


@pytest.mark.parametrize(
    ("command", "unknown"),
    [
        ("make nothing", "nothing"),
        ("make test JOBS=1", ""),
        ("course grades day-50", "grades"),
        ("course grade day-50 --job 2", "--job"),
        ("course grade day-50 --jobs 2 --seed=3", ""),
        ("python tools/no_such.py", "tools/no_such.py"),
    ],
)
def test_what_does_not_exist_of_a_command_is_noticed(command, unknown):
    [words] = commands(f"Type `{command}`.")
    assert fault(words) == unknown
    assert list(commands(f"```sh\ncd x && {command}  # why\n```")) == [words]


def test_the_guides_name_commands():
    for name in ("README.md", "docs/students.md", "docs/instructors.md", "docs/runbook.md"):
        if (ROOT / name).exists():
            assert len(list(commands((ROOT / name).read_text()))) > 5, name


@each_page
def test_commands_that_are_named_exist(page):
    found = [(" ".join(words), fault(words)) for words in commands(page.read_text())]
    assert not [each for each in found if each[1]]
