"""What the page around a text shows: the groups of pages, what each is about, its minutes and
prerequisites, and which page comes before and after it.

A notebook's own last lines say what comes next, so the card below them says the same. What comes
before is the page that leads here, or what course.yml says that this one needs.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import nbformat
import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from extensions.sharing import described

# The last line of a notebook: `Next: [Export](03-export.ipynb), where ...`. Its first link counts.
NEXT = re.compile(r"^Next: [^\n]*?\]\(([^)#\s]+)\.ipynb[^)]*\)", re.MULTILINE)
# The lists that are for those who teach or build, behind one link of the front page.
BEHIND = "For instructors and builders"


@dataclass(frozen=True)
class Entry:
    page: str
    title: str
    minutes: int | None
    after: str | None  # what the page builds on
    about: str  # in a sentence


@dataclass(frozen=True)
class Group:
    name: str
    entries: tuple[Entry, ...]

    @property
    def minutes(self) -> int:
        return sum(entry.minutes or 0 for entry in self.entries)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", note_needs)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("html-page-context", add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def note_needs(app: Sphinx, doctree: nodes.document) -> None:
    """Pages say in a table what they need: | time | 75 minutes |, | before this | Graph surgery |."""
    rows = (
        [cell.astext().strip() for cell in row.findall(nodes.entry)]
        for row in doctree.findall(nodes.row)
    )
    table = {row[0]: row[1] for row in rows if len(row) == 2}
    if found := re.match(r"(\d+) minutes", table.get("time", "")):
        _needs(app.env)[app.env.docname] = (int(found.group(1)), table.get("before this"))
    _about(app.env)[app.env.docname] = re.split(r"(?<=[.?!:]) ", described(doctree))[0].rstrip(":")


def _needs(env: BuildEnvironment) -> dict[str, tuple[int, str | None]]:
    if not hasattr(env, "course_needs"):
        env.course_needs = {}
    return env.course_needs


def _about(env: BuildEnvironment) -> dict[str, str]:
    if not hasattr(env, "course_about"):
        env.course_about = {}
    return env.course_about


def forget(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    _needs(env).pop(page, None)
    _about(env).pop(page, None)


def merge(app: Sphinx, env: BuildEnvironment, pages: set[str], other: BuildEnvironment) -> None:
    for own, others in ((_needs(env), _needs(other)), (_about(env), _about(other))):
        own.update({page: each for page, each in others.items() if page in pages})


def declared(root: Path) -> dict[str, dict]:
    """The pages and labs of course.yml, in their order, by their path without its suffix."""
    entries = yaml.safe_load((root / "course.yml").read_text("utf-8"))
    return {entry.get("page") or entry["lab"]: entry for entry in entries if "moved" not in entry}


def groups(env: BuildEnvironment, course: Mapping[str, dict]) -> list[Group]:
    """The tables of contents of the front page, in their order."""
    tables = env.get_doctree(env.config.root_doc).findall(addnodes.toctree)
    return [
        Group(
            table["caption"],
            tuple(_entry(env, page, course.get(page, {})) for _, page in table["entries"]),
        )
        for table in tables
    ]


def followed(source: Path, course: Mapping[str, dict]) -> dict[str, str]:
    """For each page of the course the page that its last lines call the next one."""
    found = {page: _next(source, page) for page in course}
    return {page: target for page, target in found.items() if target}


def _next(source: Path, page: str) -> str | None:
    cells = nbformat.read(source / f"{page}.ipynb", as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    links = NEXT.findall(text)
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), links[-1])) if links else None


def preceding(nexts: Mapping[str, str], course: Mapping[str, dict]) -> dict[str, str]:
    """For each page of the course the first one that leads to it, or the last one that it needs."""
    by_stem = {page.rpartition("/")[2]: page for page in course}
    found = {
        page: by_stem[entry["needs"][-1]] for page, entry in course.items() if entry.get("needs")
    }
    leading = {target: page for page, target in reversed([*nexts.items()])}
    return found | {page: leading[page] for page in course if page in leading}


def hours(groups: list[Group]) -> int:
    """What all pages and labs together take, in whole hours."""
    return round(sum(entry.minutes or 0 for group in groups for entry in group.entries) / 60)


def _entry(env: BuildEnvironment, page: str, declared: Mapping[str, str]) -> Entry:
    minutes, after = _needs(env).get(page, (None, None))
    about = declared.get("about") or _about(env).get(page, "")
    return Entry(
        page,
        titles(env)[page],
        minutes,
        after and named(after, titles(env)),
        about[:1].upper() + about[1:].rstrip("."),
    )


def titles(env: BuildEnvironment) -> dict[str, str]:
    return {page: title.astext() for page, title in env.titles.items()}


def named(after: str, titles: Mapping[str, str]) -> str:
    """What a page builds on, with the titles of notebooks in place of their files, and no more words
    than a list has room for.
    """

    def title(match: re.Match) -> str:
        ends = f"/{match.group(0)}"
        found = [page for page in titles if page.startswith("notebooks/") and page.endswith(ends)]
        return titles[found[0]].partition(":")[0] if found else match.group(0)

    text = re.sub(r"^the notebooks? ", "", after)
    return re.sub(r"(?:[\w-]+/)?\d\d\w?-[\w-]+", title, text)


def checked(lab: Path) -> list[str]:
    """The exercises that the lab's cells call `check` on, in their order."""
    return list(dict.fromkeys(re.findall(r'\bcheck\(\\?"(\w+)', lab.read_text("utf-8"))))


def _card(app: Sphinx, page: str, target: str | None) -> dict[str, str] | None:
    if target is None:
        return None
    link = app.builder.get_relative_uri(page, target)
    return {"title": app.env.titles[target].astext(), "link": link}


def add(
    app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None
) -> None:
    if not hasattr(app, "course_groups"):
        course = declared(Path(app.confdir).parent)
        app.course_groups = groups(app.env, course)
        app.course_nexts = followed(Path(app.srcdir), course)
        app.course_before = preceding(app.course_nexts, course)
    context["groups"] = app.course_groups
    context["behind"] = BEHIND
    for name, pages in (("next", app.course_nexts), ("prev", app.course_before)):
        if page in app.course_nexts or page in app.course_before:
            context[name] = _card(app, page, pages.get(page))
    context["minutes"], _ = _needs(app.env).get(page, (None, None))
    context["is_lab"] = page.startswith("labs/")
    context["checked"] = checked(Path(app.env.doc2path(page))) if context["is_lab"] else []
    context["is_notebook"] = page.startswith(("notebooks/", "labs/"))
    if page == app.config.root_doc:
        context["titles"] = titles(app.env)
        context["hours"] = hours(app.course_groups)
        context["map"] = (Path(app.srcdir) / "map.html").read_text("utf-8")
        context["parts"] = json.loads((Path(app.confdir) / "parts.json").read_text("utf-8"))
