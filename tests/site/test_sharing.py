"""What the site tells search engines and other sites, where its address is known."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "index": "# The front\n\n```{toctree}\ninner/page\n```\n",
    "inner/page": "# A page\n\n| time | 5 minutes |\n|---|---|\n| a | b |\n\nShort.\n\n"
    + "The first paragraph that says something says what this page is about. " * 5,
}
SETTINGS = {
    "extensions": ["myst_parser", "extensions.sharing"],
    "project": "A course",
    "course_repository": "",
    "course_summary": "What the course is about.",
}


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Builds a small site with the extension: the folder, and what each page was given."""
    monkeypatch.syspath_prepend(str(ROOT / "site"))
    for name, text in PAGES.items():
        path = tmp_path / "source" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "source" / "conf.py").write_text(
        'def setup(app):\n    for name in ("course_repository", "course_summary"):\n'
        '        app.add_config_value(name, "", "html", str)\n'
    )
    kept = set(sys.modules)

    def run(**settings) -> tuple[Path, dict[str, dict]]:
        source, out = tmp_path / "source", tmp_path / "out"
        app = Sphinx(
            source, source, out, tmp_path / "trees", "html", SETTINGS | settings, status=None
        )
        contexts: dict[str, dict] = {}
        app.connect(
            "html-page-context",
            lambda app, page, template, context, tree: contexts.update({page: context}),
        )
        app.build()
        assert app.statuscode == 0
        return out, contexts

    yield run
    for name in set(sys.modules) - kept:
        if name.split(".")[0] == "extensions":
            del sys.modules[name]


def test_a_site_with_an_address_has_a_map_and_lasting_addresses(build):
    out, contexts = build(html_baseurl="https://a.example/course/")
    found = [
        each.text
        for each in ElementTree.parse(out / "sitemap.xml").iter()
        if each.tag.endswith("loc")
    ]
    assert found == ["https://a.example/course/", "https://a.example/course/inner/page.html"]
    assert "Sitemap: https://a.example/course/sitemap.xml" in (out / "robots.txt").read_text()
    assert contexts["inner/page"]["address"] == "https://a.example/course/inner/page.html"
    assert contexts["inner/page"]["picture"] == "https://a.example/course/_static/sharing.png"
    assert "address" not in contexts["404"]
    assert 'href="https://a.example/course/index.html"' in (out / "404.html").read_text()


def test_a_page_is_described_by_its_first_sentence_and_not_by_a_table(build):
    _, contexts = build()
    described = contexts["inner/page"]["description"]
    assert described.startswith("The first paragraph that says something")
    assert described.endswith(" …") and len(described) <= 182
    assert contexts["index"]["description"] == "What the course is about."


def test_the_picture_for_sharing_is_as_large_as_other_sites_want_it():
    header = (ROOT / "site" / "_static" / "sharing.png").read_bytes()[16:24]
    assert (int.from_bytes(header[:4], "big"), int.from_bytes(header[4:], "big")) == (1200, 630)
