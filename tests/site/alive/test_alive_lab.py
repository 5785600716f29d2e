"""A lab in its page: the check in the browser says what the check on the machine says, and a code that
loops, raises or eats memory costs its reader nothing.
"""

import ast
import json
import shutil
import sys
from functools import cache
from pathlib import Path

import lab_pages
import lab_python
import pytest
import vendor
from playwright.sync_api import expect

from nbjudge import checking, exercises
from nbjudge.course.stored import read
from tests.mutants import mutants
from tests.site import browsing
from tests.site.alive import conftest as parts

ROOT = Path(__file__).resolve().parents[3]
EXERCISES = ("quantize", "integer_layer", "calibration", "safetensors")
PACKAGES = {*sys.stdlib_module_names, "numpy"}
LACKING = "This page has Python's standard library and NumPy"
# A few for every run: each exercise's right answer, and mistakes of different rungs; the deep header,
# the bytes that a reader asks for, and a package that the page does not have.
FEW = {
    "quantize": ["valid_plain", "wraps", "empty", "lazy_operator"],
    "integer_layer": ["valid_plain", "cuts"],
    "calibration": ["valid_plain", "not_normalised"],
    "safetensors": ["valid_plain", "reads_everything", "lets_recursion_through", "evaluates"],
}
# A right answer to quantize: of one of its items only a practice draw shows anything.
RIGHT = "rows that pass here are worth 1.9 of 2 points"
pytestmark = pytest.mark.xdist_group("alive")


@pytest.fixture(scope="module")
def pages(site) -> str:
    """The address of pages with the part: `lab-quantize`, `lab-safetensors`, `lab-all`, and
    `lab-lacking`, where NumPy could not be fetched.
    """
    address, folder = site
    (folder / "_static" / "labs").symlink_to(ROOT / "labs")
    vendor.collect(ROOT / "site", ROOT / "build" / "npm", folder / "_static" / "vendor")
    python = folder / "_static" / "vendor" / "python"
    lab_python.collect(ROOT, ROOT / "build" / "wheels", python)
    listed = json.loads((python / lab_python.LIST).read_text())
    if listed["lacks"]:
        pytest.skip(
            f"{listed['lacks']} for Pyodide could not be fetched; the build says what to do"
        )
    shutil.copytree(python, python.parent / "lacking", ignore=lambda _, names: names)
    listed["lacks"] = "NumPy"
    (python.parent / "lacking" / lab_python.LIST).write_text(json.dumps(listed))
    for name, shown in {
        "quantize": EXERCISES[:1],
        "safetensors": EXERCISES[3:],
        "all": EXERCISES,
        "lacking": EXERCISES[:1],
    }.items():
        made = [lab_pages.PART.format(name=each, up="../").strip() for each in shown]
        script = '<script type="module" src="../_static/alive/lab-check.js"></script>'
        text = parts.as_html("\n\n".join(["# A lab", "## Check yourself", *made, script]))
        if name == "lacking":
            text = text.replace("vendor/python/", "vendor/lacking/")
        (folder / "alive" / f"lab-{name}.html").write_text(text)
    return f"{address}/alive"


@pytest.fixture(scope="module")
def lab(pages, browser):
    """The page with all four exercises, with Python loaded; nothing goes wrong in it, and nothing is
    asked of another host.
    """
    with browsing.watched(browser, pages.removesuffix("/alive"), accept_downloads=True) as seen:
        seen.page.goto(f"{pages}/lab-all.html")
        expect(seen.page.locator("lab-check[ready]")).to_have_count(len(EXERCISES))
        assert not [url for url in seen.asked if "pyodide" in url or url.endswith(".zip")]
        part = seen.page.locator("lab-check").first
        part.get_by_role("button", name="Load Python (9 MB)").click()
        expect(part.get_by_text("Python is ready.")).to_be_visible()
        yield seen
        assert not seen.wrong


@pytest.fixture
def quantize(lab):
    """The part of `quantize`, with its stub and nothing kept."""
    lab.page.evaluate("localStorage.clear()")
    part = lab.page.locator("lab-check[data-exercise=quantize]")
    part.evaluate("part => part.fields.forEach(({ cell, code }) => (code.value = cell.stub))")
    part.evaluate("part => part.python.load()")
    return part


def press(part, name: str) -> None:
    part.get_by_role("button", name=name, exact=True).click()


def in_page(page, exercise: str, sources: dict[str, str]) -> dict[str, dict]:
    """What the page's check says of these answers."""
    return page.evaluate(
        """async ([exercise, sources]) => {
            const part = document.querySelector(`lab-check[data-exercise=${exercise}]`);
            const found = {};
            for (const [name, source] of Object.entries(sources))
                found[name] = await part.python.check(
                    { exercise, given: part.given, sources: [source], practice: false, seed: null });
            return found;
        }""",
        [exercise, sources],
    )


def told(verdict: dict) -> tuple:
    broken = [rung for rung in verdict["rungs"] if rung["passed"] is False]
    first = (broken[0]["name"], broken[0]["misconception"], broken[0]["case"]) if broken else None
    return first, verdict["score"], [rung["passed"] for rung in verdict["rungs"]]


@cache
def stored(exercise: str) -> dict[str, str]:
    return {each.name: each.source for each in read(ROOT / "exercises" / exercise / "answers")}


def needs_more(source: str) -> bool:
    """Whether it imports a package that the page does not have."""
    nodes = [node for node in ast.walk(ast.parse(source))]
    names = [each.name for node in nodes if isinstance(node, ast.Import) for each in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    return not {name.partition(".")[0] for name in names} <= PACKAGES


def compare(page, exercise: str, names, tmp_path) -> int:
    """Hold the page's verdicts to the machine's; how many could be compared."""
    sources = {name: stored(exercise)[name] for name in names}
    found = in_page(page, exercise, sources)
    lacking = {name for name, each in found.items() if LACKING in each.get("failed", "")}
    assert lacking == {name for name, source in sources.items() if needs_more(source)}
    functions = {each.name: each.functions for each in mutants(exercise)}
    machine = {
        name: told(
            checking.public_verdict(exercises.get(exercise), functions[name], tmp_path).to_json()
        )
        for name in sources.keys() - lacking
    }
    assert {name: told(found[name]["verdict"]) for name in machine} == machine
    return len(machine)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_page_says_what_the_machine_says(lab, exercise, tmp_path):
    assert compare(lab.page, exercise, FEW[exercise], tmp_path) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_page_says_of_every_stored_answer_what_the_machine_says(lab, exercise, tmp_path):
    names = list(stored(exercise))
    assert compare(lab.page, exercise, names, tmp_path) > 0.8 * len(names)


def test_an_answer_is_written_checked_kept_and_taken_along(lab, quantize):
    right = stored("quantize")["valid_plain"]
    field = quantize.get_by_label("Your code: quantize")
    press(quantize, "Check")
    expect(quantize.locator(".ladder")).to_contain_text("the stub")
    field.fill(stored("quantize")["wraps"])
    press(quantize, "Check")
    ladder = quantize.locator(".ladder")
    expect(ladder).to_contain_text("A code beyond the end of its type is not cut off")
    link = ladder.get_by_role("link")
    assert (
        link.get_attribute("href")
        == "../notebooks/lab-7-01/04a-int8-arithmetic.html#affine-quantization"
    )
    field.fill(right)
    press(quantize, "Check")
    expect(ladder).to_contain_text(RIGHT)
    expect(ladder).to_contain_text("this page gives none")
    with lab.page.expect_download() as download:
        press(quantize, "Take it along as a notebook")
    assert download.value.suggested_filename == "quantize.ipynb"
    taken = json.loads(Path(download.value.path()).read_text())
    released = json.loads((ROOT / "labs" / "lab-7-01" / "quantize.ipynb").read_text())
    changed = [
        (cell["id"], cell["source"])
        for cell, before in zip(taken["cells"], released["cells"], strict=True)
        if cell != before
    ]
    assert changed == [("quantize", right)]


def test_without_a_network_the_code_is_taken_along(quantize, lab):
    lab.page.route("**/*.ipynb", lambda route: route.abort())
    with lab.page.expect_download() as download:
        press(quantize, "Take it along as a notebook")
    lab.page.unroute("**/*.ipynb")
    assert download.value.suggested_filename == "quantize.py"
    assert "def quantize(" in Path(download.value.path()).read_text()
    expect(quantize).to_contain_text("could not be loaded")
    lab.wrong[:] = [
        each for each in lab.wrong if "quantize.ipynb" not in each and "ERR_FAILED" not in each
    ]


def test_practice_asks_the_same_cases_again_until_they_are_right(quantize):
    field, ladder = quantize.get_by_label("Your code: quantize"), quantize.locator(".ladder")
    field.fill(stored("quantize")["wraps"])
    press(quantize, "Practise on fresh cases")
    expect(ladder).to_contain_text("you get the same cases")
    draw = quantize.evaluate("part => part.draw")
    field.fill(stored("quantize")["valid_plain"])
    press(quantize, "Practise on fresh cases")
    expect(ladder).to_contain_text(f"Practice draw {draw}:")
    expect(ladder).to_contain_text("you get others")


def test_code_that_raises_or_prints_shows_it(quantize):
    field, shown = quantize.get_by_label("Your code: quantize"), quantize.locator(".shown")
    field.fill("print('so far')\nquantize = 1 / 0\n")
    press(quantize, "Check")
    expect(shown).to_contain_text("line 2")
    expect(shown).to_contain_text("ZeroDivisionError")
    expect(shown).to_contain_text("so far")
    field.fill("def quantize(x, symmetric)\n    pass\n")
    press(quantize, "Check")
    expect(shown).to_contain_text("SyntaxError: expected ':'")
    field.fill("def quantize(x, symmetric):\n    raise KeyboardInterrupt\n")
    press(quantize, "Check")
    expect(shown).to_contain_text("KeyboardInterrupt")


def test_a_loop_without_an_end_is_stopped_and_python_is_there_again(quantize):
    field = quantize.get_by_label("Your code: quantize")
    field.fill("def quantize(x, symmetric):\n    while True:\n        pass\n")
    press(quantize, "Check")
    press(quantize, "Stop")
    expect(quantize.get_by_text("Stopped.")).to_be_visible()
    quantize.evaluate("part => { part.python.patience = 0.1; }")
    press(quantize, "Check")
    expect(quantize.get_by_text("is there a loop without an end?")).to_be_visible()
    quantize.evaluate("part => { part.python.patience = 600; }")
    field.fill(stored("quantize")["valid_plain"])
    press(quantize, "Check")
    expect(quantize.locator(".ladder")).to_contain_text(RIGHT)


def test_code_that_eats_memory_meets_a_limit(quantize):
    field, ladder = quantize.get_by_label("Your code: quantize"), quantize.locator(".ladder")
    eats = "    eaten = []\n    while True:\n        eaten.append(bytearray(1 << 26))\n"
    field.fill(f"def quantize(x, symmetric):\n{eats}")
    press(quantize, "Check")
    expect(ladder).to_contain_text("MemoryError")
    field.fill(stored("quantize")["valid_plain"])
    press(quantize, "Check")
    expect(ladder).to_contain_text(RIGHT)


def test_a_python_that_ends_is_started_again(quantize):
    field = quantize.get_by_label("Your code: quantize")
    field.fill(
        "def quantize(x, symmetric):\n    import js\n    js.self.close()\n    while True:\n        pass\n"
    )
    quantize.evaluate("part => { part.python.patience = 0.1; }")
    press(quantize, "Check")
    expect(quantize.get_by_text("Python is started again.")).to_be_visible()
    quantize.evaluate("part => { part.python.patience = 600; }")
    expect(quantize.get_by_role("button", name="Check", exact=True)).to_be_enabled()


def test_nothing_that_code_says_is_live_in_the_page(lab, quantize):
    hostile = "<img src=x onerror=alert(1)><a href=javascript:alert(1)>here</a><script>1</script>"
    field, shown = quantize.get_by_label("Your code: quantize"), quantize.locator(".shown")
    field.fill(f"def quantize(x, symmetric):\n    raise ValueError({hostile!r})\n")
    press(quantize, "Check")
    expect(shown).to_contain_text("<img src=x onerror")
    kinds = lab.page.evaluate(
        """async (html) => {
            const { ladder } = await import("../_static/alive/ladder.js");
            const made = ladder(`<div style="x" onclick="1"><p id="a" onclick="1">so ${html}</p></div>`, "");
            return [...made.querySelectorAll("*")].map((each) => [each.tagName, each.getAttributeNames()]);
        }""",
        hostile,
    )
    assert kinds == [["P", []]]


def test_a_keyboard_indents_and_leaves_the_field(lab, quantize):
    field, keyboard = quantize.get_by_label("Your code: quantize"), lab.page.keyboard
    field.fill("")
    field.focus()
    keyboard.type("if x:")
    keyboard.press("Enter")
    keyboard.type("a")
    assert field.input_value() == "if x:\n    a"
    keyboard.press("Control+a")
    keyboard.press("Tab")
    assert field.input_value() == "    if x:\n        a"
    keyboard.press("Shift+Tab")
    assert field.input_value() == "if x:\n    a"
    keyboard.press("Control+z")
    assert field.input_value() == "    if x:\n        a"
    keyboard.press("Escape")
    keyboard.press("Tab")
    expect(field).not_to_be_focused()
    assert field.input_value() == "    if x:\n        a"


def test_what_a_phone_writes_for_quotes_is_made_straight(quantize):
    field = quantize.get_by_label("Your code: quantize")
    left, right = "\N{LEFT SINGLE QUOTATION MARK}", "\N{RIGHT SINGLE QUOTATION MARK}"
    field.fill(f"a = “b” + {left}c{right}")
    assert field.input_value() == "a = \"b\" + 'c'"


def test_start_again_gives_the_stub_and_gives_back_what_was_written(quantize):
    field = quantize.get_by_label("Your code: quantize")
    field.fill("mine = 1")
    press(quantize, "Start again")
    expect(field).to_have_value(quantize.evaluate("part => part.task.cells[0].stub"))
    press(quantize, "Start again")
    expect(field).to_have_value("mine = 1")


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (360, "dark")])
def test_the_part_breaks_no_rule_and_fits_a_phone(pages, open_page, axe, width, theme):
    page = open_page("lab-quantize", width=width, theme=theme, has_touch=width < 400)
    part = page.locator("lab-check[ready]")
    part.get_by_label("Your code: quantize").fill("# written before")
    page.reload()
    page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
    expect(part.get_by_label("Your code: quantize")).to_have_value("# written before")
    part.evaluate(
        """part => part.show({ draw: 1, read: "lab-7-01/04-int8", printed: "a".repeat(300), verdict: null,
            html: "<div><p><strong>q</strong>: broken</p><table><tbody><tr><td>✗</td><td>numerics: has the codes</td>" +
            "<td>0.9 of 0.9 points</td><td>broken: 3 of 9 cases are right</td></tr></tbody></table><dl><dt>Read again</dt>" +
            "<dd><a href='#'>notebooks</a></dd></dl></div>" })"""
    )
    wide = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert wide <= 0
    # What was found comes first where the rows would fill the screen.
    words, rows = (part.locator(f".ladder {name}").bounding_box()["y"] for name in ("dl", "table"))
    assert (words < rows) == (width < 400)
    page.evaluate(axe)
    found = page.evaluate("axe.run()")["violations"]
    assert [(each["id"], [node["target"] for node in each["nodes"]]) for each in found] == []


def test_where_numpy_could_not_be_fetched_the_lab_is_offered_for_download(pages, open_page):
    page = open_page("lab-lacking")
    part = page.locator("lab-check[ready]")
    expect(part).to_contain_text("was built without NumPy for the browser")
    link = part.get_by_role("link", name="Download the lab")
    assert link.get_attribute("href").endswith("/_static/labs/lab-7-01/quantize.ipynb")
    expect(part.get_by_role("button")).to_have_count(0)
