"""The interactive parts, each on a page of its own, in a real Chromium."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import serving
from playwright.sync_api import Page

from tests.site import browsing

ROOT = Path(__file__).resolve().parents[3]
# A stand-in for the site's theme: the colours that parts take from it, in both themes.
THEME = """<style>
html { --course-bg: #fdfdfc; --course-fg: #1f2430; --course-muted: #59626f; --course-accent: #1f5fbf; --course-good: #1a7040;
  --course-bad: #b3261e; --course-line: #d5dae1; background: var(--course-bg); color: var(--course-fg); font-family: sans-serif; }
html[data-theme="dark"] { --course-bg: #14171c; --course-fg: #e4e7ec; --course-muted: #a0a9b6; --course-accent: #82b1ff;
  --course-good: #63c68c; --course-bad: #ff8a80; --course-line: #39404b; color-scheme: dark; }
body { max-width: 49rem; margin: 0 auto; padding: 1rem; }
</style>"""


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Iterator[tuple[str, Path]]:
    """The address of a server and its folder: `_static` with the parts and with their data, and a
    page for each of site/alive.
    """
    folder = tmp_path_factory.mktemp("site")
    (folder / "_static" / "data").mkdir(parents=True)
    (folder / "_static" / "alive").symlink_to(ROOT / "site" / "_static" / "alive")
    (folder / "alive").mkdir()
    for page in (ROOT / "site" / "alive").glob("*.md"):
        (folder / "alive" / f"{page.stem}.html").write_text(
            as_html(page.read_text(encoding="utf-8")), encoding="utf-8"
        )
    with serving.running(folder) as address:
        yield address, folder


def as_html(text: str) -> str:
    """The parts of a page and its headings, without the rest of its text."""
    blocks = re.findall(
        r"^(#+ [^\n]*|<([a-z]+-[a-z-]+)[ >].*?</\2>|<script .*?</script>)$",
        text,
        re.MULTILINE | re.DOTALL,
    )
    body = "\n".join(
        re.sub(r"^(#+) (.*)", lambda m: f"<h{len(m[1])}>{m[2]}</h{len(m[1])}>", block)
        for block, _ in blocks
    )
    title = text.splitlines()[0].lstrip("# ")
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>{title}</title>'
    return f'<!doctype html><html lang="en" data-theme="light"><head>{head}{THEME}</head><body><main>{body}</main></body></html>'


@pytest.fixture
def open_page(site, browser) -> Iterator[Callable[..., Page]]:
    """Open a page of site/alive by its name. At the end: no error in the console, no failed and no
    off-host request.
    """
    address, _ = site
    problems, contexts = [], []

    def opened(name: str, width: int = 1280, theme: str = "light", **options) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        context.set_default_timeout(browsing.LONG)
        contexts.append(context)
        page = context.new_page()
        page.on(
            "console",
            lambda message: problems.append(message.text) if message.type == "error" else None,
        )
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((address, "data:", "blob:"))
                else problems.append(request.url)
            ),
        )
        page.on(
            "response",
            lambda response: (
                problems.append(f"{response.status} {response.url}")
                if response.status >= 400
                else None
            ),
        )
        page.goto(f"{address}/alive/{name}.html")
        page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def javascript(open_page, site) -> Callable[..., object]:
    """Run JavaScript with a module of the site as `m`, in a page:
    `javascript("floats", "m.decode(m.FORMATS.FP16, a)", a)`.
    """
    address, folder = site
    (folder / "alive" / "empty.html").write_text(as_html("# Empty"), encoding="utf-8")
    page = open_page("empty")

    def run(module: str, expression: str, argument=None):
        return page.evaluate(
            f"async (a) => {{ const m = await import('{address}/_static/alive/{module}.js'); return {expression}; }}",
            argument,
        )

    return run
