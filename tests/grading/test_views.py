"""What people see while a class is graded, and the class's points when it is over."""

import io

import pytest
from rich.console import Console

from nbjudge.course import live
from nbjudge.grading.marks.results import CellResult, NotebookResult, SubmissionResult
from nbjudge.grading.notebook.rebuild import PUT_BACK
from nbjudge.grading.run import coordinator, table


def result(student, score, most=8.0):
    return SubmissionResult(
        student,
        most,
        notebooks={"a": NotebookResult("graded")},
        cells={"a/b": CellResult("graded", score, most)},
    )


def test_points_of_a_class_are_counted_by_tenths():
    report = coordinator.Report(
        "day",
        "0",
        [
            result(str(number), score)
            for number, score in enumerate([0.0, 0.79, 0.8, 4.0, 8.0, 8.0])
        ],
    )
    head, *rows = table.histogram(report)
    assert head == "points of 6 submissions"
    counts = {row.split("%")[0].strip(): row.split()[-1] for row in rows if "#" in row}
    assert counts == {"0 to  10": "2", "10 to  20": "1", "50 to  60": "1", "90 to 100": "2"}
    assert [len(row) - len(row.lstrip()) for row in rows] == [2, *[1] * 9] and len(rows) == 10


def test_a_bar_is_no_wider_than_the_terminal_however_large_the_class():
    report = coordinator.Report(
        "day", "0", [result(str(number), 8.0 * (number > 1)) for number in range(1000)]
    )
    _, first, *_, last = table.histogram(report)
    assert last.count("#") == table.WIDEST and first.count("#") == 1 and last.split()[-1] == "998"


def test_what_was_passed_over_is_named_and_bounded():
    found = ["ben/Day\x1b[2J", *(f"{number:02}.zip" for number in range(30))]
    screen = io.StringIO()
    report = coordinator.Report("day", "0", [result("ada", 8.0)], passed_over=found)
    table.show(report, Console(file=screen, width=2000))
    (line,) = (line for line in screen.getvalue().splitlines() if "passed over" in line)
    assert "no STUDENT/day: ben/Day\\x1b[2J, 00.zip" in line
    assert line.rstrip().endswith("18.zip and 11 more") and "\x1b" not in line


@pytest.mark.parametrize("width", [60, 100])
def test_the_parts_of_a_large_class_are_one_table(width):
    """Rows are laid out some at a time; the longest name is in the last part."""
    students = [f"{number:03}" for number in range(2 * table.AT_ONCE)] + ["zoe-longest"]
    screen = io.StringIO()
    report = coordinator.Report("day", "0", [result(student, 8.0) for student in students])
    table.show(report, Console(file=screen, width=width))
    head, line, *rows = screen.getvalue().splitlines()[1:]
    assert screen.getvalue().count("student") == 1 and set(line) == {"─"}
    assert {len(row) for row in [head, line, *rows[: len(students)]]} == {len(line)}
    assert [row.split()[0] for row in rows[: len(students)]] == students
    assert {row.index("8 / 8") for row in rows[: len(students)]} == {head.index("score")}


def test_one_submission_is_no_class_and_what_was_not_graded_does_not_count():
    faulty = SubmissionResult("bob", 8.0, fault="the disk is full")
    assert table.histogram(coordinator.Report("day", "0", [result("ada", 8.0), faulty])) == []


def test_the_live_view_names_each_running_submission_with_its_notebook_and_seconds():
    screen = io.StringIO()
    view = live._View(Console(file=io.StringIO()))
    view.watch("start", 3, None)
    view.watch("running", 2, {"ada": (12.2, "dropout"), "bob": (40.0, "")})
    Console(file=screen, width=100).print(view)
    lines = [line.split() for line in screen.getvalue().splitlines()]
    assert lines[-2:] == [["bob", "40", "s"], ["ada", "dropout", "12", "s"]]


def test_a_cell_that_is_only_missing_is_told_apart_from_one_that_was_edited():
    missing, edited = "a: check-dropout: " + PUT_BACK, "a: check-dropout: the given cell was edited"
    ada, bob, eve = result("ada", 8.0), result("bob", 8.0), result("eve", 8.0)
    ada.tampered, bob.tampered = [missing], [missing, edited]
    changed, put_back = table.flagged(coordinator.Report("day", "0", [ada, bob, eve]))
    assert "changed" in changed and "bob" in changed and "ada" not in changed
    assert "missing" in put_back and "ada" in put_back and "bob" not in put_back
    eve.tampered = ["timestamp.txt: it gives a time in the future"]
    (odd,) = table.flagged(coordinator.Report("day", "0", [eve]))
    assert "given cells" not in odd and "eve" in odd
