"""Put in what code makes of one declaration: `make generate`.

1. `course.yml` declares the pages and labs, in order. From it comes the map of the course: its pictures,
   the same in words in README.md and on the first page, and a line at the head of each page and lab.
   A page's title comes from there, too, and its minutes from the page by a rule.
2. An exercise declares its points, items and minutes. From it come the heading of its task, the
   table of how its points are given, and the minutes of its lab, in solutions/.
3. The locks say which versions a page was verified with; a page is run again when a lock changes.
4. The notebooks of labs/ are what a release makes of solutions/. Their references need the sandbox,
   so `course release` computes these.

What is generated is known by how it begins, so nothing in the files marks it.
"""

from __future__ import annotations

import math
import re
import sys
import tempfile
from pathlib import Path

import course_map
import nbformat
import yaml
from course_map import FRONT, Entry, Map
from nbformat import NotebookNode

from nbjudge import exercises, render
from nbjudge.contract import Exercise
from nbjudge.course.generating import ReleaseError
from nbjudge.course.release import generate as released
from nbjudge.grading.config.folders import Project

ROOT = Path(__file__).resolve().parents[1]
ZOO = "notebooks/day-50/08-the-zoo"
CHECK = re.compile(r'^check\("(\w+)"', re.MULTILINE)
WORTH = re.compile(r"\((?:\d+(?:\.\d+)?) points?, \d+ minutes\)")
SPLIT = re.compile(r"\*\*How the points are given\.\*\*.*?(?:\n\|.*)+", re.DOTALL)
TIME = re.compile(r"(?<=\| time \| )\d+(?= minutes)")
# Parts of a text that a reader passes over at first: tables, answers, code to copy, generated lines.
UNREAD = re.compile(
    r"^\|[^\n]*|<details>.*?</details>|```.*?```|^\*\*You are here:[^\n]*", re.DOTALL | re.MULTILINE
)
VERIFIED = re.compile(r"(?<=Last verified with ).*?(?=\.(?:\n|$))")


class CannotGenerate(Exception):
    """A declaration or a file does not fit; the text says which, and what to do."""


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
        else:
            each["minutes"] = minutes(read(path))
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
    course = Map(declared())
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = {ROOT / "README.md": with_map(text, course, "README.md").encode()}
    for folder, drawing in course_map.draw(course).items():
        found[ROOT / course_map.picture(folder)] = drawing.encode()
    for entry in course.entries:
        if entry.is_lab:
            path = entry.path.replace("labs/", "solutions/", 1)
            notebook = read(path)
            of_lab(notebook, entry, course)
        else:
            path = entry.path
            notebook = read(path)
            of_page(notebook, entry, course)
        found[ROOT / f"{path}.ipynb"] = written(path, notebook)
    return found


def written(path: str, notebook: NotebookNode) -> bytes:
    """Return the notebook's file. One in which nothing changed stays as it is, to the byte."""
    before = (ROOT / f"{path}.ipynb").read_bytes()
    if nbformat.reads(before.decode(), as_version=4) == notebook:
        return before
    return (nbformat.writes(notebook, indent=1) + "\n").encode()


def of_page(notebook: NotebookNode, entry: Entry, course: Map) -> None:
    """Fill a page's first cell, and the map on the first page."""
    first = notebook.cells[0]
    first.source = re.sub(r"\A# .*", f"# {entry.title}", first.source)
    first.source = once(TIME, str(entry.minutes), first.source, entry.path)
    first.source = once(VERIFIED, lambda match: versions(match[0], entry), first.source, entry.path)
    if entry.path == FRONT:
        last = notebook.cells[-1]
        last.source = with_map(last.source, course, f"{FRONT}.ipynb")
    else:
        first.source = you_are_here(first.source, course_map.you_are_here(course, entry))


def of_lab(notebook: NotebookNode, entry: Entry, course: Map) -> None:
    """Fill what a lab says of its place, and of its exercises' points and minutes."""
    first = notebook.cells[0]
    first.source = you_are_here(first.source, course_map.you_are_here(course, entry))
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


def with_map(text: str, course: Map, source: str) -> str:
    """Put the map where it stands: from its first words to the end of its folded list."""
    place = re.compile(rf"{course_map.OPENING}.*?</details>", re.DOTALL)
    changed, count = place.subn(lambda _: course_map.in_words(course, source), text)
    if count != 1:
        raise CannotGenerate(f"{source} has {count} maps of the course")
    return changed


def you_are_here(source: str, line: str) -> str:
    """Put the line below the title, in place of an older one."""
    without = re.sub(rf"(?m)^{re.escape(course_map.HERE)}.*\n\n", "", source)
    return re.sub(r"\A# .*\n", lambda title: f"{title[0]}\n{line}\n", without)


def minutes(notebook: NotebookNode) -> int:
    """Return how long a page takes by the rule in CONTRIBUTING.md, rounded up to five minutes."""
    words = lines = predictions = steps = 0
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            words += len(UNREAD.sub("", cell.source).split())
        elif "NotImplementedError" in cell.source:
            steps += 1
        else:
            predictions += "my_guess = " in cell.source
            if not cell.metadata.get("jupyter", {}).get("source_hidden"):
                lines += sum(1 for line in cell.source.splitlines() if line.strip())
    return 5 * math.ceil((words / 200 + lines / 20 + predictions + 3 * steps) / 5)


def stale() -> dict[Path, bytes]:
    """Return the files in which something generated is not what it should be."""
    return {
        path: data
        for path, data in everything().items()
        if not path.is_file() or path.read_bytes() != data
    }


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
