"""Nothing that a student wrote is live in a page that nbgrader makes."""

import json
import re
from html.parser import HTMLParser

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbconvert.filters.markdown import markdown2html
from students import CLASS, hand_in

from nbjudge import wire
from nbjudge.course.feedback import feedback
from nbjudge.course.publish import publish
from nbjudge.grading.config.folders import Course
from nbjudge.grading.document import sanitize
from nbjudge.grading.execution.progress import NotebookRun, Progress, Servers
from nbjudge.grading.run import coordinator

ATTACKS = [
    "<script>window.pwned = 1</script>",
    '<img src=x onerror="window.pwned = 1">',
    '<svg onload="window.pwned = 1">',
    "[a](javascript:window.pwned=1)",
    "[a](&#106;avascript:window.pwned=1)",
    "[a][b]\n\n[b]: javascript:window.pwned=1",
    "<javascript:window.pwned=1>",
    "![a](http://example.org/seen.png)",
    "<!-- --><iframe src=http://example.org></iframe>",
    "<div\nonclick='window.pwned=1'>",
]
LIVE_TAGS = {
    "script",
    "img",
    "svg",
    "iframe",
    "object",
    "embed",
    "form",
    "input",
    "style",
    "link",
    "meta",
    "base",
    "video",
    "audio",
}


class Live(HTMLParser):
    """Collects what a page would run or fetch."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found += [tag] if tag in LIVE_TAGS else []
        for name, value in attributes:
            harmful = name.startswith("on") or (
                name in ("href", "src") and not str(value).startswith(("http://", "https://", "#"))
            )
            self.found += [f"{tag} {name}={value}"] if harmful else []


def live(html):
    parser = Live()
    parser.feed(html)
    return parser.found


@pytest.mark.parametrize("source", ATTACKS)
def test_known_attacks_become_text(source):
    assert live(markdown2html(source)), (
        "nbconvert renders it as text by itself: it is no attack any more"
    )
    assert live(markdown2html(sanitize.markdown(source))) == []


@given(
    st.lists(
        st.sampled_from(
            [
                *"<>![]()/:&;#\"'=\n `$",
                "script",
                "img ",
                "src=x ",
                "onerror=y ",
                "javascript:",
                "a",
                "![",
                "](",
            ]
        ),
        max_size=30,
    ).map("".join)
)
def test_no_text_becomes_a_tag_or_a_harmful_link(source):
    assert live(markdown2html(sanitize.markdown(source))) == []


def test_ordinary_answers_stay_as_they_are():
    text = "The scale is $s = \\max|x| / 127$, so `a < b` and 3 < 4. **Bold**, [1, 2]."
    assert sanitize.markdown(text) == text


@pytest.mark.parametrize(
    "output",
    [
        {
            "output_type": "display_data",
            "data": {
                "text/html": "<script></script>",
                "application/javascript": "x",
                "image/svg+xml": "<svg/>",
            },
        },
        {"output_type": "display_data", "data": {"image/png": 'x"><script>alert(1)</script>'}},
        {
            "output_type": "display_data",
            "data": {"application/vnd.jupyter.widget-view+json": {"model_id": "x"}},
        },
        {"output_type": "update_display_data", "data": {"text/plain": "x"}},
        "not an output",
    ],
)
def test_outputs_that_are_not_text_or_pictures_are_dropped(output):
    assert sanitize.safe_outputs([output]) == []


def test_of_many_outputs_what_a_mark_is_read_from_is_kept():
    picture = {"output_type": "display_data", "data": {"text/plain": "x"}, "metadata": {}}
    result = {"output_type": "execute_result", "data": {"text/plain": "1.5"}, "metadata": {}}
    error = {"output_type": "error", "ename": "E", "evalue": "no", "traceback": []}
    found = sanitize.safe_outputs([picture] * 500 + [result, picture, error, result])
    assert [output["output_type"] for output in found[sanitize.MAX_OUTPUTS :]] == [
        "error",
        "execute_result",
    ]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
KINDS = ["stream", "error", "execute_result", "display_data", "update_display_data"]
MIMES = st.sampled_from(["text/plain", "image/png", "text/html"])
OUTPUT = st.fixed_dictionaries(
    {"output_type": st.sampled_from(KINDS) | ANYTHING},
    optional={
        "name": ANYTHING,
        "text": st.text() | ANYTHING,
        "ename": ANYTHING,
        "evalue": ANYTHING,
        "traceback": st.lists(ANYTHING, max_size=3) | st.none(),
        "data": st.dictionaries(MIMES, st.text() | ANYTHING, max_size=2) | ANYTHING,
        "metadata": ANYTHING,
    },
)


@given(outputs=st.lists(OUTPUT | ANYTHING, max_size=4), count=st.integers() | ANYTHING)
def test_whatever_a_box_says_of_a_cell_the_notebook_that_is_recorded_is_valid(outputs, count):
    run = NotebookRun()
    told = {"kind": "cell", "index": 0, "status": "ok", "execution_count": count}
    progress = Progress(run, [{"index": 0, "exercise": None}], {}, Servers({}), [])
    progress.take(wire.Frame({**told, "outputs": outputs}))
    ran = run.cells[0]
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": ""}
    cell |= {"outputs": ran.outputs, "execution_count": ran.execution_count}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    nbformat.validate(notebook)
    assert json.dumps(notebook, ensure_ascii=False).encode("utf-8")


SECTION = re.compile(r"a href=(\.\./)+(lab/tree/)?notebooks/[\w/-]+\.ipynb(#[\w%-]+)?")


@pytest.mark.slow
@pytest.mark.xdist_group("class")
def test_feedback_shows_a_students_markup_as_text(project, tmp_path):
    course = Course.at(tmp_path)
    publish(course, project, ["day-50"])
    folder = course.submitted / "mallory" / "day-50"
    hand_in(CLASS[6], project.labs / "day-50", project.solutions / "day-50", folder)
    notebook = json.loads((folder / "inspect.ipynb").read_text())
    for number, source in enumerate(ATTACKS):
        for kind in ("markdown", "raw"):
            notebook["cells"].insert(
                1, {"cell_type": kind, "id": f"{kind}-{number}", "metadata": {}, "source": source}
            )
    shown = "from IPython.display import HTML, display\ndisplay(HTML('<script>window.pwned = 1</script>'))\nprint('<script>')"
    notebook["cells"].insert(
        1,
        {
            "cell_type": "code",
            "id": "html",
            "metadata": {},
            "source": shown,
            "outputs": [],
            "execution_count": None,
        },
    )
    (folder / "inspect.ipynb").write_text(json.dumps(notebook))
    coordinator.grade(course, coordinator.GradingRequest("day-50", seed=1))
    pages = {page.stem: page.read_text() for page in feedback(course, "day-50")}
    body = pages["inspect"].split("<body", 1)[1]
    assert "window.pwned" in body
    # What the page has of its own: nbgrader's scripts and our pictures, as on the other notebook's
    # page, and links to reading notebooks.
    own = set(live(pages["dropout"].split("<body", 1)[1]))
    assert [found for found in set(live(body)) - own if not SECTION.fullmatch(found)] == []


@pytest.mark.parametrize("kind", ["code", "markdown", "raw"])
@given(text=st.text(" \n\t\\[](){}%$abegin", max_size=60), times=st.integers(1, 200))
def test_no_page_takes_long_to_show_what_was_written(kind, text, times):
    """What shows it looks from each blank and each beginning of a formula to where it may end."""
    shown = sanitize.source({"cell_type": kind, "source": text * times})
    assert max((len(blanks) for blanks in re.findall(r"\s+", shown)), default=0) <= 80
    if kind == "code":
        assert not re.match(r"\s*%%", shown)
    else:
        assert len(re.findall(r"\\\\[\[(]|\\begin\{", shown)) <= 50
        assert max(line.count("[") for line in shown.split("\n")) <= 50


def test_what_a_person_writes_stays_as_it_is():
    code = "def f(x):\n" + " " * 60 + "return x  # %% here\n\n\n%time f(2)"
    assert sanitize.source({"cell_type": "code", "source": code}) == code
    words = "$$x$$ and \\\\(y\\\\) and \\begin{align}z\\end{align}\n\n- a\n"
    assert sanitize.source({"cell_type": "markdown", "source": words}) == words
