"""`course lab` in a real Chromium: what a student sees in the first minute."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
import pytest
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright

from tests import servers
from tests.chromium import CHROMIUM, FLAGS, MINUTES
from tests.servers import TOKEN

ROOT = Path(__file__).resolve().parent.parent
LAB = "labs/day-50/inspect.ipynb"
# Right about everything but the opset: it takes the first entry, which on one public model is not
# the default domain's.
ANSWER = '''def describe(model, directory=None):
    """The five facts, from the main graph alone."""
    operators = {}
    for node in model.graph.node:
        operators[node.op_type] = operators.get(node.op_type, 0) + 1
    return {
        "ir_version": model.ir_version,
        "opset": model.opset_import[0].version,
        "operators": operators,
        "parameters": sum(math.prod(each.dims) for each in model.graph.initializer),
        "bytes": model.ByteSize(),
    }
'''

pytestmark = pytest.mark.xdist_group("browser")


@dataclass
class Server:
    address: str
    home: Path
    said: str  # what `course lab` printed before it was ready


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("lab")
    own = {"HOME": str(folder / "user"), "AUTOGRADER_EXCHANGE": str(folder / "exchange")}
    with servers.course_lab(folder / "home", cwd=ROOT, **own) as (address, said):
        yield Server(address, folder / "home", said)


@pytest.fixture(scope="module")
def requests() -> list[str]:
    """The addresses that the browser asked for."""
    return []


@pytest.fixture(scope="module")
def browser(tmp_path_factory, requests) -> Iterator[BrowserContext]:
    assert CHROMIUM, "Chromium is missing; type: sudo apt-get install chromium"
    with sync_playwright() as playwright:
        profile = tmp_path_factory.mktemp("profile")
        size = {"width": 1280, "height": 800}
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, args=FLAGS, viewport=size
        )
        context.set_default_timeout(MINUTES)
        context.on("request", lambda request: requests.append(request.url))
        yield context
        context.close()


@pytest.fixture(scope="module")
def lab(server, browser) -> Iterator[Page]:
    """The notebook, opened by its address in a JupyterLab without a history; opened once for tests
    that look at it.
    """
    page = browser.new_page()
    page.goto(f"{server.address}/lab/tree/{LAB}?token={TOKEN}&reset")
    expect(page.locator(".jp-NotebookPanel .jp-Cell").first).to_be_visible(timeout=MINUTES)
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible(timeout=MINUTES)
    yield page
    page.close()


def test_the_first_start_opens_the_first_page(server, browser):
    page = browser.new_page()
    page.goto(f"{server.address}/?token={TOKEN}")
    expect(page.get_by_role("heading", name="Start here")).to_be_visible(timeout=MINUTES)
    page.close()


def test_opening_a_lab_asks_nothing(lab):
    expect(lab.locator(".jp-Dialog")).to_have_count(0)
    expect(lab.locator(".jp-toastContainer, .Toastify__toast")).to_have_count(0)


def test_a_student_has_no_instructor_menus(lab, server):
    lab.get_by_role("menuitem", name="Nbgrader").click()
    entries = lab.locator(".lm-Menu-itemLabel:visible")
    expect(entries).to_have_text(["Assignment List"])
    assert lab.request.get(f"{server.address}/formgrader").status == 404


def test_a_lab_runs_and_shows_the_first_broken_rung(lab, server, requests):
    notebook = server.home / LAB
    content = nbformat.read(notebook, as_version=4)
    for cell in content.cells:
        if cell.cell_type == "code" and "def describe(" in cell.source:
            cell.source = f"import math\n\n\n{ANSWER}"
    nbformat.write(content, notebook)
    lab.reload()
    expect(lab.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible(timeout=MINUTES)
    lab.get_by_role("menuitem", name="Run", exact=True).click()
    lab.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    ladder = lab.locator(".jp-OutputArea-output .ladder")
    expect(ladder).to_contain_text("structure: has the right versions", timeout=MINUTES)
    expect(ladder).to_contain_text("Expected")
    expect(ladder).to_contain_text("Likely cause")
    if "LAB_PICTURE" in os.environ:  # LAB_PICTURE=docs/lab.png makes README's picture again
        lab.locator(".jp-CodeCell", has=ladder).evaluate("cell => cell.scrollIntoView()")
        lab.screenshot(path=os.environ["LAB_PICTURE"])
    ladder.get_by_role("link").click()
    section = lab.locator(".jp-NotebookPanel:visible").get_by_role("heading", name="Opset imports")
    expect(section).to_be_attached(timeout=MINUTES)
    assert {urlsplit(address).netloc for address in requests} - {""} == {
        urlsplit(server.address).netloc
    }


def test_netron_is_served_beside_the_notebooks(lab, server):
    page = lab.request.get(f"{server.address}/static/netron/index.html")
    assert page.status == 200
    assert "<title>Netron</title>" in page.text()


def test_nothing_is_written_outside_the_home(lab, server):
    assert not (server.home.parent / "user").exists()
    assert json.loads((server.home / ".course" / "copied.json").read_text())
