"""An instructor's day, whole: published, fetched, handed in, collected, graded, marked by hand,
graded again, sent back, exported.
"""

import csv
import json
import re
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeFetchAssignment
from playwright.sync_api import expect, sync_playwright
from typer.testing import CliRunner

from nbjudge import cli
from nbjudge.course import submitting
from nbjudge.grading.gradebook import record
from tests import servers
from tests.chromium import CHROMIUM, FLAGS, MINUTES
from tests.grading import small
from tests.grading.small import ASSIGNMENT, NOTEBOOK, RIGHT, WRONG
from tests.servers import TOKEN

pytestmark = pytest.mark.xdist_group("browser")
PLUGIN = """
from nbgrader.plugins import BasePlugin


class OnePoint(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return 1.0
"""
FINAL = {"ada": 3 + 4 - 1.0, "bob": 2.5}


def course(place, *words):
    """What the command prints."""
    done = subprocess.run(
        ["course", *map(str, words), "--course", place.root],
        cwd=place.root,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def course_here(place, *words):
    """The same in this process, which has imported already what a new one would import first."""
    done = CliRunner().invoke(cli.app, [*map(str, words), "--course", str(place.root)])
    assert done.exit_code == 0, done.output


def fetch(home, place):
    """As a student's JupyterLab does; the folder is the student's to work in."""
    config = small.student_config(home, place)
    ExchangeFetchAssignment(
        coursedir=CourseDirectory(config=config),
        authenticator=Authenticator(config=config),
        config=config,
    ).start()


def work(home, answers):
    path = home / ASSIGNMENT / f"{NOTEBOOK}.ipynb"
    document = json.loads(path.read_text())
    for cell in document["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = answers.get(grade_id, cell["source"])
    path.write_text(json.dumps(document))


def mark(browser, address, submission, points, comment):
    """What the marker does: open the answer, read the rubric, give points, write a line."""
    page = browser.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    # As from its menu: this page brings the cookie against forgery.
    page.goto(f"{address}/lab?token={TOKEN}", wait_until="domcontentloaded")
    page.goto(f"{address}/formgrader/submissions/{submission}/?index=0", wait_until="networkidle")
    expect(page.get_by_text("it says because")).to_be_visible()
    expect(page.get_by_text("With the hidden tests")).to_be_visible()
    expect(page.locator("math").first).to_be_visible()
    for field, value in (("#essay", points), ("#essay-comment", comment)):
        with page.expect_response(lambda reply: reply.request.method == "PUT") as saved:
            page.locator(field).fill(str(value))
            page.keyboard.press("Tab")
        assert saved.value.ok
    assert problems == []
    page.close()


def shown(browser, path):
    """The mark on a student's page, and its text; nothing is fetched from anywhere."""
    page = browser.new_page()
    page.goto(path.as_uri())
    expect(page.locator("math").first).to_be_visible()
    text = page.locator("body").inner_text()
    page.close()
    return float(re.search(r"Score: ([\d.]+)", text)[1]), text


def test_the_day(tmp_path, monkeypatch):
    project, place = small.published(tmp_path, exchange=True)
    monkeypatch.chdir(place.root)
    (place.root / "one_point.py").write_text(PLUGIN)
    with open(place.root / "nbgrader_config.py", "a") as file:
        file.write("\nc.AssignLatePenalties.plugin_class = 'one_point.OnePoint'\n")
    with record.gradebook(place) as book:
        book.find_assignment(ASSIGNMENT).duedate = datetime.now(UTC).replace(
            tzinfo=None
        ) - timedelta(hours=1)
        book.db.commit()
        for student in ("ada", "bob"):
            book.add_student(student)

    ada, bob = tmp_path / "ada", tmp_path / "bob"
    for home in (ada, bob):
        home.mkdir()
        fetch(home, place)
    work(ada, {"square": WRONG, "essay": "No idea."})
    small.submit(ada, place)
    work(ada, {"square": RIGHT, "essay": "Because a square is a product."})
    small.submit(ada, place)
    work(bob, {"square": WRONG, "essay": "It just is."})
    archive = submitting.pack(bob / ASSIGNMENT, tmp_path / f"bob_{ASSIGNMENT}.zip", "bob")

    course_here(place, "extend", ASSIGNMENT, "bob", "--minutes", 24 * 60)
    course_here(place, "collect", ASSIGNMENT)
    course_here(place, "collect", ASSIGNMENT, "--zip", archive)
    first = course(place, "grade", ASSIGNMENT, "--json", place.root / "results.json")
    assert "2 / 8" in first and "0 / 8" in first

    addresses = []
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path / "profile", executable_path=CHROMIUM, args=FLAGS
        )
        context.set_default_timeout(MINUTES)
        context.on("request", lambda request: addresses.append(request.url))
        lab = ("--instructor", "--course", place.root)
        home = str(place.root / "user")
        with servers.course_lab(*lab, cwd=project.root, HOME=home) as (address, _):
            with record.gradebook(place) as book:
                ids = {
                    name: book.find_submission_notebook(NOTEBOOK, ASSIGNMENT, name).id
                    for name in ("ada", "bob")
                }
            mark(context, address, ids["ada"], 4, "Well said.")
            mark(context, address, ids["bob"], 2.5, "Say why.")
        table = course(place, "grade", ASSIGNMENT, "--force", "--json", place.root / "results.json")
        sent = course(place, "feedback", ASSIGNMENT, "--send")
        assert "did not hand in through the exchange: bob" in sent
        (fetched,) = small.fetch_feedback(ada, place)
        mailed = place.feedback / "bob" / ASSIGNMENT / f"{NOTEBOOK}.html"
        pages = {"ada": shown(context, fetched), "bob": shown(context, mailed)}
        context.close()
    assert (
        "Well said." in pages["ada"][1]
        and "Say why." in pages["bob"][1]
        and "For the marker" not in pages["ada"][1]
    )
    assert {url for url in addresses if not url.startswith((address, "file:", "data:"))} == set()

    course_here(place, "export", place.root / "grades.csv")
    results = json.loads((place.root / "results.json").read_text())["submissions"]
    rows = list(csv.DictReader((place.root / "grades.csv").open(encoding="utf-8-sig")))
    with record.gradebook(place) as book:
        submissions = {each.student.id: each for each in book.assignment_submissions(ASSIGNMENT)}
        gradebook = {
            student: each.score - each.late_submission_penalty
            for student, each in submissions.items()
        }
    assert gradebook == FINAL
    assert {each["student"]: each["score"] for each in results} == FINAL
    assert {row["student_id"]: float(row["score"]) for row in rows} == FINAL
    assert {student: score for student, (score, _) in pages.items()} == FINAL
    for student, score in FINAL.items():
        assert re.search(rf"{student}\s+{score:g} / 8\s", table)
