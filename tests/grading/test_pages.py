"""Feedback and formgrader's page: formulas without a network, and nothing live."""

import re
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions import formgrader
from traitlets.config import Config

from autograder.course import pages

FORMULAS = [
    r"x^2 \ge 0",
    r"s = \frac{\max|x|}{127}",
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
    r"\sqrt[3]{\alpha_i} \to \infty",
]
HOSTILE = [
    r"\href{javascript:alert(1)}{x}",
    r"\style{color:red}{x}",
    r"\text{<script>alert(1)</script>}",
    r"\class{a}{<img src=x onerror=alert(1)>}",
    "\\frac" * 500,
    "{" * 1500,
    "x" * 100_000,
]


def page(template, *sources):
    cells = [nbformat.v4.new_markdown_cell(source) for source in sources]
    css = (
        Path(formgrader.__file__).with_name("static")
        / "node_modules"
        / "bootstrap"
        / "dist"
        / "css"
    )
    options = {"template_name": template, "extra_template_paths": [str(css)], **pages.settings()}
    exporter = HTMLExporter(config=Config({"HTMLExporter": options}))
    return exporter.from_notebook_node(
        nbformat.v4.new_notebook(cells=cells),
        {"nbgrader": {"notebook": "n", "score": 1, "max_score": 1, "late_penalty": 0}},
    )[0]


class Elements(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def test_a_page_draws_formulas_and_fetches_nothing():
    html = page(
        "feedback",
        *[f"so ${formula}$ and\n\n$${formula}$$" for formula in FORMULAS],
        "`$x$`\n\n<details><summary>s</summary>t</details>",
    )
    assert html.count("<math ") == 2 * len(FORMULAS) and "<code>$x$</code>" in html and "≥" in html
    assert (
        not re.search(r"""(src|href)=["']?(https?:)?//""", html)
        and "<details>" in html
        and "list-item" in html
    )


def test_markdown_is_rendered_as_ever():
    html = page(
        "feedback",
        "# Title\n\n- a\n- **b**\n\n| h |\n|---|\n| c |\n\n[a link](https://example.org) and `code`\n\n```python\nx = 1\n```",
    )
    for element in (
        "<h1",
        "<li>a</li>",
        "<strong>b</strong>",
        "<td>c</td>",
        'href="https://example.org"',
        "<code>code</code>",
    ):
        assert element in html
    assert "&lt;p&gt;" not in html and "&lt;h1" not in html


@pytest.mark.parametrize("formula", HOSTILE, ids=lambda text: text[:12])
def test_a_hostile_formula_only_draws(formula):
    html = pages.mathml(formula)
    assert Elements(html).found
    for tag, attributes in Elements(html).found:
        assert tag in pages._ELEMENTS | {"code"} and set(attributes) <= pages._ATTRIBUTES


@given(
    st.lists(
        st.sampled_from(
            [
                *"{}\\$^_&<>\"' ax1",
                r"\frac",
                r"\href",
                r"\text",
                r"\begin{a}",
                r"\end{a}",
                "\u27e6math:inline:",
                "3c\u27e7",
            ]
        ),
        max_size=20,
    )
)
def test_whatever_stands_in_markdown_nothing_is_live(parts):
    text = "".join(parts)
    for tag, attributes in Elements(pages.render(f"${text}$ {text}")).found:
        assert not {name for name in attributes if name.startswith("on")} and tag not in (
            "script",
            "iframe",
            "style",
            "svg",
            "object",
        )
    for tag, attributes in Elements(pages.mathml(text)).found:
        assert tag in pages._ELEMENTS | {"code"} and set(attributes) <= pages._ATTRIBUTES


@pytest.mark.parametrize(
    "html",
    [
        "<script>x</script>",
        "<img src=http://e.org/x>",
        "<a href='javascript:x'>",
        "<a href=data:text/html,x>",
        "<p onclick=x>",
    ],
)
def test_the_sanitizer_lets_nothing_live_through(html):
    for tag, attributes in Elements(pages.render(html)).found:
        assert tag not in ("script", "iframe") and not attributes
