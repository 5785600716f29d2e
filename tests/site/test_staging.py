"""What becomes of a notebook and a drawing on the way to a page."""

import re
from pathlib import Path
from xml.etree import ElementTree

import colours
import drawings
import folding
import maps
import nbformat
import notebook_pages
import offers
import pytest
import stage
import viewer
from extensions import assets, navigation, touches

from formatlab import show
from formatlab.show import charts

ROOT = Path(__file__).resolve().parents[2]

BOX = '<path d="M 9 50 \nL 80 50 \nL 80 5 \nL 9 5 \nz\n" style="fill: {}"/>'
PLOT = f'<svg width="90pt" height="60pt" viewBox="0 0 90 60">{BOX.format("#ffffff")}{BOX.format("#2b5d8c")}</svg>'


def book(*texts):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text) for text in texts])


@pytest.mark.parametrize("form", [colours.light, colours.dark])
def test_the_white_ground_of_a_plot_is_taken_away_and_its_bars_stay(form):
    assert form(PLOT).count("<path") == 1


def test_a_drawing_that_knows_dark_pages_keeps_its_own_colours():
    svg = "<svg><style>.a{fill:#fff}@media (prefers-color-scheme:dark){.a{fill:#123456}}</style></svg>"
    assert colours.light(svg) == "<svg><style>.a{fill:#fff}</style></svg>"
    assert colours.dark(svg) == "<svg><style>.a{fill:#fff}.a{fill:#123456}</style></svg>"


def test_a_box_stands_at_the_end_of_its_section():
    content = book(
        "# Title\n\n## One\n\ntext",
        "more\n\n### Inside\n\n```\n## no heading\n```\n\n## Two",
        "last",
    )
    offers.insert(content, {"one": "BOX1", "two": "BOX2", "inside": "BOX3"})
    text = "\n".join(cell.source for cell in content.cells)
    assert (
        text.index("no heading")
        < text.index("BOX1")
        < text.index("## Two")
        < text.index("last")
        < text.index("BOX2")
    )
    assert text.index("no heading") < text.index("BOX3") < text.index("## Two")


def test_a_notebook_without_parts_stays_as_it_is():
    content = book("# Title\n\n## One")
    offers.insert(content, {})
    assert [cell.source for cell in content.cells] == ["# Title\n\n## One"]


def test_a_cell_that_opens_netron_offers_the_latest_model_of_that_name(tmp_path):
    (tmp_path / "abc.onnx").write_bytes(bytes(10))
    built, opens = (
        nbformat.v4.new_code_cell(source)
        for source in ("model = ...", 'show.netron(model, "A graph")')
    )
    opens.outputs = [
        nbformat.v4.new_output("display_data", {"text/html": "<p>Run this cell in JupyterLab</p>"})
    ]
    shown = viewer.Shown({built.id: [["model", "abc", 10, 2]]}, tmp_path)
    shown.show(built)
    shown.show(opens)
    assert "models/abc.onnx" in opens.outputs[0].data["text/html"]
    assert len(opens.outputs) == 1


def test_netron_puts_shapes_between_signs_that_every_font_has(tmp_path):
    viewer.collect(ROOT, tmp_path)
    view = (tmp_path / "netron" / "view.js").read_text("utf-8")
    assert r"`\u2039${content}\u203a`" in view
    assert not re.search(r"\\u300[89]", view)
    with pytest.raises(viewer.UnknownNetron, match="has no"):
        viewer.change(tmp_path / "netron" / "view.js")


def test_a_long_list_of_models_is_folded(tmp_path):
    (tmp_path / "abc.onnx").write_bytes(bytes(10))
    for count, folded in ((viewer.FEW, False), (viewer.FEW + 1, True)):
        cell = nbformat.v4.new_code_cell("build()")
        viewer.under(cell, [["model", "abc", 10, 2]] * count, tmp_path)
        html = cell.outputs[-1]["data"]["text/html"]
        assert html.count("<open-graph") == count
        assert html.startswith("<details>") == folded


def test_a_large_model_says_that_the_page_loads_its_graph_alone():
    assert viewer.stored(1234, 1234) == "1234 bytes"
    assert viewer.stored(90_300_000, 81_200).startswith("90.3 MB. The page loads the graph alone")


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        (
            "my_guess = ...  # your prediction\ncompare(my_guess, 3)",
            "Found: 3. Your prediction: none yet. Write it",
        ),
        ('my_guess = "..."  # your prediction', "you said ... | found 3"),
    ],
)
def test_a_prediction_is_asked_for_and_what_was_found_is_there_to_compare(source, printed):
    cell = nbformat.v4.new_code_cell(
        source, outputs=[nbformat.v4.new_output("stream", text=printed)]
    )
    assert folding.is_prediction(cell)
    notebook_pages.ask(cell)
    assert cell.outputs[0].text == "Found: 3"
    assert "prediction" in cell.metadata.tags


def bars(name: str):
    return show.bars({"a": 1.0, "b & c": 2.0}, name)


def test_a_pair_becomes_two_drawings_that_a_narrow_page_shows_one_below_the_other():
    both = show.pair(bars("left"), bars("right"), "A title", ("one", "other"))
    text, files = drawings.shown(both.svg, "", "../")
    assert text.count("<figcaption>A title</figcaption>") == 1
    assert ["one: left. a: 1" in text, "other: right. a: 1" in text] == [True, True]
    roots = [ElementTree.fromstring(content) for _, content in files]
    assert len(roots) == 4
    assert {root.get("width") for root in roots} == {str(charts.WIDTH)}
    assert all(f'src="../{name}"' in text for name, _ in files)


def test_a_drawing_alone_stays_one():
    text, files = drawings.shown(bars("alone").svg, "in words", "")
    assert text.count('alt="in words"') == len(files) == 2
    assert "<figcaption>alone</figcaption>" in text


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ('    <span class="n">b</span>', '<span class="in">    <span class="n">b</span></span>'),
        ('<span class="w">  </span>b', '<span class="in"><span class="w">  </span>b</span>'),
        ('<span class="s">    ab</span>', '<span class="in"><span class="s">    a</span></span>'),
        ("  &quot;x", '<span class="in">  &quot;</span>x'),
        ("a = b", None),
        ("    ", None),
    ],
)
def test_no_line_is_broken_between_the_indentation_and_the_first_letter(line, held):
    done = touches.hanging(f"{line}\n")
    assert (held in done) if held else ('class="in"' not in done)


@pytest.mark.parametrize(
    ("body", "asked"),
    [
        ("<p><strong>Predict.</strong> How many?</p>", ""),
        (
            "<p>It is <em>so</em>.\n<strong>Predict.</strong> How many?</p>",
            "<p>It is <em>so</em>.</p>\n",
        ),
    ],
)
def test_a_question_is_a_paragraph_of_its_own(body, asked):
    question = '<p class="ask predict"><strong>Predict.</strong> How many?</p>'
    assert touches.asking(body) == asked + question


def test_what_a_page_builds_on_is_called_by_its_title():
    known = {"notebooks/lab-7-01/04-int8": "INT8: eight bits", "labs/04-int8": "no notebook"}
    assert navigation.named("the notebook lab-7-01/04-int8", known) == "INT8"
    assert navigation.named("the notebooks 04-int8, and Export", known) == "INT8, and Export"
    assert navigation.named("notebooks 01 and 02 of Day 50", known).endswith("02 of Day 50")


def test_all_that_a_part_imports_is_asked_for_at_once():
    found = assets.imported(ROOT / "site" / "_static" / "alive", ["graph-surgery.js"])
    assert set(found) == {
        "graph-surgery.js",
        "graph-drawing.js",
        "surgery.js",
        "base.js",
        "text.js",
    }


def test_the_style_sheet_holds_each_file_of_rules_once():
    folder = ROOT / "site" / "theme" / "course" / "styles"
    assert sorted(stage.STYLES) == sorted(path.stem for path in folder.glob("*.css"))
    written = stage.styles(folder)
    assert "/*" not in written
    assert written.count("{") == written.count("}") > 200


def test_a_page_without_a_source_is_removed(tmp_path):
    source, out = tmp_path / "source", tmp_path / "out"
    for folder in (source, out):
        (folder / "sub").mkdir(parents=True)
    for name in ("sub/a.md", "b.ipynb", "gone.md"):
        (source / name).touch()
    for name in ("sub/a.html", "b.html", "search.html", "gone.html", "mine.html"):
        (out / name).touch()
    stage.forget(source, out)
    (source / "gone.md").unlink()
    stage.forget(source, out)
    left = {path.relative_to(out).as_posix() for path in out.rglob("*.html")}
    assert left == {"sub/a.html", "b.html", "search.html", "mine.html"}


def test_a_line_of_code_knows_its_indentation_and_stays_as_it_is():
    code = '<span class="k">if</span> a:\n    <span class="n">b</span>\n\n'
    done = touches.hanging(code)
    assert touches.TAG.sub("", done) == touches.TAG.sub("", code)
    assert [int(part.partition('"')[0]) for part in done.split("--in:")[1:]] == [0, 4, 0]


def test_words_of_code_that_have_no_colour_are_no_elements():
    rules = (ROOT / "site" / "theme" / "course" / "styles" / "text.css").read_text()
    code = '<span class="n">a</span><span class="p">(</span><span class="mi">1</span>'
    assert touches.plain(code) == 'a(<span class="mi">1</span>'
    coloured = re.findall(r"\.highlight \.(\w+)", rules)
    assert len(coloured) > 30
    assert not [
        name for name in coloured if touches.COLOURLESS.fullmatch(f'<span class="{name}">x</span>')
    ]


@pytest.mark.parametrize(("text", "flows"), [("one two\nthree", True), ("one  two", False)])
def test_an_output_breaks_its_lines_unless_its_words_stand_in_columns(text, flows):
    output = f'<div class="output stream"><div class="highlight"><pre>{text}</pre>'
    done = touches.OUTPUT.sub(touches.flowing, output)
    assert ('<pre class="flows">' in done) == flows


@pytest.mark.parametrize(
    ("word", "cards"), [("short", False), ("tests/grading/test_of_a_long_name.py", True)]
)
def test_two_columns_become_cards_where_a_narrow_one_would_break_a_word(word, cards):
    promise = f"<tr><td>{'a promise in many words ' * 3}</td><td>{word}</td></tr>"
    head = "<table><thead><tr><th>promise</th><th>held by</th></tr></thead><tbody>"
    done = touches.fitting(f"{head}{promise}</tbody></table>")
    assert ('data-label="held by"' in done) == cards


def test_a_heading_says_whether_it_is_of_a_column_or_of_a_row():
    head = '<table><thead><tr><th class="head">a</th><th scope="colgroup">b</th></tr></thead>'
    done = touches.scoped(f"{head}<tbody><tr><th>c</th><td>d</td></tr></tbody></table>")
    assert re.findall(r'<th scope="(\w+)"', done) == ["col", "colgroup", "row"]
    plain = touches.scoped("<table><tr><th>c</th><td>d</td></tr></table>")
    assert '<th scope="row">c</th>' in plain


@pytest.mark.parametrize("cell", ['<th class="head"><p></p></th>', '<th scope="col"></th>'])
def test_a_heading_without_words_is_no_heading(cell):
    assert touches.NO_HEADING.sub("<td></td>", f"{cell}<th>a</th>") == "<td></td><th>a</th>"


def test_a_verdict_is_marked_only_where_it_is_a_cell_of_its_own():
    assert 'class="verdict not"' in touches.VERDICT.sub(
        touches.verdict, '<td><p><a id="x"></a>not testable here</p></td>'
    )
    assert "verdict" not in touches.VERDICT.sub(touches.verdict, "<td><p>wrong answers</p></td>")


def test_a_drawing_of_a_notebook_has_one_caption_on_its_page():
    """The notebook shows one below the picture; the site writes one of its own."""
    shown = bars("A title")._repr_mimebundle_()["text/html"]
    assert shown.count("<figcaption>") == 1
    text, _ = notebook_pages.outside(f"before {shown} after", "")
    assert text.count("<figcaption>") == text.count("</figure>") == text.count("<figure") == 1
    assert text.startswith("before <figure") and text.endswith("</figure> after")


def test_a_map_in_a_notebook_is_drawn_in_the_page_and_leads_to_its_pages(tmp_path):
    picture = (ROOT / "notebooks" / "map-day-50.svg").read_text("utf-8")
    (tmp_path / "map-part.svg").write_text(picture, "utf-8")
    text = maps.in_notebook("Before.\n\n![Map of it](map-part.svg)\n\nAfter.", tmp_path)
    assert text.startswith("Before.\n\n<div") and text.endswith("</div>\n\nAfter.")
    assert "<style>" not in text and "\n\n" not in text[len("Before.\n\n") : -len("\n\nAfter.")]
    assert 'href="00-start-here.html"' in text and ".ipynb" not in text


def test_the_map_of_the_front_page_leads_from_the_top_of_the_site():
    found = re.findall(r'href="([^"]+)\.html"', maps.of_course(ROOT))
    assert found and all((ROOT / f"{each}.ipynb").is_file() for each in found)
