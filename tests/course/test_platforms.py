"""Downloads of Moodle and Canvas, as their sources name what is in them: every member is taken for
its student, or named with what to do.
"""

import json
import zipfile

import pytest

from nbjudge.course import platforms
from nbjudge.grading.intake import times

BOOK = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}).encode()
ADA = {"lms_user_id": "101", "first_name": "Ada", "last_name": "Lovelace"}
BEN = {"lms_user_id": "102", "first_name": "Ben", "last_name": "Böhm"}
EVE = {"lms_user_id": "105", "first_name": "Eve", "last_name": "Extra"}


@pytest.fixture
def download(course, typed, tmp_path):
    """Collect a download of these names: `download("moodle", "Ada_101_…/p1.ipynb")`."""

    def run(platform, *names, more=(), **contents):
        with zipfile.ZipFile(tmp_path / "all.zip", "w") as file:
            for name in names:
                file.writestr(name, contents.get(name, BOOK))
        words = ["--zip", "all.zip", "--from", platform, *more]
        return typed("collect", "day-50", "--course", course.root, *words)

    return run


def there(course):
    return {
        path.parent.parent.name: path.parent
        for path in course.submitted.glob("*/day-50/timestamp.txt")
    }


@pytest.mark.parametrize(
    "place",
    [
        "Ada Lovelace_101_assignsubmission_file_/dropout.ipynb",
        "Ada Lovelace_101_assignsubmission_file/dropout.ipynb",
        "Ada Lovelace_101_assignsubmission_file_dropout.ipynb",
        "Ada Lovelace_101_assignsubmission_file/day-50/dropout.ipynb",
        "Lovelace Ada_101_assignsubmission_file_/dropout.ipynb.txt",
        "Participant_101_assignsubmission_file_/dropout.ipynb",
        "Teilnehmerin_101_assignsubmission_file_dropout.ipynb",
    ],
)
def test_moodle_s_folders_and_flat_names_are_the_student_s(course, enrol, download, place):
    enrol(ada=ADA)
    done = download("moodle", place)
    assert done.exit_code == 0 and set(there(course)) == {"ada"}, done.stderr


def test_moodle_s_word_for_a_participant_need_not_be_known(course, enrol, download):
    enrol(ada=ADA, ben=BEN)
    places = [f"Kisanii_{number}_assignsubmission_file_/dropout.ipynb" for number in (101, 102)]
    done = download("moodle", *places)
    assert done.exit_code == 0 and set(there(course)) == {"ada", "ben"}, done.stderr


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("Team Blue_101_assignsubmission_file_/dropout.ipynb", "may be a team"),
        ("Ada's group_101_assignsubmission_file_/dropout.ipynb", "may be a team"),
        ("Default group_assignsubmission_file_/dropout.ipynb", "a team's work has no student"),
        ("Ada Lovelace_101_assignsubmission_onlinetext_/onlinetext.html", "an online text is no"),
        ("Ada Lovelace_101_assignsubmission_onlinetext_onlinetext.html", "an online text is no"),
        ("Ada Lovelace_101_assignsubmission_comments_/x.html", "what Moodle calls comments"),
        ("grades.csv", "none that Moodle gives"),
        ("Ada Lovelace_101_assignsubmission_file_/essay.docx", "no notebook, but essay.docx"),
    ],
)
@pytest.mark.parametrize("with_names", [True, False])
def test_what_moodle_s_download_holds_else_is_named(
    course, enrol, download, place, said, with_names
):
    enrol(ada=ADA if with_names else {"lms_user_id": "101"}, ben=BEN)
    done = download("moodle", "Ben Böhm_102_assignsubmission_file_/dropout.ipynb", place)
    assert done.exit_code == 2 and set(there(course)) == {"ben"}
    (line,) = done.stderr.splitlines()
    assert said in line and line.startswith("course: not taken: all.zip, ")


def test_a_team_s_number_never_takes_a_student_s_place(course, enrol, download):
    enrol(ada={"lms_user_id": "101"})
    download("moodle", "Ada_101_assignsubmission_file_/dropout.ipynb")
    before = (there(course)["ada"] / "dropout.ipynb").read_bytes()
    team = "Team Blue_101_assignsubmission_file_/dropout.ipynb"
    done = download("moodle", team, **{team: BOOK + b" "})
    assert done.exit_code == 2 and "may be a team" in done.stderr
    assert (there(course)["ada"] / "dropout.ipynb").read_bytes() == before


@pytest.mark.parametrize(
    "place",
    [
        "lovelaceada_101_9001_dropout.ipynb",
        "lovelaceada_LATE_101_9001_dropout-1.ipynb",
        "lovelaceada_101_9001_01_dropout.ipynb.txt",
        "lovelaceada_101_9001_dropout.ipynb.json",
        "love_lace_ada_101_9001_DROPOUT.IPYNB",
    ],
)
def test_canvas_s_names_are_the_student_s(course, enrol, download, place):
    enrol(ada=ADA, ben=BEN)
    done = download("canvas", place)
    assert done.exit_code == 0 and set(there(course)) == {"ada"}, done.stderr


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("anon_3fXq2_9005_dropout.ipynb", "anon_3fXq2: Canvas wrote this download while grading"),
        ("LATE_anon_3fXq2_9005_dropout.ipynb", "anon_3fXq2: Canvas wrote"),
        ("anon_3fXq2_text.html", "anon_3fXq2: Canvas wrote"),
        ("lovelaceada_101_text.html", "lovelaceada (101): a text typed into Canvas"),
        ("lovelaceada_LATE_101_link.html", "lovelaceada (101): a link typed into Canvas"),
        ("readme.txt", "readme.txt: its name is none that Canvas gives"),
        ("__MACOSX_readme", "its name is none that Canvas gives"),
    ],
)
def test_what_canvas_s_download_holds_else_is_named(course, enrol, download, place, said):
    enrol(ada=ADA, ben=BEN)
    done = download("canvas", "böhmben_102_9003_dropout.ipynb", place)
    assert done.exit_code == 2 and set(there(course)) == {"ben"}
    (line,) = done.stderr.splitlines()
    assert said in line


@pytest.mark.parametrize("with_names", [True, False])
def test_nobody_calls_himself_so_that_canvas_s_name_is_another_student_s(
    course, enrol, download, with_names
):
    """Eve's name in Canvas is `Lovelaceada_101`, and Canvas puts her own number behind it."""
    enrol(ada=ADA if with_names else {"lms_user_id": "101"}, eve={"lms_user_id": "105"})
    done = download("canvas", "lovelaceada_x_101_105_9001_dropout.ipynb")
    assert done.exit_code == 2 and there(course) == {} and done.stderr.count("\n") == 1


def test_a_number_that_comes_with_two_names_is_nobody_s(course, enrol, download):
    enrol(ada=ADA)
    done = download("canvas", "lovelaceada_101_1_dropout.ipynb", "adalovelace_101_2_x.ipynb")
    assert done.exit_code == 2 and there(course) == {}
    assert done.stderr.count("comes with several names") == 2


@pytest.fixture
def due(course):
    from nbgrader.api import Gradebook

    from nbjudge.grading.config.folders import COURSE_ID

    def set_(when):
        with Gradebook(course.gradebook_url, COURSE_ID) as book:
            book.update_or_create_assignment("day-50", duedate=when)

    return set_


def when(folder):
    return times.parsed((folder / times.FILE).read_text())


def test_what_canvas_says_of_the_time_is_all_that_counts(course, enrol, download, due):
    enrol(ada=ADA, ben=BEN, eve=EVE)
    due("2026-01-02 12:00:00 UTC")
    names = ["lovelaceada_101_1_dropout.ipynb", "böhmben_LATE_102_2_dropout.ipynb"]
    done = download("canvas", *names)
    assert done.exit_code == 0, done.stderr
    assert times.shown(when(there(course)["ada"])) == "2026-01-02 12:00:00 UTC"
    assert times.shown(when(there(course)["ben"])) == "2026-01-02 12:00:01 UTC"
    assert "ada: collected, time 2026-01-02 12:00:00 UTC (not late, says Canvas" in done.stdout
    assert "ben: Canvas says late, and not when" in done.stdout


def test_an_extension_moves_what_late_means(course, enrol, download, due, typed):
    enrol(ben=BEN)
    due("2026-01-02 12:00:00 UTC")
    typed("extend", "day-50", "ben", "--minutes", "60", "--course", course.root)
    download("canvas", "böhmben_LATE_102_2_dropout.ipynb")
    assert times.shown(when(there(course)["ben"])) == "2026-01-02 13:00:01 UTC"


def test_without_a_due_date_canvas_s_late_is_said(course, enrol, download):
    enrol(ben=BEN)
    before = times.now()
    done = download("canvas", "böhmben_LATE_102_2_dropout.ipynb")
    assert "ben: Canvas says late, and no due date is set" in done.stdout
    assert before <= when(there(course)["ben"]) <= times.now()


def test_a_due_date_that_is_set_afterwards_counts_when_the_same_file_is_collected_again(
    course, enrol, download, due
):
    enrol(ada=ADA)
    done = download("canvas", "lovelaceada_101_1_dropout.ipynb")
    assert "set the date by `course due`, and collect the same file again" in done.stdout
    due("2026-01-02 12:00:00 UTC")
    done = download("canvas", "lovelaceada_101_1_dropout.ipynb")
    assert "ada: the time is 2026-01-02 12:00:00 UTC now (not late, says Canvas" in done.stdout


@pytest.mark.parametrize("platform", platforms.PLATFORMS)
def test_a_download_is_seen_as_one(platform, course, enrol, download, typed, tmp_path):
    enrol(ada=ADA)
    for name in {
        "moodle": ["A_1_assignsubmission_onlinetext_x.html", "A_assignsubmission_file_/x.ipynb"],
        "canvas": ["anon_3fXq2_1_x.ipynb", "a_LATE_1_text.html", "a_LATE_1_2_x.ipynb"],
    }[platform]:
        with zipfile.ZipFile(tmp_path / "x.zip", "w") as file:
            file.writestr(name, BOOK)
        done = typed("collect", "day-50", "--course", course.root, "--zip", "x.zip")
        assert f"add `--from {platform}`" in done.stderr, name
