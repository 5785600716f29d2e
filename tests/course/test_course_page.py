"""A page is what nbconvert's own exporter makes of a notebook, with our filter of what students write,
and without its slowest step wherever that changes nothing.
"""

import base64

import pytest
from bs4 import BeautifulSoup
from nbconvert.exporters import HTMLExporter
from nbformat import v4

from nbjudge.course import pages
from nbjudge.course.timed import CoursePage

PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
TEXT = v4.new_output("stream", name="stdout", text='<img src="x"> is text here\n')
OUTPUTS = {
    "text": TEXT,
    "image": v4.new_output("display_data", {"image/png": PIXEL}),
    "image with a text": v4.new_output(
        "display_data", {"image/png": PIXEL}, metadata={"image/png": {"alt": "one pixel"}}
    ),
}


def notebook(output):
    cells = [
        v4.new_markdown_cell("![](a.png) and *words*\n\n    as typed"),
        v4.new_code_cell("1 < 2"),
    ]
    cells[1].outputs = [output]
    return v4.new_notebook(cells=cells)


def seen(page: str) -> list:
    """What a browser makes of a page: tags, attributes and words."""
    tree = BeautifulSoup(page, "html.parser")
    words = [each for each in tree.find_all(string=True) if each.strip()]
    return [(tag.name, tag.attrs) for tag in tree.find_all(True)] + [
        each if each.find_parent("pre") else " ".join(each.split()) for each in words
    ]


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS)
@pytest.mark.parametrize("template", ["classic", "lab"])
def test_it_is_what_nbconvert_shows(template, output):
    shown = notebook(output)
    own = CoursePage(template_name=template).from_notebook_node(shown)[0]
    nbconverts = HTMLExporter(template_name=template, sanitize_html=True)
    nbconverts.register_filter("markdown2html", pages.markdown2html)
    theirs = nbconverts.from_notebook_node(shown)[0]
    assert seen(own) == seen(theirs)


def test_an_image_without_a_text_gets_one():
    page, _ = CoursePage(template_name="classic").from_notebook_node(notebook(OUTPUTS["image"]))
    (image,) = BeautifulSoup(page, "html.parser").select("img[src^=data]")
    assert image["alt"] == "No description has been provided for this image"


def test_a_page_without_one_is_not_read_again(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a tree of the whole page is most of its time")

    html = CoursePage(template_name="classic")
    monkeypatch.setattr(
        "nbconvert.exporters.html.BeautifulSoup",
        lambda page, **options: refuse() if page else BeautifulSoup(page, **options),
    )
    assert "is text here" in html.from_notebook_node(notebook(TEXT))[0]
