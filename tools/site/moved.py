"""Pages at the addresses of pages that are gone, which lead to where their content is now.

course.yml has a row for each: `moved` is the page as it was called, without its suffix, and `to` the
page that has its content, with an anchor if it is a part of that page.
"""

from __future__ import annotations

import posixpath
from pathlib import Path

import yaml

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This page has moved</title>
<meta http-equiv="refresh" content="0; url={address}">
<link rel="canonical" href="{address}">
</head>
<body>
<h1>This page has moved</h1>
<p><a href="{address}">Read it at its new place.</a></p>
</body>
</html>
"""


def addresses(root: Path) -> dict[str, str]:
    """Return for each page that is gone, by its file on the site, where it leads to, relative to it."""
    entries = yaml.safe_load((root / "course.yml").read_text("utf-8"))
    found = {}
    for entry in entries:
        if "moved" in entry:
            page, _, anchor = entry["to"].partition("#")
            target = posixpath.relpath(f"{page}.html", posixpath.dirname(entry["moved"]))
            found[f"{entry['moved']}.html"] = f"{target}#{anchor}" if anchor else target
    return found


def collect(root: Path, out: Path) -> None:
    """Write the pages to `out`, the folder of the built site."""
    for name, address in addresses(root).items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGE.format(address=address), "utf-8")
