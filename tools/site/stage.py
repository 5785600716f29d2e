"""Collect the sources of the site in one folder, as Sphinx wants them; what is up to date stays as
it is.

The folder is laid out like the repository, so that links between pages hold: notebooks/, labs/ and
docs/ lie where they lie there, and the pages of site/ at the top. Nothing in it is edited by hand.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import colours
import exercise_pages
import lab_pages
import maps
import museum_pages
import notebook_pages
import offers
import recall_pages
import viewer

# Pages that lie at the top of the repository, by their name on the site.
TOP = {
    "SECURITY.md": "docs/security.md",
    "CONTRIBUTING.md": "docs/contributing.md",
    "CHANGELOG.md": "docs/changelog.md",
}

# Files that stand for a page which is written from the code.
STAND_FOR = {"exercises/README.md": "exercises/index.md"}
# The rules for a page, in the order in which they hold: what comes later wins.
STYLES = ("tokens", "page", "frame", "text", "notebook", "figures", "home", "search", "narrow")
# What pages are written from.
SOURCES = (".md", ".ipynb")
# The list of the pages that were built, beside them.
RECORD = ".pages"
# The map of the course for the front page, which reads it from there.
MAP = "map.html"
# Folders of _static that are written here; the others come from elsewhere.
WRITTEN = ("pictures", "museum")


class CannotStage(RuntimeError):
    """The pages cannot be collected. The text says why."""


def collect(root: Path, target: Path) -> None:
    """Write every page and every file that a page needs to `target`, and remove what is no longer
    needed.
    """
    target.mkdir(parents=True, exist_ok=True)
    files = dict(pages(root))
    for name, content in files.items():
        write(target / name, content)
    kept = {target / name for name in files}
    for path in sorted(target.rglob("*"), reverse=True):
        inside = path.relative_to(target).parts
        if inside[0] == "_static" and (len(inside) == 1 or inside[1] not in WRITTEN):
            continue
        if path.is_file() and path not in kept:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    static(root, target / "_static")


def forget(source: Path, out: Path) -> None:
    """Remove the pages of an earlier build that have no source any more: Sphinx leaves them. `out`
    may hold pages that are not ours.
    """
    record, own = out / RECORD, set(_pages(source))
    before = set(record.read_text("utf-8").splitlines()) if record.is_file() else set()
    for name in before - own:
        (out / name).unlink(missing_ok=True)
    record.write_text("\n".join(sorted(own)), "utf-8")


def _pages(source: Path) -> Iterator[str]:
    for path in source.rglob("*.*"):
        name = path.relative_to(source)
        if name.suffix in SOURCES and name.parts[0] != "_static":
            yield name.with_suffix(".html").as_posix()


def pages(root: Path) -> Iterator[tuple[str, bytes]]:
    """Each file of the site's source, by its name there."""
    for path in sorted((root / "site").rglob("*.md")):
        if "node_modules" not in path.parts:
            name = path.relative_to(root / "site").as_posix()
            yield name, linked(path.read_text("utf-8"), root, path.parent, name)
    yield from guides(root)
    for path in sorted((root / "notebooks").rglob("*.ipynb")):
        name = path.relative_to(root).as_posix()
        offered = offers.boxes(root, name.removesuffix(".ipynb"))
        yield from notebook_pages.page(path, name, viewer.index(path), offered)
    for path in sorted((root / "notebooks").rglob("*.png")):
        yield path.relative_to(root).as_posix(), path.read_bytes()
    for path in sorted((root / "labs").rglob("*.ipynb")):
        yield from lab_pages.page(path, path.relative_to(root).as_posix())
    yield from exercise_pages.pages(root)
    yield from museum_pages.pages()
    yield from recall_pages.pages(root)
    yield MAP, maps.of_course(root).encode()


def guides(root: Path) -> Iterator[tuple[str, bytes]]:
    """The pages of docs/ and of the top of the repository, and the files beside those of docs/."""
    for path in docs(root):
        name = path.relative_to(root).as_posix()
        if path.suffix == ".md":
            yield name, linked(path.read_text("utf-8"), root, path.parent, name)
        else:
            yield name, path.read_bytes()
    for source, name in TOP.items():
        yield name, linked((root / source).read_text("utf-8"), root, root, name)


def docs(root: Path) -> list[Path]:
    return sorted((root / "docs").glob("*.*"))


def linked(text: str, root: Path, folder: Path, name: str) -> bytes:
    """The page with its links to files of the repository turned into links from where the page lies
    on the site.
    """
    up = "../" * name.count("/")

    def follow(match: re.Match) -> str:
        address, _, anchor = match.group(2).partition("#")
        if not address or re.match(r"[a-z]+:", address):
            return match.group(0)
        path = (folder / address).resolve()
        if not path.is_relative_to(root) or not path.exists():
            return match.group(0)
        inside = path.relative_to(root).as_posix()
        is_page = (
            inside in TOP
            or inside in STAND_FOR
            or inside.startswith(("notebooks/", "labs/", "docs/", "site/"))
        )
        if not is_page:
            return match.group(1)[1:-2]
        inside = (TOP | STAND_FOR).get(inside, inside.removeprefix("site/"))
        return f"{match.group(1)}{up}{inside}{'#' + anchor if anchor else ''})"

    def draw(match: re.Match) -> str:
        path = folder / match.group(2)
        return colours.pair(f"{up}_static/{path.stem}", match.group(1), path.read_text("utf-8"))

    text = re.sub(r"!\[([^\]]*)\]\(([\w-]+\.svg)\)", draw, text)
    return re.sub(r"(\[[^\]]*\]\()([^)\s]+)\)", follow, text).encode()


def write(path: Path, content: bytes) -> None:
    """Sphinx reads a page again when its file is newer: an unchanged one is not touched."""
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def static(root: Path, target: Path) -> None:
    """The files that are served as they are; `vendor` and `data` come from elsewhere."""
    shutil.copytree(root / "site" / "_static", target, dirs_exist_ok=True)
    write(target / "course.css", styles(root / "site" / "theme" / "course" / "styles").encode())
    for folder in ("notebooks", "labs"):  # to take along
        for path in sorted((root / folder).rglob("*.ipynb")):
            write(target / path.relative_to(root), path.read_bytes())
    viewer.collect(root, target)
    for path in (path for path in docs(root) if path.suffix == ".svg"):
        drawing = path.read_text("utf-8")
        write(target / path.name, colours.light(drawing).encode())
        write(target / f"{path.stem}-dark.svg", colours.dark(drawing).encode())


def styles(folder: Path) -> str:
    """One style sheet for all pages, without comments and indentation: pages wait for it."""
    rules = "".join((folder / f"{name}.css").read_text("utf-8") for name in STYLES)
    rules = re.sub(r"/\*.*?\*/", "", rules, flags=re.DOTALL)
    return re.sub(r"\s*\n\s*", "\n", rules).strip() + "\n"
