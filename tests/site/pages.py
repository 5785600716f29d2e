"""What a built page holds, read with the standard library: its links, its anchors, what it loads."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Elements that have no end tag.
VOID = {
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "track",
    "wbr",
}


@dataclass
class Page:
    path: Path
    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)  # what a reader follows
    loads: list[str] = field(default_factory=list)  # what the browser fetches by itself
    images: list[dict] = field(default_factory=list)
    headings: list[int] = field(default_factory=list)
    unclosed: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page, self.open = page, []

    def handle_starttag(self, tag: str, attributes: list) -> None:
        found = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in found:
            self.page.ids.append(found["id"])
        if tag == "a" and "href" in found:
            self.page.links.append(found["href"])
        if tag in {"img", "script", "iframe", "source"} and "src" in found:
            self.page.loads.append(found["src"])
        if tag == "link" and found.get("rel") in {"stylesheet", "icon", "preload"}:
            self.page.loads.append(found["href"])
        if tag == "img":
            self.page.images.append(found)
        if tag in {"h1", "h2", "h3", "h4", "h5", "h6"}:
            self.page.headings.append(int(tag[1]))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.page.unclosed.append(f"</{tag}> closes {self.open[-1:]}, line {self.getpos()[0]}")


def read(path: Path) -> Page:
    page = Page(path)
    reader = _Reader(page)
    reader.feed(path.read_text("utf-8"))
    page.unclosed += [
        f"<{tag}> is never closed" for tag in reader.open if tag not in {"p", "li", "html", "body"}
    ]
    return page


def is_elsewhere(address: str) -> bool:
    return bool(urlsplit(address).scheme or urlsplit(address).netloc)


def target(page: Page, address: str) -> tuple[Path, str]:
    """The file that the address leads to, and the anchor in it."""
    parts = urlsplit(address)
    path = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path.resolve()
    return (path / "index.html" if path.is_dir() else path), unquote(parts.fragment)
