"""Pictures in Markdown: where they are, and the bytes that they are made of. Nothing here looks into
a picture.

1. A picture stands in the text as `![words](TARGET "title")`, as `<img src="TARGET">`, or as
   `![words][name]` with a line `[name]: TARGET`.
2. A TARGET is `attachment:NAME`, one of the cell's attachments; a `data:` URI; or the path of a file
   beside the notebook.
3. `taken` puts `picture:DIGEST` in the place of attachments and `data:` URIs: a source stays short,
   and what it shows is known by its content, wherever a cell goes.
4. `replaced` puts something else in the place of a whole picture.
5. All of this runs in the coordinator, on a student's text: no pattern takes more than a few passes
   over it, and an attachment is decoded once, however often it is shown.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import unquote, unquote_to_bytes

SCHEME = "picture:"
MAX_PICTURES = 40
MAX_REFUSED = 1000
MAX_BYTES = 12 << 20
MAX_TOGETHER = 20 << 20
# Of an attachment that comes in several forms, the first of these; the rest are shown in no form.
FORMS = ("image/png", "image/jpeg", "image/gif", "image/webp")
_WORDS = r"(?P<words>(?:[^\[\]]|\[[^\[\]]{0,100}+\]){0,300}+)"
_TARGET = r"(?:<(?P<pointed>[^<>\n]*+)>|(?P<bare>(?:[^\s()<>]|\([^\s()<>]*+\))++))"
_TITLE = r"""(?:\s{1,20}+(?:"[^"\n]{0,300}+"|'[^'\n]{0,300}+'|\([^()\n]{0,300}+\)))?"""
_INLINE = re.compile(rf"!\[{_WORDS}\]\(\s{{0,20}}+{_TARGET}{_TITLE}\s{{0,20}}+\)")
_DEFINITION = re.compile(
    rf"^ {{0,3}}\[(?P<name>[^\[\]\n]{{1,300}}+)\]:[ \t]{{0,20}}+{_TARGET}{_TITLE}[ \t]*+$",
    re.MULTILINE,
)
_BY_NAME = re.compile(rf"!\[{_WORDS}\](?:\[(?P<name>[^\[\]\n]{{0,300}}+)\])?(?![\[(:])")
_TAG = re.compile(
    # Whether the tag ends is looked up once: not again from each `src=` in it.
    r"<img\b(?=[^<>]*+>)(?P<before>[^<>]{0,300}?)\bsrc\s{0,20}+=\s{0,20}+"
    r"""(?:"(?P<double>[^"<>]*+)"|'(?P<single>[^'<>]*+)'|(?P<plain>[^\s"'<>]++))(?P<after>[^<>]*+)>""",
    re.IGNORECASE,
)
_ALT = re.compile(r"""\balt\s{0,20}+=\s{0,20}+(?:"([^"]*+)"|'([^']*+)')""", re.IGNORECASE)


@dataclass
class Taken:
    """The pictures of a notebook by digest: their bytes, or why there are none."""

    pictures: dict[str, bytes] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def add(self, data: bytes) -> str:
        digest = _digest(data)
        if digest in self.pictures or digest in self.refused:
            return digest
        together = sum(map(len, self.pictures.values())) + len(data)
        if len(data) > MAX_BYTES:
            return self.refuse(data, f"it is larger than {MAX_BYTES >> 20} MB")
        if len(self.pictures) >= MAX_PICTURES or together > MAX_TOGETHER:
            return self.refuse(
                data,
                f"a notebook may hold {MAX_PICTURES} pictures, and {MAX_TOGETHER >> 20} MB of them together",
            )
        self.pictures[digest] = data
        return digest

    def refuse(self, data: bytes, why: str) -> str:
        digest = _digest(data)
        if len(self.refused) < MAX_REFUSED:
            self.refused.setdefault(digest, why)
        return digest


def taken(source: str, attachments: object, into: Taken) -> str:
    """The source with `picture:DIGEST` in the place of each attachment and `data:` URI; their bytes
    go into `into`.
    """
    attached = Attached(attachments, into)

    def short(match: re.Match[str]) -> str:
        digest = _held(_target(match), attached, into)
        return _with_target(match, f"{SCHEME}{digest}") if digest else match[0]

    for pattern in (_INLINE, _TAG, _DEFINITION):
        source = pattern.sub(short, source)
    return source


def with_bytes(source: str, attachments: Mapping[str, Mapping[str, str]]) -> str:
    """The source with a `data:` URI in the place of each attachment, for a cell that has none."""

    def whole(match: re.Match[str]) -> str:
        target = _target(match)
        bundle = attachments.get(unquote(target.partition(":")[2])) if ":" in target else None
        form = next((each for each in FORMS if each in (bundle or {})), None)
        if bundle is None or form is None or target.partition(":")[0].lower() != "attachment":
            return match[0]
        return _with_target(match, f"data:{form};base64,{''.join(bundle[form])}")

    for pattern in (_INLINE, _TAG, _DEFINITION):
        source = pattern.sub(whole, source)
    return source


def replaced(source: str, show: Callable[[str, str], str | None]) -> str:
    """The source with `show(target, words)` in the place of each picture, which stays as it is where
    that is None. A line that gives a shown picture its name goes.
    """
    named = {_key(found["name"]): _target(found) for found in _DEFINITION.finditer(source)}
    used: set[str] = set()

    def of_name(match: re.Match[str]) -> str:
        name = _key(match["name"] or match["words"])
        text = show(named[name], match["words"]) if name in named else None
        if text is not None:
            used.add(name)
        return match[0] if text is None else text

    def of_target(match: re.Match[str]) -> str:
        text = show(_target(match), _words(match))
        return match[0] if text is None else text

    for pattern in (_INLINE, _TAG):
        source = pattern.sub(of_target, source)
    source = _BY_NAME.sub(of_name, source)
    return _DEFINITION.sub(lambda found: "" if _key(found["name"]) in used else found[0], source)


class Attached:
    """The attachments of one cell, each decoded when it is shown first."""

    def __init__(self, attachments: object, into: Taken):
        self._attachments = attachments if isinstance(attachments, Mapping) else {}
        self._into = into
        self._known: dict[str, str | None] = {}

    def digest(self, name: str) -> str | None:
        """None where there is no such attachment."""
        if name not in self._attachments:
            name = unquote(name)
        if name not in self._known:
            bundle = self._attachments.get(name)
            self._known[name] = (
                _of_bundle(bundle, self._into) if isinstance(bundle, Mapping) else None
            )
        return self._known[name]


def _held(target: str, attached: Attached, into: Taken) -> str | None:
    """The digest of what a target names; None where it names nothing that the notebook holds."""
    if target[:11].lower() == "attachment:":
        return attached.digest(target[11:])
    return _of_uri(target, into) if target[:5].lower() == "data:" else None


def _of_bundle(bundle: Mapping, into: Taken) -> str | None:
    for form in (*FORMS, *sorted(map(str, bundle.keys() - set(FORMS)))):
        text = bundle.get(form)
        if isinstance(text, list):
            text = "".join(part for part in text if isinstance(part, str))
        if isinstance(text, str):
            return _of_base64(form, text, into)
    return None


def _of_uri(uri: str, into: Taken) -> str:
    head, comma, body = uri[5:].partition(",")
    form, *options = [part.strip().lower() for part in head.split(";")]
    if comma and "base64" in options:
        return _of_base64(form, unquote(body), into)
    return _of_form(form, unquote_to_bytes(body), into)


def _of_base64(form: str, text: str, into: Taken) -> str:
    text = "".join(text.split()).rstrip("=")
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return into.refuse(text.encode(errors="replace"), "its bytes are damaged")
    return _of_form(form, data, into)


def _of_form(form: str, data: bytes, into: Taken) -> str:
    if form.startswith("image/svg"):
        return into.refuse(data, "it is an SVG, which may hold programs: save it as PNG")
    return into.add(data)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _target(match: re.Match[str]) -> str:
    found = match.groupdict()
    if match.re is _TAG:
        return unescape(next(found[key] for key in _QUOTED if found[key] is not None).strip())
    return (found["bare"] if found["pointed"] is None else found["pointed"]).strip()


def _with_target(match: re.Match[str], target: str) -> str:
    """The same text with another target."""
    keys = _QUOTED if match.re is _TAG else ("pointed", "bare")
    start, end = next(match.span(key) for key in keys if match[key] is not None)
    origin = match.start()
    return match[0][: start - origin] + target + match[0][end - origin :]


def _words(match: re.Match[str]) -> str:
    if match.re is not _TAG:
        return match["words"]
    found = _ALT.search(match["before"]) or _ALT.search(match["after"])
    return unescape(found[1] or found[2] or "") if found else ""


def _key(name: str) -> str:
    return " ".join(name.casefold().split())


_QUOTED = ("double", "single", "plain")
