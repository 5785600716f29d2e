"""Make README's pictures again: `python tools/pictures.py` writes docs/graph.svg, and docs/site-*.png of the site in build/site.

(docs/lab.png is made by tests/test_lab_browser.py.)
"""

import shutil
from pathlib import Path

from onnx import parser

from workbench import show

TEXT = """
residual (float[N, 4] x) => (float[N, 3] y) <float[4, 3] w = {1, -2, 3, 0.5, 1, -1, 2, 2, 1, -3, 0.25, 1}> {
    h = MatMul(x, w)   d = Dropout(h)   r = Relu(d)   y = Add(r, h)
}"""
AFTER = TEXT.replace("d = Dropout(h)   r = Relu(d)", "r = Relu(h)")
ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def main() -> None:
    before, after = (show.draw(parser.parse_graph(text), name) for text, name in ((TEXT, "with Dropout"), (AFTER, "without")))
    picture = show.pair(before, after, "A residual graph before and after Dropout was removed")
    (DOCS / "graph.svg").write_text(picture.svg, encoding="utf-8")
    if (ROOT / "build" / "site" / "index.html").is_file():
        photograph(ROOT / "build" / "site")
    else:
        print("without pictures of the site: type `make site` first")


def photograph(site: Path) -> None:
    """The front page in light and in dark, from the files."""
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        for theme in ("light", "dark"):
            page = chromium.new_context(viewport={"width": 1280, "height": 800}, color_scheme=theme).new_page()
            page.goto((site / "index.html").as_uri(), wait_until="networkidle")
            page.screenshot(path=DOCS / f"site-{theme}.png")


if __name__ == "__main__":
    main()
