"""What nbgrader's pages show of a notebook: feedback for students, and formgrader's page for the
marker. Nothing is fetched for them.

Formulas become MathML, which browsers draw themselves: a page works offline, by mail, and where
scripts are not allowed. A formula that cannot be read stays as it was typed. The functions are
filters of nbconvert's templates, named in the course's settings.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import bleach
import nbgrader.server_extensions.formgrader
from bleach.html5lib_shim import Filter
from jinja2 import pass_context
from latex2mathml.converter import convert_to_element
from nbconvert.filters.markdown_mistune import (
    InvalidNotebook,
    IPythonRenderer,
    MarkdownWithMath,
)
from tornado.web import RequestHandler

TEMPLATES = Path(__file__).with_name("templates")
SERVED = "sandbox; default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'"
MAX_FORMULA = 2000
SECTION = "section:"  # no grade_id has a colon
MAX_REMEMBERED = 20_000  # characters of a cell whose page is kept for the next notebook


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Between Markdown and the sanitizer a formula is a word: the sanitizer knows no MathML.
_WORD = re.compile("\u27e6math:(inline|block):((?:[0-9a-f]{2})*)\u27e7")
_NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
_ELEMENTS = _words(
    "math mrow mi mo mn mtext ms mspace msup msub msubsup mfrac msqrt mroot mover munder munderover mtable mtr mtd mstyle mpadded "
    "mphantom menclose mmultiscripts"
)
_ATTRIBUTES = _words(
    "display displaystyle mathvariant stretchy fence separator accent accentunder columnalign columnlines rowlines "
    "notation scriptlevel movablelimits largeop form"
)
# Lengths, which only move and size what stands in the formula itself as long as they are small. An
# `mpadded` has none of them: one without a height draws over the lines around the formula, where a
# mark may stand.
_LENGTHS = _words(
    "linethickness rowspacing columnspacing width height depth lspace rspace minsize maxsize"
)
_LENGTH = re.compile(r"([-+]?\d*\.?\d+)(em|ex|mu|pt|px)")
# Of the unit, whichever it is.
MIN_LENGTH = -1
MAX_LENGTH = 20
# A formula of some hundred characters that defines commands by one another is drawn in gigabytes.
_DEFINES = re.compile(r"\\(def|newcommand|renewcommand|newenvironment|DeclareMathOperator)")
_TAGS = _words(
    "p br hr h1 h2 h3 h4 h5 h6 a abbr acronym b strong i em u s del sub sup small mark kbd blockquote pre code span div ul ol li dl dt dd "
    "table caption thead tbody tfoot tr th td details summary img"
)


def settings() -> dict[str, object]:
    """Options of nbconvert's HTMLExporter. What a student wrote is never live HTML in an
    instructor's browser.
    """
    theirs = Path(nbgrader.server_extensions.formgrader.__file__).with_name("templates")
    filters = {"markdown2html": f"{__name__}.markdown2html"}
    return {
        "sanitize_html": True,
        "filters": filters,
        "extra_template_basedirs": [str(TEMPLATES), str(theirs)],
    }


def served_headers(handler: RequestHandler, path: str) -> None:
    """Of a file that a student handed in beside a notebook, and whose address the notebook may name:
    formgrader serves it from the address of the instructor's Jupyter, where a script could do what the
    instructor can. Browsers show a PDF file outside the page, and not at all in a sandbox.
    """
    handler.set_header("X-Content-Type-Options", "nosniff")
    if not path.lower().endswith(".pdf"):
        handler.set_header("Content-Security-Policy", SERVED)


@pass_context
def markdown2html(context, source: str) -> str:
    """nbconvert's filter, whose own does not sanitize: formulas are drawn, nothing is live."""
    attachments = context.get("cell", {}).get("attachments", {})
    if attachments or len(source) > MAX_REMEMBERED:
        return _page_of(source, attachments)
    return _of_everybody(source)


@lru_cache(maxsize=512)
def _of_everybody(source: str) -> str:
    """Given cells are the same in each notebook of a class."""
    return _page_of(source, {})


def _page_of(source: str, attachments: dict) -> str:
    renderer = _Renderer(escape=False, attachments=attachments)
    return render(MarkdownWithMath(renderer=renderer).render(source))


def render(html: str) -> str:
    """The HTML without unknown tags, with those pictures that the page holds; then formulas."""
    allowed = {
        "*": ["class", "id", "title"],
        "a": _is_link,
        "img": _is_own_picture,
        "th": ["align"],
        "td": ["align"],
        "details": ["open"],
    }
    protocols = ["http", "https", "mailto", "data"]
    cleaner = bleach.Cleaner(_TAGS, allowed, protocols, filters=[_OwnNames])
    return _WORD.sub(
        lambda match: mathml(bytes.fromhex(match[2]).decode(errors="replace"), match[1]),
        cleaner.clean(html),
    )


class _OwnNames(Filter):
    """Headings get names that nothing else on a page has. By the bare ones formgrader would take a
    student's heading for the field of the mark that bears the same name.
    """

    def __iter__(self) -> Iterator[dict]:
        for token in super().__iter__():
            given = token["data"] if token["type"] in ("StartTag", "EmptyTag") else {}
            for name, mark in (((None, "id"), ""), ((None, "href"), "#")):
                if name in given and given[name].startswith(mark):
                    given[name] = f"{mark}{SECTION}{given[name].removeprefix(mark)}"
            yield token


class _Renderer(IPythonRenderer):
    def _embed_image_or_attachment(self, src: str) -> str:
        """A picture that is not there costs the page nothing."""
        try:
            return super()._embed_image_or_attachment(src)
        except InvalidNotebook:
            return ""

    def inline_math(self, body: str) -> str:
        return _word("inline", body)

    def block_math(self, body: str) -> str:
        return _word("block", body)

    def latex_environment(self, name: str, body: str) -> str:
        return _word("block", f"\\begin{{{name}}}{body}\\end{{{name}}}")


def _is_link(_tag: str, name: str, value: str) -> bool:
    return name == "href" and not value.strip().lower().startswith("data:")


def _is_own_picture(_tag: str, name: str, value: str) -> bool:
    return name == "alt" or (
        name == "src" and re.match(r"data:image/(png|jpeg|gif);base64,", value) is not None
    )


def _word(kind: str, body: str) -> str:
    return f"\u27e6math:{kind}:{body.encode(errors='replace').hex()}\u27e7"


@lru_cache(4096)
def mathml(formula: str, display: str = "inline") -> str:
    """The formula as MathML, built anew from elements and attributes that only draw; or its text,
    if it cannot be read.
    """
    try:
        if len(formula) > MAX_FORMULA or _DEFINES.search(formula):
            raise ValueError("too much to draw")
        element = convert_to_element(formula, display=display)
        return ET.tostring(_drawn(element), encoding="unicode")
    except Exception:  # RecursionError too: a student may have written it  # noqa: BLE001
        mark = "$" if display == "inline" else "$$"
        return f"<code>{bleach.clean(mark + formula + mark, tags=[])}</code>"


def _drawn(element: ET.Element) -> ET.Element:
    name = element.tag.removeprefix(_NAMESPACE)
    kept = ET.Element(
        name if name in _ELEMENTS else "mrow",
        {key: value for key, value in element.attrib.items() if _only_draws(name, key, value)},
    )
    # latex2mathml writes characters by their numbers.
    kept.text = (
        re.sub("&#x([0-9a-fA-F]{1,6});", lambda match: chr(int(match[1], 16)), element.text)
        if element.text
        else None
    )
    kept.extend([_drawn(child) for child in element])
    return kept


def _only_draws(element: str, name: str, value: str) -> bool:
    """Whether an attribute changes nothing outside its formula."""
    if name not in _LENGTHS:
        return name in _ATTRIBUTES
    lengths = [_LENGTH.fullmatch(each) for each in value.split()]
    return element != "mpadded" and all(
        each is not None and MIN_LENGTH <= float(each[1]) <= MAX_LENGTH for each in lengths
    )
