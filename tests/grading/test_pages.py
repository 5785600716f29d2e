"""Feedback and formgrader's page: formulas without a network, and nothing live."""

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions import formgrader
from traitlets.config import Config

from nbjudge.course import explained, pages

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
    r"\smash{\begin{array}{c}\text{Score: 10 / 10}\\x\\x\\x\end{array}}",
    r"\llap{10 / 10} \raise 20em {10 / 10} \kern-90em x",
    r"\rule{90000em}{90000em} \hspace{90000em} \above 900em",
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
        assert tag in pages._ELEMENTS | {"code"}
        assert set(attributes) <= pages._ATTRIBUTES | pages._LENGTHS
        lengths = [attributes[name] for name in pages._LENGTHS & set(attributes)]
        assert all(-1 <= float(re.match("[-+.0-9]+", each)[0]) <= 20 for each in lengths)
        assert not (tag == "mpadded" and lengths)


@pytest.mark.parametrize("define", [r"\def\{}z", r"\newcommand{{\{}z}}", r"\newcommand\{}z"])
def test_commands_defined_by_one_another_do_not_fill_the_memory(define):
    """Twelve are 100 KB; each more doubles that, and what it costs."""
    letters = "abcdefghijkl"
    twice = [f"{define.format(b)}{{{{\\{a}z}}{{\\{a}z}}}}" for a, b in pairwise(letters)]
    formula = f"{define.format('a')}{{x}}{''.join(twice)}\\lz"
    assert len(pages.mathml(formula)) < 2 * len(formula)


@pytest.mark.parametrize(
    ("formula", "kept"),
    [
        (r"a\,b\quad c\kern-0.2em d", ["0.167em", "1em", "-0.2em"]),
        (r"\Bigg(", ["2.470em", "2.470em"]),
    ],
)
def test_an_honest_formula_keeps_its_spaces(formula, kept):
    found = Elements(pages.mathml(formula)).found
    lengths = [
        value for _, given in found for name, value in given.items() if name in pages._LENGTHS
    ]
    assert lengths == kept


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
        assert tag in pages._ELEMENTS | {"code"}
        assert set(attributes) <= pages._ATTRIBUTES | pages._LENGTHS


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


def test_no_heading_has_the_name_of_a_mark():
    """Formgrader finds the field of a mark by its name, and feedback's list of marks leads there."""
    html = page("feedback", "# check-dropout\n\n## statusmessage\n\n[there](#check-dropout)")
    ids = [
        given["id"] for tag, given in Elements(html).found if tag in ("h1", "h2") and "id" in given
    ]
    links = [given.get("href") for tag, given in Elements(html).found if tag == "a"]
    assert {"section:check-dropout", "section:statusmessage"} <= set(ids)
    assert not {"check-dropout", "statusmessage"} & set(ids)
    assert links.count("#section:check-dropout") == 2 and "#check-dropout" not in links


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=60), min_size=1, max_size=3))
@example(["<script>alert(1)</script> $x$ \\begin{a}b\\end{a} `c` **d** [e](http://f) <img src=x>"])
@example(["a\n\n# b", "</li></ul></div><script>", "\u27e6math:inline:78\u27e7"])
def test_what_is_said_of_a_mark_is_text(texts):
    """Names of files and tags in it are a student's."""
    found = Elements(pages._page_of(explained.source(texts), {})).found
    assert [tag for tag, _ in found] == ["div", "strong", "ul", *["li"] * len(texts)]
    assert [attributes for _, attributes in found if attributes] == [
        {"class": "alert alert-warning"}
    ]
