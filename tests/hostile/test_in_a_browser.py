"""What hostile students wrote, in a real Chromium: their feedback, and formgrader. None of it runs,
and nothing is asked for elsewhere.
"""

from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from nbjudge.grading.gradebook import record
from tests import servers
from tests.chromium import CHROMIUM, FLAGS, MINUTES
from tests.hostile.injection import ADDRESS, PWNED, SCRIPT

pytestmark = pytest.mark.xdist_group("hostile")

# Everything in a page that would run, or take the reader somewhere, when it is looked at or
# clicked; and what has the name of a mark, by which formgrader finds its field.
LIVE = """() => [...document.querySelectorAll("*")].flatMap((element) => [
    ...[...element.attributes].filter((one) => /^on/i.test(one.name)).map((one) => one.name),
    ...["href", "src", "action", "formaction", "data", "xlink:href"].map((name) => element.getAttribute(name) || "")
        .filter((value) => /^\\s*(javascript|vbscript|data:text|data:image\\/svg)/i.test(value)),
    ...(element.matches("a[name], .tabbable") ? [element.name || element.id] : [])
        .filter((name) => [...document.querySelectorAll("[id]")].find((one) => one.id == name && one != element))
        .map((name) => "two are called " + name),
    ...(/^(iframe|object|embed|form|base|svg)$/i.test(element.tagName) ? [element.tagName] : []),
])"""


# What formgrader's own pages hold of that.
FORMGRADERS = ("onclick", "svg", "form")


class Reader:
    """A browser that opens pages and keeps what they did."""

    def __init__(self, context):
        self._context = context
        self.asked: list[str] = []
        self.problems: dict[str, object] = {}
        context.on("request", lambda request: self.asked.append(request.url))

    def open(self, address: str, wait: str = "load") -> list[str]:
        """Read one page; what is live in it."""
        page = self._context.new_page()
        page.on(
            "dialog",
            lambda dialog: (self.problems.update({address: dialog.message}), dialog.dismiss()),
        )
        page.goto(address, wait_until=wait)
        if PWNED in page.title():
            self.problems[address] = page.title()
        live = page.evaluate(LIVE)
        page.close()
        return live


@pytest.fixture
def reader(tmp_path):
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path / "profile", executable_path=CHROMIUM, args=FLAGS
        )
        context.set_default_timeout(MINUTES)
        yield Reader(context)
        context.close()


@pytest.fixture
def formgrader(fought):
    """The address of a formgrader on the class's course."""
    with servers.formgrader(fought[2].course.root) as address:
        yield address


def test_the_reader_sees_what_is_live(reader, tmp_path):
    page = tmp_path / "live.html"
    page.write_text(
        f'<img src=x onerror="{SCRIPT}"><a href="javascript:{SCRIPT}">x</a><svg></svg><script>{SCRIPT}</script>'
        '<h1 id="check-it">1</h1><a name="check-it"></a><input class="tabbable" id="alone">'
    )
    assert sorted(reader.open(page.as_uri(), "networkidle")) == sorted(
        ["onerror", f"javascript:{SCRIPT}", "svg", "two are called check-it"]
    )
    assert reader.problems == {page.as_uri(): PWNED} and ADDRESS in reader.asked


def test_feedback_runs_nothing(fought, reader):
    pages = [Path(name) for name in fought[2].said if name.endswith(".html")]
    assert len(pages) >= len(fought[1])
    live = {page.parts[-3]: found for page in pages if (found := reader.open(page.as_uri()))}
    assert live == {} and reader.problems == {}
    assert [url for url in reader.asked if not url.startswith(("file:", "data:"))] == []


def test_formgrader_runs_nothing(fought, reader, formgrader):
    attacks, _, graded, _ = fought
    with record.gradebook(graded.course) as book:
        found = {
            attack.student: book.find_submission(attack.assignment, attack.student).notebooks
            for attack in attacks
        }
        ids = {name: each.id for name, several in found.items() for each in several}
    for place in (
        "",
        "/gradebook",
        "/manage_students",
        *(f"/manage_submissions/{name}" for name in ("day-50", "warm-up")),
    ):
        reader.open(f"{formgrader}{place}", "networkidle")
    read = {
        name: reader.open(f"{formgrader}/submissions/{number}/?index=0")
        for name, number in ids.items()
    }
    live = {
        name: hostile
        for name, found in read.items()
        if (hostile := [each for each in found if each.lower() not in FORMGRADERS])
    }
    server = formgrader.removesuffix("formgrader")
    assert live == {} and reader.problems == {}
    assert [url for url in reader.asked if not url.startswith((server, "data:"))] == []
