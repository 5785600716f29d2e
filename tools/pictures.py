"""Make README's pictures again: `python tools/pictures.py` writes docs/graph.svg, and
docs/site-*.png of the site in build/site.

`... report` writes docs/report.png, the report on a class that hands in the stored answers of two
exercises. `... lab` writes docs/lab.png, which tests/test_lab_browser.py takes. `... netron` writes
the picture of Netron in the notebook on ONNX files.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from onnx import parser
from prepare_system import BROWSERS

from formatlab import show
from formatlab.models import make_model
from formatlab.show.viewer import netron_address, netron_static

TEXT = """
residual (float[N, 4] x) => (float[N, 3] y) <float[4, 3] w = {1, -2, 3, 0.5, 1, -1, 2, 2, 1, -3, 0.25, 1}> {
    h = MatMul(x, w)   d = Dropout(h)   r = Relu(d)   y = Add(r, h)
}"""
CHOOSE = """
choose (bool c, float[N, 3] x) => (float[N, 3] y) <float[3] b = {1, -2, 0.5}> {
    h = Mul(x, x)
    y = If (c) <
        then_branch = negative () => (float[N, 3] t) { t = Neg(h) },
        else_branch = shifted () => (float[N, 3] e) { e = Add(h, b) }>
}"""
AFTER = TEXT.replace("d = Dropout(h)   r = Relu(d)", "r = Relu(h)")
ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
REPORTED = ("dropout", "inspect")
WIDTH, HEIGHT = 1000, 780


def graph_and_site() -> None:
    before, after = (
        show.draw(parser.parse_graph(text), name)
        for text, name in ((TEXT, "with Dropout"), (AFTER, "without"))
    )
    picture = show.pair(before, after, "A residual graph before and after Dropout was removed")
    (DOCS / "graph.svg").write_text(picture.svg, encoding="utf-8")
    if (ROOT / "build" / "site" / "index.html").is_file():
        photograph(ROOT / "build" / "site")
    else:
        print("without pictures of the site: type `make site` first")


@contextmanager
def chromium():
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


def served(folder: Path):
    sys.path.append(str(ROOT / "tools" / "site"))
    import serving

    return serving.running(folder)


def photograph(site: Path) -> None:
    """The front page in light and in dark, when its graph can be worked on."""
    with chromium() as browser, served(site) as address:
        for theme in ("light", "dark"):
            page = browser.new_context(
                viewport={"width": 1280, "height": 800}, color_scheme=theme
            ).new_page()
            page.goto(f"{address}/", wait_until="networkidle")
            page.locator("graph-surgery[ready]").wait_for()
            page.screenshot(path=DOCS / f"site-{theme}.png")


def report() -> None:
    """The page of `course report` on a class in which each student handed in one stored answer of
    each exercise.
    """
    sys.path.insert(0, str(ROOT))
    from nbjudge.course.report import classes, page

    results = list(_class())
    books = {exercise: {"cells": []} for exercise in REPORTED}
    text = page.page(
        classes.build(
            "day-50", results, books, {result.student: result.student for result in results}, True
        )
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        path.write_text(text, encoding="utf-8")
        _screenshot(path.as_uri(), DOCS / "report.png")


def _class():
    from nbjudge.grading.marks.results import GRADED, CellResult, NotebookResult, SubmissionResult
    from tests.mutants import mutants, verdict

    answers = [mutants(exercise) for exercise in REPORTED]
    for number in range(max(map(len, answers))):
        cells = {}
        for exercise, stored in zip(REPORTED, answers, strict=True):
            found = verdict(exercise, stored[number % len(stored)].name)
            cells[f"{exercise}/check-{exercise}"] = CellResult(
                GRADED,
                found.score,
                found.max_score,
                rung=found.broken and found.broken.name,
                cause=found.broken.cause if found.broken else "",
                read=found.broken.read if found.broken else "",
                misconception=found.broken.misconception if found.broken else "",
            )
        most = sum(cell.max_score for cell in cells.values())
        notebooks = {exercise: NotebookResult(GRADED) for exercise in REPORTED}
        documents = {exercise: {"cells": []} for exercise in REPORTED}
        yield SubmissionResult(
            f"student-{number:02}", most, notebooks=notebooks, cells=cells, documents=documents
        )


def _screenshot(address: str, path: Path) -> None:
    with chromium() as browser:
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(address)
        page.screenshot(path=path)


def lab() -> None:
    test = "tests/test_lab_browser.py::test_a_lab_runs_and_shows_the_first_broken_rung"
    environment = os.environ | {"LAB_PICTURE": str(DOCS / "lab.png")}
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", test],
        cwd=ROOT,
        env=environment,
        check=True,
    )


def netron() -> None:
    """The graph of the notebook's section on Netron, with the node If selected."""
    model = make_model(parser.parse_graph(CHOOSE))
    with (
        tempfile.TemporaryDirectory() as folder,
        chromium() as browser,
        served(Path(folder)) as address,
    ):
        netron_static(Path(folder) / "static")
        page = browser.new_page(viewport={"width": 760, "height": 460})
        page.goto(f"{address}{netron_address(model)}")
        page.get_by_text("If", exact=True).first.click()
        page.get_by_text("then_branch").first.wait_for()
        page.screenshot(path=ROOT / "notebooks" / "day-50" / "netron.png", animations="disabled")


PICTURES = {"graph": graph_and_site, "report": report, "lab": lab, "netron": netron}


if __name__ == "__main__":
    for name in sys.argv[1:] or ["graph"]:
        PICTURES[name]()
