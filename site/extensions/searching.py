"""The search: the sections of all pages as documents of an index, which Node makes with the scripts
that the search page loads, so that a word is the same on both sides.

Sphinx's own search looks for pages, in which all words must stand; this one for sections, in which
any may.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import sphinx
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

# How much a page counts, by the beginning of its name; other pages count 1. Labs repeat their
# notebooks, few readers adopt the grader or write an exercise, and lists of mistakes, of claims and
# of changes hold every word once.
WEIGHTS = {
    "labs/": 0.85,
    "claims": 0.5,
    "recall": 0.5,
    "exercises/": 0.5,
    "docs/adopt": 0.7,
    "docs/write-an-exercise": 0.7,
    "docs/lessons": 0.7,
    "docs/attacks": 0.5,
    "docs/architecture": 0.5,
    "docs/benchmarks/": 0.5,
    "docs/changelog": 0.5,
    "docs/conformance": 0.5,
    "docs/contributing": 0.5,
}
# Sections of every notebook that are about the notebook itself.
FRAME = {"What you learn and need", "Check yourself", "Recap and next"}
STEMMER = Path(sphinx.__file__).parent / "search" / "minified-js"
# Raw HTML that is no text.
NO_TEXT = re.compile(r"<(svg|script|summary|button|style)\b.*?</\1>", re.DOTALL)
TAG = re.compile(r"<[^>]+>")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", replace)
    app.connect("doctree-read", note_sections)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("build-finished", write_index)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def replace(app: Sphinx) -> None:
    """Let Sphinx make no index and no page of its own."""
    app.builder.search = False


def note_sections(app: Sphinx, doctree: nodes.document) -> None:
    _sections(app.env)[app.env.docname] = list(sections(doctree))


def _sections(env: BuildEnvironment) -> dict[str, list[dict]]:
    if not hasattr(env, "course_sections"):
        env.course_sections = {}
    return env.course_sections


def forget(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    _sections(env).pop(page, None)


def merge(app: Sphinx, env: BuildEnvironment, pages: set[str], other: BuildEnvironment) -> None:
    _sections(env).update({page: each for page, each in _sections(other).items() if page in pages})


def sections(doctree: nodes.document) -> Iterator[dict]:
    """Each section with words of its own: its anchor, heading, the headings around it below the
    page's title, text and code. The page's first section has no anchor.
    """
    for section in doctree.findall(nodes.section):
        around = list(_around(section))
        headings = [_heading(each) for each in [section, *around]]
        if FRAME & set(headings):
            continue
        text, code = _own(section)
        if text or code:
            yield {
                "anchor": section["ids"][0] if around else "",
                "heading": headings[0],
                "path": headings[1:-1],
                "text": text,
                "code": code,
            }


def _around(section: nodes.section) -> Iterator[nodes.section]:
    while isinstance(section := section.parent, nodes.section):
        yield section


def _heading(section: nodes.section) -> str:
    return section[0].astext() if isinstance(section[0], nodes.title) else ""


def _own(section: nodes.section) -> tuple[str, str]:
    """The text and the code that stand in the section itself, without outputs and formulas."""
    texts, codes = [], []

    def visit(node: nodes.Node) -> None:
        if isinstance(
            node, nodes.section | nodes.title | nodes.math | nodes.math_block | nodes.comment
        ):
            return
        if isinstance(node, nodes.Element) and "cell_output" in node.get("classes", ()):
            return
        if isinstance(node, nodes.literal_block):
            codes.append(node.astext())
        elif isinstance(node, nodes.raw):
            texts.append(_unmarked(node))
        elif isinstance(node, nodes.TextElement):
            texts.append(_words(node))
        else:
            for child in node.children:
                visit(child)

    for child in section.children:
        visit(child)
    return tuple(" ".join(" ".join(each).split()) for each in (texts, codes))


def _unmarked(node: nodes.raw) -> str:
    return html.unescape(TAG.sub(" ", NO_TEXT.sub(" ", node.astext())))


def _words(node: nodes.Node) -> str:
    """The node's text without its formulas."""
    if isinstance(node, nodes.math):
        return ""
    if isinstance(node, nodes.raw):
        return _unmarked(node)
    if isinstance(node, nodes.Text):
        return node.astext()
    return "".join(map(_words, node.children))


def documents(sections: Mapping[str, list[dict]], titles: Mapping[str, str]) -> dict:
    """What the index is made of: pages as [address, title, weight], and sections with the number of
    their page.
    """
    names = sorted(sections)
    return {
        "pages": [[f"{name}.html", titles[name], _weight(name)] for name in names],
        "sections": [
            {"page": number} | section
            for number, name in enumerate(names)
            for section in sections[name]
        ],
    }


def _weight(page: str) -> float:
    return next((weight for start, weight in WEIGHTS.items() if page.startswith(start)), 1.0)


def write_index(app: Sphinx, problem: Exception | None) -> None:
    """_static/search: the index, and what is quoted of each page."""
    if problem:
        return
    static = Path(app.outdir) / "_static"
    (static / "stemmer").mkdir(exist_ok=True)
    for name in ("base-stemmer.js", "english-stemmer.js"):
        shutil.copyfile(STEMMER / name, static / "stemmer" / name)
    titles = {page: title.astext() for page, title in app.env.titles.items()}
    made = documents(_sections(app.env), titles)
    subprocess.run(
        [
            Path(sys.executable).with_name("node"),
            Path(app.confdir) / "search" / "index.mjs",
            static,
        ],
        input=json.dumps(made),
        encoding="utf-8",
        check=True,
    )
