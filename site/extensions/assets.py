"""What a page loads: the scripts of its parts, what these import, and the fonts of its first lines."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

ELEMENT = re.compile(r"<([a-z]+(?:-[a-z]+)+)[\s>]")
IMPORT = re.compile(r' from "\./([\w-]+\.js)"')
# What is asked for before the style sheet is read, so that the first lines have their letters.
FONTS = ("sans-latin-wght", "serif-latin-600")
CODE_FONT = ("mono-latin-400",)
# What is folded, and headings, which have letters of their own.
UNSEEN = re.compile(r"<details.*?</details>|<h\d.*?</h\d>", re.DOTALL)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add(
    app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None
) -> None:
    body, folder = context.get("body") or "", Path(app.srcdir) / "_static" / "alive"
    used = {"graph-surgery"} if page == app.config.root_doc else set(ELEMENT.findall(body))
    parts = [f"{name}.js" for name in sorted(used) if (folder / f"{name}.js").is_file()]
    context["scripts"] = [f"alive/{name}" for name in parts]
    context["scripts"] += ["open-graph.js"] if "open-graph" in used else []
    context["imported"] = [f"alive/{name}" for name in imported(folder, parts) if name not in parts]
    seen = UNSEEN.sub("", body)
    has_code = bool(parts) or "<code" in seen or "<pre" in seen
    context["fonts"] = FONTS + (CODE_FONT if has_code else ())


def imported(folder: Path, names: list[str]) -> list[str]:
    """The modules with these names and all that they import: the browser asks for them at once, and
    not one after the other.
    """
    found = list(names)
    for name in found:
        text = (folder / name).read_text("utf-8")
        found += [each for each in IMPORT.findall(text) if each not in found]
    return found
