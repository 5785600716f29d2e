"""Put in what code makes of one declaration: `make generate`.

1. `course.yml` declares the pages and labs, in order. From it come a page's title and minutes in its
   first cell, the lists in README.md, and the tables of the first page.
2. An exercise declares its points, items and minutes. From it come the heading of its task, the
   table of how its points are given, and the minutes of its lab, in solutions/.
3. The locks say which versions a page was verified with; a page is run again when a lock changes.
4. The notebooks of labs/ are what a release makes of solutions/. Their references need the sandbox,
   so `course release` computes these.

A table is known by its header and a list by its links, so nothing in the files marks them.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import yaml
from nbformat import NotebookNode

from nbjudge import exercises, render
from nbjudge.contract import Exercise
from nbjudge.course.generating import ReleaseError
from nbjudge.course.release import generate as released
from nbjudge.grading.config.folders import Project

ROOT = Path(__file__).resolve().parents[1]
FRONT = "notebooks/00-start-here"
ZOO = "notebooks/day-50/08-the-zoo"
CHECK = re.compile(r'^check\("(\w+)"', re.MULTILINE)
WORTH = re.compile(r"\((?:\d+(?:\.\d+)?) points?, \d+ minutes\)")
SPLIT = re.compile(r"\*\*How the points are given\.\*\*.*?(?:\n\|.*)+", re.DOTALL)
TIME = re.compile(r"(?<=\| time \| )\d+(?= minutes)")
VERIFIED = re.compile(r"(?<=Last verified with ).*?(?=\.(?:\n|$))")


class CannotGenerate(Exception):
    """A declaration or a file does not fit; the text says which, and what to do."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A page or a lab of course.yml: `path` without its suffix, `needs` the stems of others."""

    path: str
    title: str
    minutes: int
    points: float = 0
    about: str = ""
    question: str = ""
    needs: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def is_lab(self) -> bool:
        return self.path.startswith("labs/")

    @property
    def is_line(self) -> bool:
        return self.stem.startswith("line-")

    @property
    def number(self) -> str:
        """How tables call it: `05`, `part 2`, or a lab by its name."""
        if self.is_lab:
            return self.stem
        return f"part {self.stem.split('-')[1]}" if self.is_line else self.stem.partition("-")[0]


def declared() -> list[Entry]:
    """Return what course.yml declares. Raises CannotGenerate unless each needs only what comes
    before it.
    """
    found: dict[str, Entry] = {}
    for each in yaml.safe_load((ROOT / "course.yml").read_text(encoding="utf-8")):
        if "moved" in each:  # an address that is gone, for the site
            continue
        path = each.pop("page", None) or each.pop("lab")
        needs = tuple(each.pop("needs", ()))
        if unknown := [name for name in needs if name not in found]:
            raise CannotGenerate(
                f"course.yml: {path} needs {unknown[0]}, which does not come before"
            )
        if path.startswith("labs/"):
            solution = read(path.replace("labs/", "solutions/", 1))
            asked = [exercises.get(name) for name in checked(solution)]
            each["points"] = sum(one.points for one in asked) + by_hand(solution)
            each.setdefault("minutes", sum(one.minutes for one in asked))
            each["title"] = path.rpartition("/")[2]
        found[path.rpartition("/")[2]] = Entry(path=path, needs=needs, **each)
    there = {
        path.relative_to(ROOT).with_suffix("").as_posix().replace("solutions/", "labs/", 1)
        for folder in ("notebooks", "solutions")
        for path in (ROOT / folder).rglob("*.ipynb")
        if ".ipynb_checkpoints" not in path.parts
    }
    if odd := there ^ {each.path for each in found.values()}:
        raise CannotGenerate(f"course.yml and the folders differ in {', '.join(sorted(odd))}")
    return list(found.values())


def read(path: str) -> NotebookNode:
    return nbformat.read(ROOT / f"{path}.ipynb", as_version=4)


def checked(notebook: NotebookNode) -> list[str]:
    """Return the exercises that a lab's test cells check, in order."""
    return [
        name
        for cell in notebook.cells
        if cell.cell_type == "code"
        for name in CHECK.findall(cell.source)
    ]


def by_hand(notebook: NotebookNode) -> float:
    """Return the points of the answers that a person marks."""
    marks = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    return sum(each["points"] for each in marks if each.get("grade") and each.get("solution"))


def by_check(notebook: NotebookNode) -> dict[str, float]:
    """Return what the gradebook gives for each exercise that a lab's test cells check."""
    return {
        name: cell.metadata["nbgrader"]["points"]
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade")
        for name in CHECK.findall(cell.source)
    }


def everything() -> dict[Path, bytes]:
    """Return each file that holds something generated, as it should be."""
    entries = declared()
    found: dict[Path, bytes] = {ROOT / "README.md": readme(entries).encode()}
    for entry in entries:
        if entry.is_lab:
            path = entry.path.replace("labs/", "solutions/", 1)
            notebook = read(path)
            of_lab(notebook, entry)
        else:
            path = entry.path
            notebook = read(path)
            of_page(notebook, entry, entries)
        found[ROOT / f"{path}.ipynb"] = written(path, notebook)
    return found


def written(path: str, notebook: NotebookNode) -> bytes:
    """Return the notebook's file. One in which nothing changed stays as it is, to the byte."""
    before = (ROOT / f"{path}.ipynb").read_bytes()
    if nbformat.reads(before.decode(), as_version=4) == notebook:
        return before
    return (nbformat.writes(notebook, indent=1) + "\n").encode()


def of_page(notebook: NotebookNode, entry: Entry, entries: list[Entry]) -> None:
    """Fill a page's first cell, and the tables of the first page."""
    first = notebook.cells[0]
    first.source = re.sub(r"\A# .*", f"# {entry.title}", first.source)
    first.source = once(TIME, str(entry.minutes), first.source, entry.path)
    first.source = once(VERIFIED, lambda match: versions(match[0], entry), first.source, entry.path)
    if entry.path == FRONT:
        last = notebook.cells[-1]
        last.source = front(last.source, entries)


def of_lab(notebook: NotebookNode, entry: Entry) -> None:
    """Fill what a lab says of its exercises' points and minutes."""
    first = notebook.cells[0]
    first.source = once(TIME, str(entry.minutes), first.source, entry.path)
    asked = [exercises.get(name) for name in checked(notebook)]
    fill(notebook, WORTH, list(map(worth, asked)), entry.path)
    points = by_check(notebook)
    fill(notebook, SPLIT, [render.split(each, points[each.id]) for each in asked], entry.path)


def worth(exercise: Exercise) -> str:
    points = "1 point" if exercise.points == 1 else f"{exercise.points:g} points"
    return f"({points}, {exercise.minutes} minutes)"


def fill(notebook: NotebookNode, place: re.Pattern, texts: list[str], where: str) -> None:
    """Put each text into its place: they are in the order of the lab's test cells."""
    left = iter(texts)
    count = 0
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            places = len(place.findall(cell.source))
            count += places
            if places and count <= len(texts):
                cell.source = place.sub(lambda _: next(left), cell.source)
    if count != len(texts):
        raise CannotGenerate(
            f"{where} has {count} places for what its {len(texts)} exercises are worth"
        )


def once(place: re.Pattern, text, source: str, where: str) -> str:
    changed, count = place.subn(text, source)
    if count != 1:
        raise CannotGenerate(f"{where}: {place.pattern} is to stand once in its first cell")
    return changed


def versions(said: str, entry: Entry) -> str:
    """Return the packages that a page names, with the versions of its lock."""
    lock = "requirements-zoo.lock" if entry.path == ZOO else "requirements.lock"
    pins = dict(re.findall(r"^([\w-]+)==([\w.]+)", (ROOT / lock).read_text(), re.MULTILINE))
    names = [each.split()[0] for each in said.split(", ")]
    return ", ".join(f"{name} {pins.get(name) or pins[f'{name}-gpu']}" for name in names)


def front(source: str, entries: list[Entry]) -> str:
    """Fill the tables of the first page: its paths, all of Day 50, and the questions."""
    place = next(i for i, each in enumerate(entries) if each.path.startswith("notebooks/lab-7-01"))
    day = entries[:place]
    known = {each.stem: each for each in entries}

    def rows() -> Iterator[str]:
        for each in day:
            needs = ", ".join(known[name].number for name in each.needs)
            link = f"[{each.title}]({from_front(each)})"
            name = (
                "Start here, this page"
                if each.path == FRONT
                else f"Lab: {link}"
                if each.is_lab
                else link
            )
            points = f"{each.points:g}" if each.is_lab else ""
            number = "" if each.is_lab else each.number
            yield f"| {number} | {name} | {each.minutes} | {points} | {needs} |"

    questions = (
        f"| {each.question} | [{each.title}]({from_front(each)}) |"
        for each in entries
        if each.question
    )
    source = table(source, "| | notebook or lab | minutes | points | needs |", rows())
    source = table(source, "| you want to | go to |", questions)
    evening = [
        each for each in day if each.is_line or (each.is_lab and each.path not in of_day(day))
    ]
    days = [each for each in day if not each.is_lab and not each.is_line]
    for path, chosen in {"one evening": evening, "several days": days, "everything": day}.items():
        minutes = sum(each.minutes for each in chosen)
        source, count = re.subn(rf"(?m)^(\| {path}: .* \|) \d+ \|$", rf"\1 {minutes} |", source)
        if count != 1:
            raise CannotGenerate(f"{FRONT}: the table of paths has no row '{path}'")
    return source


def of_day(day: list[Entry]) -> set[str]:
    """Return the labs that are Day 50's own; the line borrows one."""
    return {each.path for each in day if each.path.startswith("labs/day-50/")}


def from_front(entry: Entry) -> str:
    up = f"../{entry.path}" if entry.is_lab else entry.path.removeprefix("notebooks/")
    return f"{up}.ipynb"


def readme(entries: list[Entry]) -> str:
    """Fill the table of labs and the lists of pages. What follows a link in a list stays."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    labs = [each for each in entries if each.is_lab]
    # Day 50's are listed by their size, the others in their order.
    day = sorted((each for each in labs if "/day-50/" in each.path), key=lambda each: each.minutes)
    rows = [
        f"| [{each.stem}]({each.path}.ipynb) | {each.about} | {each.points:g} | {each.minutes} |"
        for each in [*day, *(each for each in labs if each not in day)]
    ]
    points = sum(each.points for each in labs)
    rows.append(f"| all | | {points:g} | {sum(each.minutes for each in labs)} |")
    text = table(text, "| lab | what you learn to do | points | minutes |", rows)
    after = dict(re.findall(r"^- \[.+?\]\((notebooks/\S+)\.ipynb\)(.*)$", text, re.MULTILINE))
    for folder in ("day-50", "lab-7-01"):
        pages = [each for each in entries if not each.is_lab and f"/{folder}/" in each.path]
        pages.sort(key=lambda each: (not each.is_line, each.stem))
        if folder == "day-50":
            pages.insert(0, next(each for each in entries if each.path == FRONT))
        lines = [f"- [{each.title}]({each.path}.ipynb){after.get(each.path, '')}" for each in pages]
        one = rf"- \[.+\]\((?:{'|'.join(re.escape(each.path) for each in pages)})\.ipynb\).*\n"
        text, count = re.subn(
            rf"(?m)(?:^{one})+", lambda _, lines=lines: "\n".join(lines) + "\n", text
        )
        if count != 1:
            raise CannotGenerate(f"README.md has {count} lists of the pages of {folder}")
    return text


def table(text: str, head: str, rows) -> str:
    """Replace the rows of the table with this header line."""
    place = re.compile(rf"({re.escape(head)}\n\|[-|]+\n)(?:\|.*(?:\n|\Z))*")
    changed, count = place.subn(lambda match: match[1] + "\n".join(rows) + "\n", text)
    if count != 1:
        raise CannotGenerate(f"the table {head} stands {count} times")
    return changed


def stale() -> dict[Path, bytes]:
    """Return the files in which something generated is not what it should be."""
    return {path: data for path, data in everything().items() if path.read_bytes() != data}


def stale_labs() -> dict[Path, bytes]:
    """Return the files of labs/ that are not what a release makes of solutions/."""
    found = {}
    for name in Project(ROOT).assignments():
        with tempfile.TemporaryDirectory() as fresh:
            released(ROOT / "solutions", Path(fresh) / name, name)
            for path in filter(Path.is_file, (Path(fresh) / name).iterdir()):
                lab = ROOT / "labs" / name / path.name
                if not lab.is_file() or lab.read_bytes() != path.read_bytes():
                    found[lab] = path.read_bytes()
    return found


def main() -> None:
    try:
        for making in (stale, stale_labs):  # labs/ is made of what was filled in
            for path, data in making().items():
                path.write_bytes(data)
                print(path.relative_to(ROOT))
    except (CannotGenerate, ReleaseError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
