"""`course defend`: pages with questions about students' own code, through real boxes. Each key is
checked against a run of the printed code.
"""

import csv
import html
import json
import re

import pytest
from typer.testing import CliRunner

from nbjudge.cli import app
from nbjudge.course import report as reports
from nbjudge.course.defend import printed, running
from nbjudge.course.defend.sheets import Sheet
from nbjudge.course.report import page
from nbjudge.course.stored import one
from nbjudge.grading.config.folders import Course
from nbjudge.grading.gradebook import record
from nbjudge.grading.run import coordinator
from tests.defend_keys import right
from tests.grading import small
from tests.mutants import EXERCISES

pytestmark = pytest.mark.xdist_group("defend")

BRANCHES = one(EXERCISES / "quantize" / "answers" / "valid_plain.py").source
# It prints, leaves files behind for its next run, and fails where one was left. Without some of its
# lines it never ends.
HOSTILE = (
    BRANCHES
    + '''

import os
import pathlib

print("</pre><script>alert(1)</script>")
if any(pathlib.Path("/tmp").rglob("left-behind")):
    raise SystemExit("what another run left is here")
for folder in ("/", "/tmp", "/spool", os.path.expanduser("~")):
    try:
        pathlib.Path(folder, "left-behind").write_text("ben")
    except OSError:
        pass
real = quantize


def quantize(x, symmetric):
    """</pre><script>alert(2)</script>"""
    if float(x.flat[0]) == -51.0 and not symmetric:
        os.write(1, b"noise")
    left = 2
    while left > 0:
        left -= 1
    return real(x, symmetric)
'''
)
# Half of the task, in one line.
WITHOUT_BRANCHES = """import numpy as np


def quantize(x, symmetric):
    return (lambda low, step: (np.clip(np.rint(x / step) + np.rint(-low / step), 0, 255).astype(np.uint8), step, int(np.rint(-low / step))))(min(x[np.isfinite(x)].min(), 0), np.float32((max(x[np.isfinite(x)].max(), 0) - min(x[np.isfinite(x)].min(), 0)) / 255))
"""  # noqa: E501


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A course with one exercise, and four submissions."""
    root = tmp_path_factory.mktemp("defend")
    body = BRANCHES.partition("symmetric):\n")
    answer = f"{body[0]}{body[1]}    ### BEGIN SOLUTION\n{body[2]}    ### END SOLUTION"
    given = [
        small.code("imports", "import numpy as np\nfrom nbjudge import check"),
        small.code("answer", answer, small.meta("quantize", solution=True)),
        small.code("test", 'check("quantize", quantize)', small.meta("check-quantize", 2)),
        small.markdown("room", "Asked in the room.", small.meta("defend", 4, solution=True)),
    ]
    project, course = small.published(root, given)
    for student, source in {
        "ada": BRANCHES,
        "ben": HOSTILE,
        "dan": WITHOUT_BRANCHES,
        "eve": "def quantize(x, symmetric):\n    return None\n",
    }.items():
        small.hand_in(project, course, student, {"quantize": source})
    report = coordinator.grade(course, coordinator.GradingRequest(small.ASSIGNMENT))
    assert report.exit_code == 0
    return course


@pytest.fixture(scope="module")
def written(graded):
    """What the command printed, and the folder that it wrote."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(running, "VARIANT_SECONDS", 1)  # of the processor, for what never ends
        return typed(graded), graded.root / "defend" / small.ASSIGNMENT


def typed(course: Course, *words):
    line = ["defend", small.ASSIGNMENT, "--course", str(course.root), "--seed", "7", *words]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, done.output
    return done.output


def kept(course: Course, student: str) -> Sheet:
    path = course.private("defend", small.ASSIGNMENT, student) / "quantize.json"
    return Sheet(**json.loads(path.read_text())["sheet"])


def pages(folder) -> dict[str, str]:
    """Each student's part of the printed pages."""
    text = (folder / "sheets.html").read_text()
    parts = re.findall(r'<section class="sheet">.*?</section>', text, re.DOTALL)
    return {re.search(r"<h1>.*: (\w+)</h1>", part)[1]: part for part in parts}


def test_a_right_answer_with_branches_gets_three_questions_with_right_keys(graded, written):
    sheet = kept(graded, "ada")
    assert len(sheet.asked) == 3 and not sheet.why_fewer
    for asked in sheet.asked:
        assert len(set(asked["options"])) == 4
        assert right(sheet, asked) == asked["right"], asked


def test_code_that_prints_and_leaves_files_behind_is_asked_about_all_the_same(graded, written):
    assert len(kept(graded, "ben").asked) == 3


def test_the_page_shows_the_code_as_it_was_handed_in_and_no_key(graded, written):
    printed = pages(written[1])["ada"]
    shown = [html.unescape(line) for line in re.findall(r"<li><b>\d+</b>(.*)</li>", printed)]
    assert "\n".join(shown).strip() == BRANCHES.strip()
    for asked in kept(graded, "ada").asked:
        assert html.escape(asked["options"][0], quote=False) in html.unescape(printed)
    assert "right" not in printed


def test_nothing_of_a_students_is_live_or_stands_on_another_page(written):
    both = (written[1] / "sheets.html").read_text() + (written[1] / "key.html").read_text()
    assert "<script" not in both
    found = pages(written[1])
    assert "left-behind" in found["ben"] and "left-behind" not in found["ada"]


def test_code_without_branches_gets_fewer_questions_and_the_reason(graded, written):
    sheet = kept(graded, "dan")
    assert len(sheet.asked) < 3 and "changes that were tried" in sheet.why_fewer
    assert f"dan has {len(sheet.asked)} questions" in written[0]


def test_who_earned_nothing_is_not_asked(written):
    assert "eve" not in pages(written[1])


def test_the_list_has_a_place_for_each_answer(graded, written):
    rows = list(csv.DictReader((written[1] / "ticks.csv").open()))
    assert [row["student"] for row in rows] == ["ada", "ben", "dan"]
    for row in rows:
        asked = len(kept(graded, row["student"]).asked)
        given = [row[f"question {number}"] for number in (1, 2, 3)]
        assert given == [""] * asked + ["-"] * (3 - asked)


def filled_in(written, path, **ticks):
    """The list with what students ticked; those that are not named ticked nothing."""
    rows = list(csv.DictReader((written[1] / "ticks.csv").open()))
    for row in rows:
        for number, tick in enumerate(ticks.get(row["student"], ()), 1):
            row[f"question {number}"] = tick
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0], delimiter=";")  # as some spreadsheets save it
        table.writeheader()
        table.writerows(rows)
    return path


def test_the_ticks_come_into_the_report_and_the_gradebook(graded, written, tmp_path):
    keys = {one: [each["right"] for each in kept(graded, one).asked] for one in ("ada", "ben")}
    wrong = "b" if keys["ben"][0] == "a" else "a"
    path = filled_in(
        written, tmp_path / "ticks.csv", ada=keys["ada"], ben=[wrong, "", keys["ben"][2].upper()]
    )
    before = marks(graded)
    said = typed(graded, "--ticks", str(path))
    assert "ada: 3 of 3" in said and "ben: 1 of 3" in said and "nothing is ticked for dan" in said
    after = marks(graded)
    assert after["ada"] - before["ada"] == 4
    assert after["ben"] - before["ben"] == pytest.approx(4 / 3)
    assert after["dan"] == before["dan"]
    report = reports.of(graded, small.ASSIGNMENT, names=True)
    assert [(one.student, one.right, one.asked) for one in report.defended] == [
        ("ada", 3, 3),
        ("ben", 1, 3),
    ]
    assert "1 of 3 right about quantize" in page.page(report)


def marks(course):
    with record.gradebook(course) as book:
        return {one.student.id: one.score for one in book.assignment_submissions(small.ASSIGNMENT)}


def test_ticks_of_other_pages_are_refused(graded, written, tmp_path):
    path = filled_in(written, tmp_path / "ticks.csv", ada=["a", "a", "a"])
    other = tmp_path / "other.csv"
    other.write_text(path.read_text().replace(kept(graded, "ada").page, "p000000"))
    for file, why in ((other, "other pages"), (wrong_letter(path), "'x' is no option")):
        line = ["defend", small.ASSIGNMENT, "--course", str(graded.root), "--ticks", str(file)]
        done = CliRunner().invoke(app, line)
        assert done.exit_code == 2 and why in done.output


def wrong_letter(path):
    path.write_text(path.read_text().replace(";a;a;a", ";a;x;a"))
    return path


def test_the_same_seed_gives_the_same_pages_and_another_one_others(graded, written, tmp_path):
    before = (written[1] / "sheets.html").read_bytes()
    sheet = kept(graded, "ada")
    path = graded.private("defend", small.ASSIGNMENT, "ada") / "quantize.json"
    path.unlink()
    typed(graded, "--student", "ada", "--out", str(tmp_path))
    assert kept(graded, "ada") == sheet
    typed(graded, "--out", str(tmp_path))
    assert (tmp_path / "sheets.html").read_bytes() == before


def test_nothing_runs_again_that_is_kept(graded, written, tmp_path, monkeypatch):
    monkeypatch.setattr("nbjudge.boxes.run", None)
    typed(graded, "--out", str(tmp_path))


@pytest.mark.slow  # it needs Chromium
def test_the_pages_are_printed_as_a_pdf(graded, written, tmp_path):
    said = typed(graded, "--pdf", "--out", str(tmp_path))
    data = (tmp_path / "sheets.pdf").read_bytes()
    assert data.startswith(b"%PDF") and data.rstrip().endswith(b"%%EOF")
    assert "sheets.pdf" in said and (tmp_path / "sheets.pdf").stat().st_mode & 0o077 == 0
    # At least one printed page for each student.
    assert len(re.findall(rb"/Type ?/Page\b", data)) >= len(pages(tmp_path)) == 3


def test_without_chromium_it_says_what_to_type_before_anything_runs(graded, tmp_path, monkeypatch):
    monkeypatch.setattr(printed, "BROWSERS", ("no-such-browser",))
    line = ["defend", small.ASSIGNMENT, "--course", str(graded.root), "--pdf"]
    done = CliRunner().invoke(app, [*line, "--out", str(tmp_path)])
    assert done.exit_code == 2 and "apt-get install chromium" in done.output
    assert not list(tmp_path.iterdir())


def test_what_is_not_graded_is_refused(graded):
    line = ["defend", "nothing", "--course", str(graded.root)]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 2 and "course grade" in done.output
