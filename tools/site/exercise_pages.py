"""A page for each exercise: how its points are split, what students get wrong, and which stored
answer breaks which rung.
"""

from __future__ import annotations

import html
import importlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import nbformat

from nbjudge import exercises, render
from nbjudge.contract import Exercise
from nbjudge.course.stored import Stored, read
from nbjudge.findings import Misconception, declared

MARKS = {"earned": "✓", "lost": "✗"}
OPEN = re.compile(r"\{[^{}]*\}")


def pages(root: Path) -> Iterator[tuple[str, bytes]]:
    labs = {
        exercise: path for path in (root / "labs").glob("*/*.ipynb") for exercise in checked(path)
    }
    for exercise_id in exercises.ids():
        if exercise_id in labs:
            yield (
                f"exercises/{exercise_id}.md",
                page(exercise_id, labs[exercise_id], root).encode(),
            )
    yield "exercises/index.md", overview(labs, root).encode()


def checked(notebook: Path) -> set[str]:
    """The exercises that the notebook's cells call `check` on."""
    return set(re.findall(r'\bcheck\(\\?"(\w+)', notebook.read_text("utf-8")))


def overview(labs: Mapping[str, Path], root: Path) -> str:
    lines = [
        "# What the exercises test",
        "",
        "Each exercise has a page: how its points are split, which mistakes it knows by name, and how every stored answer is graded.",
        "A stored answer is right or wrong on purpose. The tests grade all of them and hold each mark against what is declared here.",
        "",
        "| exercise | lab | points | named mistakes | stored answers |",
        "|---|---|---|---|---|",
    ]
    for name, lab in sorted(labs.items()):
        stored = list((root / "exercises" / name / "answers").glob("*.py"))
        link = f"[{title(lab)}](../{lab.relative_to(root)})"
        lines.append(
            f"| [{name}]({name}.md) | {link} | {exercises.get(name).points:g} | {len(mistakes(name))} | {len(stored)} |"
        )
    return "\n".join(lines) + "\n"


def title(notebook: Path) -> str:
    """The notebook's first heading."""
    first = nbformat.read(notebook, as_version=4).cells[0].source
    return first.partition("\n")[0].removeprefix("# ")


def page(name: str, lab: Path, root: Path) -> str:
    exercise = exercises.get(name)
    parts = [
        f"# Exercise `{name}`",
        f"The lab is [{title(lab)}](../{lab.relative_to(root)}). This page says how answers to the "
        f"exercise {name} are judged. It holds no solution.",
        "## How the points are split",
        render.split(exercise),
        "## What students get wrong",
        *(mistake(each) for each in mistakes(name)),
        "## How stored answers are graded",
        "Each line is one stored answer, with the items that it earns and the share of the points that these are. "
        "An answer that earns all is right; there are several right ones, written differently.",
        matrix(name, root / "exercises" / name / "answers"),
        *caught(name, root),
    ]
    return "\n\n".join(parts) + "\n"


def caught(name: str, root: Path) -> list[str]:
    """Return what catches the wrong answers, where `make matrix` has graded them, and otherwise how
    to have that on the page.
    """
    file = root / "build" / "exercises" / f"{name}.json"
    if not file.is_file():
        return [
            "Which of them the public cases or a practice draw catch is on this page if the site is built after "
            f"`make matrix EXERCISES={name}`."
        ]
    wrong = [each for each in json.loads(file.read_text("utf-8"))["answers"] if each["rung"]]
    public, practice = (
        sum(each[where]["rung"] is not None for each in wrong) for where in ("public", "practice")
    )
    return [
        f"Of {len(wrong)} wrong answers, the public cases catch {public}, and a practice draw catches {practice}."
    ]


def mistakes(name: str) -> list[Misconception]:
    """The exercise's misconceptions that have a name, in the order of their modules."""
    exercises.get(name)
    folder = exercises.find(name)
    package = f"{exercises.module_of(folder)}.judge"
    files = sorted((folder / "judge").glob("*.py"))
    modules = [importlib.import_module(f"{package}.{file.stem}") for file in files]
    found = {each.id: each for module in modules for each in declared(module)}
    return list(found.values())


def mistake(each: Misconception) -> str:
    sentence = OPEN.sub("…", each.sentence)
    words = f"### {each.id.replace('-', ' ')}\n\n{sentence}"
    return f"{words} [Read again](../notebooks/{linked(each.read)})" if each.read else words


def linked(read: str) -> str:
    """`day-50/05-graph-surgery#masks` as the address of a notebook's section."""
    page, _, section = read.partition("#")
    return f"{page}.ipynb{'#' + section if section else ''}"


def matrix(name: str, folder: Path) -> str:
    """What each stored answer earns as HTML: an answer a row, an item a column."""
    exercise = exercises.get(name)
    stored = sorted(read(folder), key=lambda each: (-each.share(exercise), each.name))
    head = "".join(f'<th scope="col">{html.escape(each.title)}</th>' for each in exercise.items)
    rows = "".join(row(each, exercise) for each in stored)
    first = '<th scope="col">answer</th>'
    return f'<table class="matrix"><thead><tr>{first}{head}<th scope="col">points</th></tr></thead><tbody>\n{rows}</tbody></table>'


def row(each: Stored, exercise: Exercise) -> str:
    lost = each.lost(exercise)
    cells = "".join(cell("lost" if item.name in lost else "earned") for item in exercise.items)
    shown = f"<small>{html.escape(each.shows.replace('-', ' '))}</small>" if each.shows else ""
    name = f'<th scope="row"><strong>{each.name.replace("_", " ")}</strong><span>{html.escape(each.about)}</span>{shown}</th>'
    return f"<tr>{name}{cells}<td>{each.share(exercise):.0%}</td></tr>\n".replace("%", " %")


def cell(state: str) -> str:
    return f'<td class="{state}"><span aria-hidden="true">{MARKS[state]}</span><span class="unseen">{state}</span></td>'
