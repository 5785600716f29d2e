"""What the page around a text shows: the groups of pages, the minutes and prerequisites of each,
and which lab belongs to it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


@dataclass(frozen=True)
class Entry:
    page: str
    title: str
    short: str  # the first words, for narrow places
    minutes: int | None


@dataclass(frozen=True)
class Group:
    name: str
    entries: tuple[Entry, ...]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", note_minutes)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("html-page-context", add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def note_minutes(app: Sphinx, doctree: nodes.document) -> None:
    """Pages say their time in a table: | time | 75 minutes |, and labs name theirs there too."""
    for row in doctree.findall(nodes.row):
        cells = [cell.astext().strip() for cell in row.findall(nodes.entry)]
        if (
            len(cells) == 2
            and cells[0] == "time"
            and (found := re.match(r"(\d+) minutes", cells[1]))
        ):
            _minutes(app.env)[app.env.docname] = int(found.group(1))
            return


def _minutes(env: BuildEnvironment) -> dict[str, int]:
    if not hasattr(env, "course_minutes"):
        env.course_minutes = {}
    return env.course_minutes


def forget(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    _minutes(env).pop(page, None)


def merge(app: Sphinx, env: BuildEnvironment, pages: set[str], other: BuildEnvironment) -> None:
    _minutes(env).update({page: each for page, each in _minutes(other).items() if page in pages})


def groups(env: BuildEnvironment) -> list[Group]:
    """The tables of contents of the front page, in their order."""
    tables = env.get_doctree(env.config.root_doc).findall(addnodes.toctree)
    return [
        Group(table["caption"], tuple(_entry(env, title, page) for title, page in table["entries"]))
        for table in tables
    ]


def _entry(env: BuildEnvironment, title: str | None, page: str) -> Entry:
    full = env.titles[page].astext()
    return Entry(page, full, title or full, _minutes(env).get(page))


def add(
    app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None
) -> None:
    if not hasattr(app, "course_groups"):
        app.course_groups = groups(app.env)
    context["groups"] = app.course_groups
    context["minutes"] = _minutes(app.env).get(page)
    context["is_lab"] = page.startswith("labs/")
    context["is_notebook"] = page.startswith(("notebooks/", "labs/"))
    used = set(re.findall(r"<([a-z]+(?:-[a-z]+)+)[\s>]", context.get("body") or ""))
    folder = Path(app.srcdir) / "_static" / "alive"
    context["scripts"] = [
        f"alive/{name}.js" for name in sorted(used) if (folder / f"{name}.js").is_file()
    ]
    context["scripts"] += ["open-graph.js"] if "open-graph" in used else []
    if page == app.config.root_doc:
        context["scripts"] = ["alive/graph-surgery.js"]
        context["titles"] = {name: app.env.titles[name].astext() for name in app.env.titles}
        context["parts"] = json.loads((Path(app.confdir) / "parts.json").read_text("utf-8"))
    parts = [
        name.removeprefix("alive/") for name in context["scripts"] if name.startswith("alive/")
    ]
    context["imported"] = [f"alive/{name}" for name in imported(folder, parts) if name not in parts]


def imported(folder: Path, names: list[str]) -> list[str]:
    """The modules with these names and all that they import: the browser asks for them at once, and
    not one after the other.
    """
    found = list(names)
    for name in found:
        text = (folder / name).read_text("utf-8")
        found += [
            each for each in re.findall(r' from "\./([\w-]+\.js)"', text) if each not in found
        ]
    return found
