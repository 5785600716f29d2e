"""Pictures in answers that a person marks: drawn anew, and shown as still PNGs.

1. When a notebook is read, the pictures of its Markdown leave it as bytes, by digest, and the
   Markdown names them (`markdown_pictures`). Nothing here looks into them.
2. What was published with a picture in it is compared as it was published.
3. The pictures of cells that the student wrote are drawn anew in a box of their own
   (`boxes.inside.draw`), with files beside the notebook that such a cell shows. They become
   attachments of the recorded cell.
4. Where one cannot be shown, a line in its place says why. A picture that breaks the box costs
   itself and those behind it, never the notebook.
"""

from __future__ import annotations

import base64
import posixpath
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from nbjudge import boxes, plain_text, wire
from nbjudge.boxes.limits import limits_for_pictures
from nbjudge.grading.document.cells import (
    Notebook,
    is_answer,
    is_own,
    known_metadata,
    nbgrader_metadata,
)
from nbjudge.grading.document.markdown_pictures import SCHEME, Taken, replaced, taken
from nbjudge.grading.document.sanitize import picture_name
from nbjudge.grading.execution.sandboxes import Start
from nbjudge.grading.faults import faults
from nbjudge.grading.faults.policy import Moment, Place, Way
from nbjudge.grading.notebook import parser

# Characters of pictures that are kept of a submission, beside the limit for each of them.
MAX_SHOWN = 12 << 20
TOO_MANY = "the submission's pictures are together over the limit"
BROKEN = "it, or one before it, is too much to draw"
NO_TIME = "the submission's time was over"
MISSING = "it is not in the notebook"
_WORDS = frozenset(" .,-_+=")


@dataclass
class Pictures:
    """Those of one submission, by digest: bytes that nobody has looked at, and why there are none.

    `published_sources` are Markdown sources that were published with pictures in them, by what reading makes of
    them.
    """

    published_sources: Mapping[str, str] = field(default_factory=dict)
    held: dict[str, wire.Blob] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    drawn: dict[str, str] = field(default_factory=dict)

    @classmethod
    def for_published(cls, published: Iterable[Notebook]) -> Pictures:
        """The pictures, none yet, of a submission to the `published` notebooks."""
        return cls(published_sources=given_with_pictures(published))

    def read(self, data: wire.Blob) -> parser.Cells:
        """Read a submitted notebook, whose pictures are kept here. Raises parser.Unreadable."""
        into = Taken()
        cells, version = parser.read_notebook(data, into)
        self.held |= into.pictures
        self.refused |= into.refused
        for cell in cells:
            cell["source"] = self.published_sources.get(cell["source"].strip(), cell["source"])
        return cells, version

    def add(self, data: wire.Blob) -> str:
        """A file that a cell shows; its digest."""
        into = Taken()
        digest = into.add(bytes(data))
        self.held |= into.pictures
        self.refused |= into.refused
        return digest

    def draw(self, wanted: Iterable[str], start: Start, use: Callable[[float], None]) -> None:
        """Draw those that are not drawn yet, and tell `use` of the seconds that it takes. Raises
        faults.Fault.
        """
        known = self.drawn.keys() | self.refused.keys()
        open_ = {
            name: self.held[name]
            for name in dict.fromkeys(wanted)
            if name in self.held.keys() - known
        }
        if not open_:
            return
        began = time.monotonic()
        for _ in range(2):  # a box that was killed may have been killed from outside
            ended = _drawn(open_, start)
            for frame in ended.frames:
                self._take_drawn(frame, open_)
            open_ = {
                name: data
                for name, data in open_.items()
                if name not in self.drawn.keys() | self.refused.keys()
            }
            if not open_ or Way(ended.ended) not in (Way.KILLED, Way.STARVED):
                break
        self.refused |= dict.fromkeys(open_, BROKEN)
        use(time.monotonic() - began)

    def _take_drawn(self, frame: wire.Frame, wanted: Mapping[str, wire.Blob]) -> None:
        name = frame.header.get("name")
        picture = frame.blobs.get("picture")
        if frame.kind != "drawn" or not isinstance(name, str) or name not in wanted:
            return
        if picture is None:
            self.refused[name] = plain_text.line(frame.header.get("why"), 200)
            return
        text = base64.b64encode(bytes(picture)).decode()
        if sum(map(len, self.drawn.values())) + len(text) > MAX_SHOWN:
            self.refused[name] = TOO_MANY
        else:
            self.drawn[name] = text


def _drawn(wanted: Mapping[str, wire.Blob], start: Start) -> boxes.BoxRun:
    try:
        return start(lambda: wire.pieces("draw", wanted), limits_for_pictures())
    except boxes.SandboxUnavailable as error:
        raise faults.before_start(Place.DRAWER, Moment.LOOKING, error) from None


def given_with_pictures(published: Iterable[Notebook]) -> dict[str, str]:
    """The Markdown sources that were published with pictures in them, by what reading makes of them."""
    found = {}
    for cell in (cell for notebook in published for cell in notebook["cells"]):
        if cell["cell_type"] == "markdown":
            short = taken(cell["source"], cell.get("attachments"), Taken())
            if short != cell["source"]:
                found[short.strip()] = cell["source"]
    return found


def show(
    notebook: Notebook,
    skeleton: Notebook,
    pictures: Pictures,
    files: Mapping[str, wire.Blob],
    draw: Callable[[Iterable[str]], None],
) -> None:
    """Put the pictures of the cells that the student wrote into them. `draw` draws those with the
    digests that it is given, or has no time for it.
    """
    published_sources = {
        meta["grade_id"]: cell["source"]
        for cell in skeleton["cells"]
        if (meta := nbgrader_metadata(cell))
    }
    cells = [cell for cell in notebook["cells"] if _is_written(cell, published_sources)]
    named = {id(cell): dict(_named(cell, pictures, files)) for cell in cells}
    draw([digest for names in named.values() for digest in names.values()])
    for cell in cells:
        _show(cell, named[id(cell)], pictures)


def _is_written(cell: Mapping, published_sources: Mapping[str, str]) -> bool:
    if cell["cell_type"] != "markdown":
        return False
    return is_own(cell) or (
        is_answer(cell) and cell["source"] != published_sources[known_metadata(cell)["grade_id"]]
    )


def _named(
    cell: Mapping, pictures: Pictures, files: Mapping[str, wire.Blob]
) -> Iterator[tuple[str, str]]:
    """Each target of a cell's pictures that is held somewhere, with its digest."""
    targets: list[str] = []
    replaced(cell["source"], lambda target, _words: targets.append(target))
    for target in dict.fromkeys(targets):
        if target.startswith(SCHEME):
            yield target, target.removeprefix(SCHEME)
        elif (path := _path(target)) in files:
            yield target, pictures.add(files[path])


def _path(target: str) -> str:
    """The path of a file beside the notebook; of no file, where the target is an address."""
    return posixpath.normpath(unquote(target.partition("?")[0].partition("#")[0]))


def _show(cell: dict, named: Mapping[str, str], pictures: Pictures) -> None:
    attached = dict(cell.get("attachments", {}))

    def shown(target: str, words: str) -> str | None:
        words = "".join(char for char in words if char.isalnum() or char in _WORDS)[:100]
        digest = named.get(target, "")
        if digest in pictures.drawn:
            name = picture_name(digest)
            attached[name] = {"image/png": pictures.drawn[digest]}
            return f"![{words}](attachment:{name})"
        if "://" in target:
            return _not_shown(words, f"it is at {target}, and no page fetches anything")
        if (own := _attached(target, cell)) is not None:
            name = picture_name(_of(own, pictures))
            attached[name] = own
            return f"![{words}](attachment:{name})"
        why = pictures.refused.get(digest, NO_TIME if digest in pictures.held else MISSING)
        return _not_shown(words, why)

    cell["source"] = replaced(cell["source"], shown)
    if attached:
        cell["attachments"] = attached


def _not_shown(words: str, why: str) -> str:
    name = f" {words.strip()}" if words.strip() else ""
    return f"*(the picture{name} is not shown: {why})*"


def _attached(target: str, cell: Mapping) -> dict | None:
    """What was published as an attachment of the cell, where the student's notebook has lost it."""
    bundle = cell.get("attachments", {}).get(unquote(target.partition("attachment:")[2]))
    png = bundle.get("image/png") if bundle else None
    return {"image/png": png} if isinstance(png, str) else None


def _of(bundle: Mapping[str, str], pictures: Pictures) -> str:
    return pictures.add(bundle["image/png"].encode())
