"""What search engines, other sites and chats show of a page: a description, a
lasting address, a picture; a map of the pages; and a page for addresses that lead nowhere.

The address of the site is known only where it is published: COURSE_SITE_ADDRESS gives it. Without it pages
have descriptions, and what needs an address is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from docutils import nodes
from sphinx.application import Sphinx

# Search engines show about this many characters.
LONGEST = 180
SHORTEST = 40
# How the line begins that says where on the map of the course a page is.
PLACE = "You are here:"
LOST = "404"


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", add)
    app.connect("html-collect-pages", lost)
    app.connect("build-finished", list_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add(
    app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None
) -> None:
    context["site_address"] = app.config.html_baseurl.rstrip("/")
    context["repository"] = app.config.course_repository
    if page == app.config.root_doc:
        context["description"] = app.config.course_summary
    elif doctree is not None:
        context["description"] = described(doctree)
    if app.config.html_baseurl and page != LOST:
        context["address"] = _address(app, page)
        context["picture"] = f"{context['site_address']}/_static/sharing.png"


def described(doctree: nodes.document) -> str:
    """The first paragraph of the text that says something, cut at a word; empty if there is none."""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, (nodes.entry, nodes.list_item)):
            continue
        text = " ".join(paragraph.astext().split())
        if len(text) >= SHORTEST and not text.startswith(PLACE):
            return text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(' ', 1)[0]} …"
    return ""


def lost(app: Sphinx) -> Iterator[tuple[str, dict, str]]:
    """The page that GitHub Pages and most servers show for an address without a page. It is shown in
    any folder, so that its links start at the site's own address.
    """
    home = app.config.html_baseurl.rstrip("/") or "."
    body = (
        "<h1>There is no page at this address</h1>"
        "<p>It may have moved when the course was put in another order. "
        f'Go to <a href="{escape(home)}/index.html">the front page</a>, which lists every page, or '
        f'<a href="{escape(home)}/search.html">search the course</a>.</p>'
    )
    yield LOST, {"title": "There is no page at this address", "body": body}, "page.html"


def list_pages(app: Sphinx, problem: Exception | None) -> None:
    """sitemap.xml and robots.txt, for a site whose address is known."""
    out = Path(app.outdir)
    (out / ".nojekyll").touch()  # else GitHub Pages drops folders that begin with an underscore
    if problem or not app.config.html_baseurl:
        return
    entries = "".join(
        f"<url><loc>{escape(_address(app, page))}</loc></url>\n"
        for page in sorted(app.env.found_docs)
    )
    (out / "sitemap.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n',
        "utf-8",
    )
    base = app.config.html_baseurl.rstrip("/")
    (out / "robots.txt").write_text(f"User-agent: *\nAllow: /\nSitemap: {base}/sitemap.xml\n")


def _address(app: Sphinx, page: str) -> str:
    base = app.config.html_baseurl.rstrip("/")
    return f"{base}/" if page == app.config.root_doc else f"{base}/{page}.html"
