"""What the page around a text shows: the groups of pages, and the minutes and prerequisites of each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
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
    minutes: int | None
    after: str | None  # what the page builds on


@dataclass(frozen=True)
class Group:
    name: str
    entries: tuple[Entry, ...]


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


def _needs(env: BuildEnvironment) -> dict[str, tuple[int, str | None]]:
    if not hasattr(env, "course_needs"):
        env.course_needs = {}
    return env.course_needs


def forget(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    _needs(env).pop(page, None)


def merge(app: Sphinx, env: BuildEnvironment, pages: set[str], other: BuildEnvironment) -> None:
    _needs(env).update({page: each for page, each in _needs(other).items() if page in pages})


def groups(env: BuildEnvironment) -> list[Group]:
    """The tables of contents of the front page, in their order."""
    tables = env.get_doctree(env.config.root_doc).findall(addnodes.toctree)
    return [
        Group(table["caption"], tuple(_entry(env, page) for _, page in table["entries"]))
        for table in tables
    ]


def hours(groups: list[Group]) -> int:
    """What all pages and labs together take, in whole hours."""
    return round(sum(entry.minutes or 0 for group in groups for entry in group.entries) / 60)


def _entry(env: BuildEnvironment, page: str) -> Entry:
    minutes, after = _needs(env).get(page, (None, None))
    return Entry(page, titles(env)[page], minutes, after and named(after, titles(env)))


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


def add(
    app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None
) -> None:
    if not hasattr(app, "course_groups"):
        app.course_groups = groups(app.env)
    context["groups"] = app.course_groups
    context["minutes"], _ = _needs(app.env).get(page, (None, None))
    context["is_lab"] = page.startswith("labs/")
    context["checked"] = checked(Path(app.env.doc2path(page))) if context["is_lab"] else []
    context["is_notebook"] = page.startswith(("notebooks/", "labs/"))
    if page == app.config.root_doc:
        context["titles"] = titles(app.env)
        context["hours"] = hours(app.course_groups)
        context["parts"] = json.loads((Path(app.confdir) / "parts.json").read_text("utf-8"))
