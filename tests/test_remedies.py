"""Every command that a message tells people to type: it is found in the messages themselves, so a new
one is held to this, too. The command exists and takes what stands there; it is in backticks; and
what students read is for students.

tests/course/test_remedies_typed.py types those that need a folder, where they are shown.
"""

import ast
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import click
import typer
from nbgrader.apps.dbapp import DbApp, DbStudentApp

from nbjudge.cli import app

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("autograder", "workbench", "exercises", "demo")
# What students see: what runs in their notebooks, and what their commands say.
STUDENTS = (
    "autograder/nbjudge/asking.py",
    "autograder/nbjudge/checking.py",
    "autograder/nbjudge/commands/students.py",
    "autograder/nbjudge/course/ladders.py",
    "autograder/nbjudge/course/submitting.py",
    "autograder/nbjudge/given.py",
    "autograder/nbjudge/lab/",
    "autograder/nbjudge/practice.py",
    "autograder/nbjudge/references.py",
    "autograder/nbjudge/render.py",
    "autograder/nbjudge/sections.py",
    "autograder/nbjudge/steps.py",
    "autograder/nbjudge/verdict.py",
    "autograder/nbjudge/contract/",
    "autograder/nbjudge/rungs/",
    "exercises/",
    "workbench/",
)
FOR_STUDENTS = {"lab", "check", "submit", "doctor", "bench", "diff", "why"}
# Options of other programs than ours, which messages name by themselves.
FOREIGN_OPTIONS = {"--privileged", "--help"}
# Programs of the system that are named with what they are given; nothing here holds them.
SYSTEM = {"sudo", "ulimit", "df", "ls", "dmesg", "mkdir", "printf", "export", "cp"}


@dataclass(frozen=True)
class Remedy:
    """A command, as a message of `path` shows it; blanks that are filled in are filled in with what
    is like it. `is_typed` where it is all that is to be typed, and not only named.
    """

    path: str
    line: int
    text: str
    is_typed: bool

    def __str__(self):
        return f"{self.path}:{self.line} {self.text}"


@cache
def messages():
    """Each text of the code that is no docstring: its file, its line, and the text."""
    return [
        (path.relative_to(ROOT).as_posix(), line, text)
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if "answers" not in path.parts and "inside" not in path.parts
        for line, text in _texts(ast.parse(path.read_text()))
    ]


def _texts(tree):
    parts = {
        id(value)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for value in node.values
    }
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            parts.add(id(body[0].value))  # a docstring
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(map(_part, node.values))
        elif isinstance(node, ast.Constant) and id(node) not in parts:
            text = node.value
            yield from [(node.lineno, text)] if isinstance(text, str) else []


def _part(node):
    """A part of an f-string: a call that makes a command is that command."""
    if isinstance(node, ast.Constant):
        return node.value
    call = node.value
    if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(("typed", "typed.command")):
        words = [each.value if isinstance(each, ast.Constant) else "X" for each in call.args]
        return shlex.join(["course", *map(str, words)])
    return "X"


@cache
def remedies():
    found = []
    for path, line, text in messages():
        text = re.sub("</?code>", "`", text)
        for match in re.finditer(r"`([^`\n]+)`", text):
            words = match[1].split()
            if words[0] in {"course", "make", "nbgrader", "pip", "python", *SYSTEM}:
                before = text[: match.start()].rstrip()
                is_typed = bool(re.search(r"(\b[Tt]ype|, then|^|, or)$", before))
                found.append(Remedy(path, line, match[1], is_typed))
    return found


def of(*programs):
    """Make a test of one remedy into one of all that begin with one of these programs."""

    def decorate(test):
        def of_all():
            wrong = []
            for remedy in remedies():
                if remedy.text.split()[0] in programs:
                    try:
                        test(remedy)
                    except (AssertionError, click.ClickException, ValueError) as error:
                        wrong.append(f"{remedy}: {error!r}")
            assert wrong == []

        of_all.__name__ = test.__name__
        of_all.__doc__ = test.__doc__
        return of_all

    return decorate


def test_remedies_are_found():
    """Some of each kind, in files of all kinds."""
    assert len(remedies()) > 50
    assert {each.text.split()[0] for each in remedies()} >= {"course", "make", "nbgrader", "pip"}
    found = {each.path for each in remedies()}
    assert {
        "autograder/nbjudge/checking.py",
        "autograder/nbjudge/grading/faults/remedies.py",
    } <= found | released()


def released():
    """Files that have their commands from `typed.release_of`."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "autograder" / "nbjudge").rglob("*.py")
        if "typed.release_of(" in path.read_text()
    }


CONTEXT = click.Context(click.Command("course"))


def is_group(command):
    """Typer may bring a click of its own."""
    return hasattr(command, "list_commands")


@of("course")
def test_a_command_of_ours_exists_and_takes_what_stands_there(remedy):
    _, *words = shlex.split(remedy.text)
    command = typer.main.get_command(app)
    while words and is_group(command):
        found = command.get_command(CONTEXT, words[0])
        assert found is not None, f"there is no command {words[0]}"
        command, words = found, words[1:]
    assert not is_group(command) or not remedy.is_typed, "it is not said which command"
    if remedy.is_typed:
        command.make_context(command.name, words)
    else:
        options = {name for each in command.params for name in each.opts}
        assert {word for word in words if word.startswith("--")} <= options


@of("make")
def test_a_target_of_make_exists(remedy):
    done = subprocess.run(
        ["make", "-n", *shlex.split(remedy.text)[1:]], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@of("nbgrader")
def test_a_command_of_nbgrader_exists(remedy):
    _, *words = shlex.split(remedy.text)
    if words[0] == "db":
        assert words[1] in DbApp.subcommands
        if words[1] == "student":
            assert words[2] in DbStudentApp.subcommands and len(words) > 3
    else:
        assert find_spec(f"nbgrader.apps.{words[0]}app")


@of("pip")
def test_what_pip_is_told_to_install_is_named_and_the_extra_exists(remedy):
    """By its own parser; a path is one in the checkout."""
    from pip._internal.commands import create_command

    _, command, *words = shlex.split(remedy.text)
    options, given = create_command(command).parse_args(words)
    assert given, "nothing to install is named"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for each in given:
        if found := re.fullmatch(r"\.\[([\w,]+)\]", each):
            assert set(found[1].split(",")) <= project["optional-dependencies"].keys()
        assert not each.startswith("nbjudge"), "that name is somebody else's on PyPI"
    for file in getattr(options, "constraints", ()):  # `uninstall` takes none
        assert (ROOT / file).is_file()


@of("python")
def test_a_module_that_python_runs_takes_what_stands_there(remedy):
    _, flag, module, *words = shlex.split(remedy.text)
    options = [word for word in words if word.startswith("--")]
    shown = subprocess.run(
        [sys.executable, "-P", flag, module, *words[:1], "--help"], capture_output=True, text=True
    )
    assert shown.returncode == 0 and all(option in shown.stdout for option in options)


@of(*SYSTEM)
def test_a_command_of_the_system_is_one_that_a_shell_reads(remedy):
    done = subprocess.run(["bash", "-n", "-c", remedy.text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def names():
    return sorted(typer.main.get_command(app).list_commands(CONTEXT))


def test_a_command_is_in_backticks():
    """Otherwise nobody sees where it ends, and nothing here holds it."""
    ours = rf"(?<![`\w/.-])course (?:{'|'.join(map(re.escape, names()))})\b(?! folder)"
    others = r"(?<![`\w'])(?:pip install|make (?:install|lab|site)|nbgrader db)\b"
    bare = [
        f"{path}:{line}: {text[:80]!r}"
        for path, line, text in messages()
        if re.search(rf"{ours}|{others}", re.sub(r"`[^`]*`|<code>.*?</code>", "", text))
        and not path.startswith(PROSE)
    ]
    assert bare == []


# Pages, and a heading that says what was typed.
PROSE = ("autograder/nbjudge/course/templates", "workbench/formatlab/measure/bench.py", "demo/")


def test_options_that_a_message_names_exist():
    group = typer.main.get_command(app)
    commands = [group.get_command(CONTEXT, name) for name in names()]
    commands += [
        each.get_command(CONTEXT, name)
        for each in commands
        if is_group(each)
        for name in each.list_commands(CONTEXT)
    ]
    known = {name for each in commands for param in each.params for name in param.opts}
    known |= {name for each in commands for param in each.params for name in param.secondary_opts}
    unknown = []
    for path, line, text in messages():
        is_ours = not path.startswith(
            (
                "autograder/nbjudge/boxes",
                "autograder/nbjudge/lab",
                "workbench/formatlab/measure/card",
            )
        )
        if is_ours and " " in text:
            rest = re.sub(r"`(?!course|--)[^`]*`", "", text)
            named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", rest))
            unknown += [f"{path}:{line}: {each}" for each in named - known - FOREIGN_OPTIONS]
    assert unknown == []


def test_what_students_read_is_for_students():
    told = [
        str(each)
        for each in remedies()
        if each.path.startswith(STUDENTS)
        and each.text.split()[0] == "course"
        and each.text.split()[1] not in FOR_STUDENTS
    ]
    assert told == []
    others = rf"\bcourse (?:{'|'.join(sorted(set(names()) - FOR_STUDENTS))})\b(?! folder)"
    bare = [
        f"{path}:{line}: {text[:80]!r}"
        for path, line, text in messages()
        if path.startswith(STUDENTS) and re.search(others, text)
    ]
    assert bare == []
