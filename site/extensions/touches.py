"""Last touches to the HTML of a page: tables and code that fit a phone, headings that say what they
are the headings of, what the reader is asked, no label that hides another.
"""

from __future__ import annotations

import html
import re

from docutils import nodes
from sphinx.application import Sphinx

TABLE = re.compile(r"<table\b[^>]*>.*?</table>", re.DOTALL)
# A heading without words is none.
NO_HEADING = re.compile(r"<th\b[^>]*>(?:<p></p>)?</th>")
# A heading of a table that does not say whether it is a column's or a row's.
HEADING = re.compile(r"<th\b(?![^>]*\bscope=)")
CELL = re.compile(r"<(t[hd])\b([^>]*)>(.*?)</\1>", re.DOTALL)
ROW = re.compile(r"<tr\b[^>]*>(.*?)</tr>", re.DOTALL)
ASKED = re.compile(r"<p><strong>(Predict|Step|Challenge)([^<]*)</strong>")
# A question behind the sentence that leads to it.
LED_TO = re.compile(r"(<p>(?:(?!</p>).)+?)\s+(?=<strong>Predict\.</strong>)", re.DOTALL)
# A summary holds no paragraphs.
SUMMARY = re.compile(r'<p class="(collapsed|expanded)[^"]*">(.*?)</p>', re.DOTALL)
CODE = re.compile(r'(<div class="highlight"><pre>(?:<span></span>)?)(.*?)(</pre>)', re.DOTALL)
OUTPUT = re.compile(
    r'(<div class="output [^"]*"><div class="highlight"><pre)>(.*?)</pre>', re.DOTALL
)
COLUMNS = re.compile(r"\S {2,}\S")
TAG = re.compile(r"<[^>]+>")
# Kinds of words in code that have no colour: names, punctuation, spaces. They are most elements of a
# page, and a browser lays out each of them.
COLOURLESS = re.compile(r'<span class="(?:n|nn|nt|nv|na|p|w|pm)">([^<]*)</span>')
FIRST = r"(?:&[#\w]+;|[^<&\s])"
# The indentation, which may be an element of its own, and the first character, which may begin one.
START = re.compile(rf'^(<span class="w"> +</span>| +)(<span[^>]*>)?({FIRST})')
INSIDE = re.compile(rf"^()(<span[^>]*>)( +{FIRST})")
VERDICT = re.compile(
    r"(<td\b[^>]*><p>(?:<a id=[^>]*></a>)?)(confirmed|outdated|wrong|misleading|not testable here)(?=</p></td>)"
)
CELL_INPUT = 'class="cell_input'
# A page with more cells than this is a list of parts, of which readers want some.
MANY_CELLS = 100
PART = re.compile(
    r"(?P<start><section\b[^>]*>\s*(?:<span[^>]*></span>\s*)*)(?P<heading><h3>.*?</h3>)"
    r"|(?P<other><section\b[^>]*>)|(?P<end></section>)",
    re.DOTALL,
)
HEADER_LINK = re.compile(r'<a class="headerlink".*?</a>')
# A cell with more characters than this makes a table of three columns one of cards on a phone.
LONG = 48
# A word with more than this, such as a path, is broken in a narrow column: two columns become cards, too.
WORD = 24


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", touch, priority=400)  # before navigation looks at the body
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def touch(
    app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None
) -> None:
    if body := context.get("body"):
        body = NO_HEADING.sub("<td></td>", body)
        body = VERDICT.sub(verdict, body)
        body = TABLE.sub(lambda match: fitting(scoped(match.group(0))), body)
        body = CODE.sub(
            lambda match: match.group(1) + hanging(plain(match.group(2))) + match.group(3), body
        )
        body = OUTPUT.sub(flowing, body)
        body = asking(body)
        body = SUMMARY.sub(r'<span class="\1">\2</span>', body)
        if body.count(CELL_INPUT) > MANY_CELLS:
            body = folded(body)
        context["body"] = body.replace(' aria-label="Toggle hidden content"', "")


def folded(body: str) -> str:
    """The page with each part that has a heading of the third level behind this heading."""
    is_part: list[bool] = []

    def fold(match: re.Match) -> str:
        if match["end"]:
            return "</details></section>" if is_part.pop() else "</section>"
        is_part.append(match["heading"] is not None)
        if not match["heading"]:
            return match["other"]
        heading = HEADER_LINK.sub("", match["heading"])
        return f'{match["start"]}<details class="part"><summary>{heading}</summary>'

    return PART.sub(fold, body)


def verdict(match: re.Match) -> str:
    """A verdict of the ledger, as a word that its colour makes easy to find."""
    before, word = match.groups()
    return f'{before}<span class="verdict {word.split()[0]}">{word}</span>'


def asking(body: str) -> str:
    """What the reader is asked, in paragraphs of their own that say so."""
    return ASKED.sub(
        lambda match: (
            f'<p class="ask {match.group(1).lower()}"><strong>{match.group(1)}{match.group(2)}</strong>'
        ),
        LED_TO.sub(r"\1</p>\n<p>", body),
    )


def plain(code: str) -> str:
    """The code without elements around words that look like all others."""
    return COLOURLESS.sub(r"\1", code)


def hanging(code: str) -> str:
    """Each line of code in an element of its own that knows its indentation: where a line is
    broken, it goes on further right.
    """
    *lines, last = code.split("\n")
    return "".join(map(_hanging, lines)) + last


def _hanging(line: str) -> str:
    start = START.match(line) or INSIDE.match(line)
    held = _held(start) + line[start.end() :] if start else line
    return f'<span class="line" style="--in:{_indentation(line)}">{held}\n</span>'


def _held(start: re.Match) -> str:
    """The indentation and the first character in one element, in which no line is broken. Else a
    long call would leave its indentation behind, as an empty line.
    """
    spaces, tag, first = start.groups()
    if not tag:
        return f'<span class="in">{spaces}{first}</span>'
    return f'<span class="in">{spaces}{tag}{first}</span></span>{tag}'


def _indentation(line: str) -> int:
    text = TAG.sub("", line)
    return len(text) - len(text.lstrip(" "))


def flowing(output: re.Match) -> str:
    """An output whose words are not set in columns may break its lines."""
    start, text = output.groups()
    kind = "" if COLUMNS.search(html.unescape(TAG.sub("", text))) else ' class="flows"'
    return f"{start}{kind}>{text}</pre>"


def scoped(table: str) -> str:
    """The table, in which each heading says that it is its column's, or below the head its row's."""
    head, end, rest = table.rpartition("</thead>")
    return HEADING.sub('<th scope="col"', head) + end + HEADING.sub('<th scope="row"', rest)


def fitting(table: str) -> str:
    """The table in a frame that scrolls; where a cell is long, its rows become cards on a narrow
    screen, with their headings. Browsers take the rows of such a table for plain blocks, so its
    elements say what they are.
    """
    head, _, rest = table.partition("</thead>")
    labels = [words(cell) for _, _, cell in CELL.findall(head)] if rest else []
    cells = [words(cell) for _, _, cell in CELL.findall(rest or table)]
    is_long = any(len(cell) > LONG for cell in cells)
    is_broken = any(len(word) > WORD for cell in cells for word in cell.split())
    if not (is_long and len(labels) > (1 if is_broken else 2)):
        return f'<div class="wide">{table}</div>'
    table = f"{head}</thead>{ROW.sub(lambda row: labelled(row.group(0), labels), rest)}"
    table = re.sub(
        r"<table\b([^>]*)>",
        lambda found: f'<table role="table"{with_class(found.group(1), "cards")}>',
        table,
        count=1,
    )
    for tag, role in (("thead", "rowgroup"), ("tbody", "rowgroup"), ("tr", "row")):
        table = re.sub(rf"<{tag}\b", f'<{tag} role="{role}"', table)
    table = re.sub(r"<td\b", '<td role="cell"', table)
    head, _, body = table.partition("</thead>")
    head = re.sub(r"<th\b", '<th role="columnheader"', head)
    body = re.sub(r"<th\b", '<th role="rowheader"', body)
    return f'<div class="wide">{head}</thead>{body}</div>'


def labelled(row: str, labels: list[str]) -> str:
    """Each cell with the heading of its column, which cards show in front of it. The first one
    needs none.
    """
    places = iter(range(len(labels)))

    def label(match: re.Match) -> str:
        place = next(places, None)
        label = html.escape(labels[place]) if place and words(match.group(3)) else ""
        return f'<{match.group(1)} data-label="{label}"{match.group(2)}>{match.group(3)}</{match.group(1)}>'

    return CELL.sub(label, row)


def with_class(attributes: str, name: str) -> str:
    if 'class="' in attributes:
        return attributes.replace('class="', f'class="{name} ', 1)
    return f'{attributes} class="{name}"'


def words(cell: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", cell)).strip()
