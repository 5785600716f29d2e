"""What nbgrader's pages show of a notebook: feedback for students, and formgrader's page for the
marker. Nothing is fetched for them.

Formulas become MathML, which browsers draw themselves: a page works offline, by mail, and where
scripts are not allowed. A formula that cannot be read stays as it was typed. The functions are
filters of nbconvert's templates, named in the course's settings.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from functools import lru_cache
from pathlib import Path

import bleach
import nbgrader.server_extensions.formgrader
from jinja2 import pass_context
from latex2mathml.converter import convert_to_element
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

TEMPLATES = Path(__file__).with_name("templates")
MAX_FORMULA = 2000
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
    "display displaystyle mathvariant stretchy fence separator accent accentunder linethickness columnalign rowspacing columnspacing "
    "columnlines rowlines width height depth lspace rspace minsize maxsize notation scriptlevel movablelimits largeop form"
)
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
    clean = bleach.clean(
        html, tags=_TAGS, attributes=allowed, protocols=["http", "https", "mailto", "data"]
    )
    return _WORD.sub(
        lambda match: mathml(bytes.fromhex(match[2]).decode(errors="replace"), match[1]), clean
    )


class _Renderer(IPythonRenderer):
    def inline_math(self, body: str) -> str:
        return _word("inline", body)

    def block_math(self, body: str) -> str:
        return _word("block", body)

    def latex_environment(self, name: str, body: str) -> str:
        return _word("block", f"\\begin{{{name}}}{body}\\end{{{name}}}")


def _is_link(tag: str, name: str, value: str) -> bool:
    return name == "href" and not value.strip().lower().startswith("data:")


def _is_own_picture(tag: str, name: str, value: str) -> bool:
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
        if len(formula) > MAX_FORMULA:
            raise ValueError("too long")
        element = convert_to_element(formula, display=display)
        return ET.tostring(_drawn(element), encoding="unicode")
    except Exception:  # RecursionError too: a student may have written it
        mark = "$" if display == "inline" else "$$"
        return f"<code>{bleach.clean(mark + formula + mark, tags=[])}</code>"


def _drawn(element: ET.Element) -> ET.Element:
    name = element.tag.removeprefix(_NAMESPACE)
    kept = ET.Element(
        name if name in _ELEMENTS else "mrow",
        {key: value for key, value in element.attrib.items() if key in _ATTRIBUTES},
    )
    # latex2mathml writes characters by their numbers.
    kept.text = (
        re.sub("&#x([0-9a-fA-F]{1,6});", lambda match: chr(int(match[1], 16)), element.text)
        if element.text
        else None
    )
    kept.extend([_drawn(child) for child in element])
    return kept
