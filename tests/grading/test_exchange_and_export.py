"""Handing in, collecting, exporting: nothing is followed, nothing unpacked in the open, nothing
runs in a spreadsheet.
"""

import codecs
import csv
import json
import os
import shutil
import zipfile

import pytest
from nbgrader.api import Gradebook

from nbjudge.course import archives, exchange, roster, submitting, uploads
from nbjudge.course.enrolment import enrol
from nbjudge.course.export import export, sanitized
from nbjudge.grading.config.folders import COURSE_ID, Course
from nbjudge.grading.intake import intake

NOTEBOOK = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []})


@pytest.fixture
def course(tmp_path, empty_gradebook):
    course = Course.at(tmp_path / "course")
    course.root.mkdir()
    shutil.copy(empty_gradebook, course.gradebook)
    return course


@pytest.fixture
def lab(tmp_path):
    folder = tmp_path / "work" / "day-50"
    folder.mkdir(parents=True)
    (folder / "dropout.ipynb").write_text(NOTEBOOK)
    return folder


def test_a_lab_goes_through_the_exchange_and_comes_out_as_a_submission(course, lab):
    outbound = course.exchange / COURSE_ID / "outbound" / "day-50"
    inbound = course.exchange / COURSE_ID / "inbound"
    for folder in (outbound, inbound):
        folder.mkdir(parents=True)
    submitting.submit(lab, course.exchange)
    (student,) = exchange.collect_from_exchange(course, "day-50").students
    assert intake.take(course.submitted, student, "day-50").notebooks == {
        "dropout": NOTEBOOK.encode()
    }


def test_a_link_in_the_exchange_is_not_followed(course, lab, tmp_path):
    secret = tmp_path / "solution.ipynb"
    secret.write_text("the instructor's")
    inbound = course.exchange / COURSE_ID / "inbound" / "eve+day-50+2026-11-21 08:00:00 UTC+x"
    inbound.mkdir(parents=True)
    (inbound / "dropout.ipynb").symlink_to(secret)
    os.mkfifo(inbound / "pipe")
    (inbound / "timestamp.txt").write_text("2026-11-21 08:00:00 UTC")  # nbgrader writes it last
    exchange.collect_from_exchange(course, "day-50")
    submission = intake.take(course.submitted, "eve", "day-50")
    assert submission.notebooks == {} and "link" in submission.refused["dropout"]


def collected(course, *zips):
    known, options = roster.of_course(course), uploads.Options()
    return archives.collect_archives(course, known, "day-50", zips, options)


def test_a_zip_file_goes_the_same_way(course, lab, tmp_path):
    archive = submitting.pack(lab, tmp_path / "ada_day-50.zip")
    assert collected(course, archive).students == ["ada"]
    submission = intake.take(course.submitted, "ada", "day-50")
    assert submission.notebooks == {"dropout": NOTEBOOK.encode()} and submission.timestamp.endswith(
        "UTC"
    )


def test_hostile_archives_are_refused_by_name_and_the_others_taken(course, lab, tmp_path):
    good = submitting.pack(lab, tmp_path / "ada.zip")
    bomb, outside, broken = tmp_path / "bob.zip", tmp_path / "eve.zip", tmp_path / "gus.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("dropout.ipynb", b"\0" * (200 << 20))
    with zipfile.ZipFile(outside, "w") as archive:
        archive.writestr("../../../escaped.ipynb", NOTEBOOK)
    broken.write_bytes(good.read_bytes()[:40])
    done = collected(course, good, bomb, outside, broken)
    assert done.students == ["ada"]
    assert [line.partition(":")[0] for line in done.refused] == ["bob.zip", "eve.zip", "gus.zip"]
    assert not any(tmp_path.rglob("escaped.ipynb"))
    assert intake.take(course.submitted, "ada", "day-50").notebooks == {
        "dropout": NOTEBOOK.encode()
    }


def test_a_folder_without_notebooks_is_refused(tmp_path):
    with pytest.raises(exchange.ExchangeProblem, match="no notebook"):
        submitting.pack(tmp_path, tmp_path / "x.zip")


@pytest.mark.parametrize("to", ["csv", "canvas", "moodle"])
def test_names_that_look_like_formulas_stay_text(course, tmp_path, to):
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        book.add_assignment("day-50")
        book.add_student(
            "eve",
            first_name='=HYPERLINK("http://example.org")',
            last_name='+1, "quoted"',
            email="@eve",
        )
        book.add_student("ada")
    assert export(course, to, tmp_path / "grades.csv") >= 2
    rows = list(csv.reader((tmp_path / "grades.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert len({len(row) for row in rows}) == 1
    assert not any(cell.startswith(("=", "+", "@", "-")) for row in rows for cell in row)


@pytest.mark.parametrize(
    "text",
    ["=1+1", " =1+1", "\t=1+1", "\r=1", "\n@x", "\u00a0+1", "\x1b=1", "\uff1d1", "\tx", " -2"],
)
def test_a_formula_behind_whatever_a_spreadsheet_skips_stays_text(text):
    assert sanitized(text).startswith("'")
    assert sanitized("    Points Possible") == "    Points Possible" and sanitized(-1.5) == -1.5


PARTS = {
    "dropout": {"check-a": (2.0, 4.0), "check-b": (1.5, 2.0)},
    "inspect": {"check-c": (4.0, 4.0)},
}


@pytest.fixture
def marked(course):
    """Ada handed in late and lost one point; Ben handed in nothing."""
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        book.add_assignment("day-50")
        for name, cells in PARTS.items():
            book.add_notebook(name, "day-50")
            for cell, (_, most) in cells.items():
                book.add_grade_cell(cell, name, "day-50", max_score=most, cell_type="code")
        book.add_student(
            "ada",
            first_name="Ada",
            last_name="Lovelace",
            email="ada@example.org",
            lms_user_id="4711",
        )
        book.add_student("ben")
        submission = book.add_submission("day-50", "ada")
        for notebook in submission.notebooks:
            for grade in notebook.grades:
                grade.auto_score = PARTS[notebook.name][grade.name][0]
            notebook.late_submission_penalty = 0.5
        book.db.commit()
    return course


def exported(course, to, by, tmp_path):
    export(course, to, tmp_path / "grades.csv", by)
    return list(
        csv.DictReader((tmp_path / "grades.csv").read_text(encoding="utf-8-sig").splitlines())
    )


def test_canvas_gets_its_own_id_and_columns_that_add_up_to_the_mark(marked, tmp_path):
    for by, parts in (
        ("assignment", {"day-50": "6.5"}),
        (
            "notebook",
            {"day-50/dropout": "3.5", "day-50/inspect": "4.0", "day-50/late penalty": "-1.0"},
        ),
        (
            "question",
            {
                "day-50/dropout/check-a": "2.0",
                "day-50/dropout/check-b": "1.5",
                "day-50/inspect/check-c": "4.0",
            },
        ),
    ):
        limits, ada, ben = exported(marked, "canvas", by, tmp_path)
        assert (ada["Student"], ada["ID"], ada["SIS User ID"]) == ("Lovelace, Ada", "4711", "")
        assert ada["SIS Login ID"] == "ada"
        assert {name: ada[name] for name in parts} == parts
        columns = [name for name in ada if name.startswith("day-50")]
        assert (
            sum(float(ada[name]) for name in columns) == 6.5
            and sum(float(limits[name]) for name in columns) == 10.0
        )
        assert all(ben[name] == "" for name in columns)


ROSTERS = {
    "canvas": (
        'Student,ID,SIS User ID,SIS Login ID,Section\n"Lovelace, Ada",4711,1001,ada,ML A and B\n',
        {"ID": "4711", "SIS User ID": "1001", "SIS Login ID": "ada", "Section": "ML A and B"},
    ),
    "csv": (
        "OrgDefinedId,Username,Email\n#17,#ada,a@b.de\n#18,#ben,b@b.de\n",
        {"student_id": "#ada"},
    ),
}


@pytest.mark.parametrize("to", ROSTERS)
def test_what_the_platform_called_a_student_comes_back(marked, to, tmp_path):
    text, wanted = ROSTERS[to]
    (tmp_path / "class.csv").write_text(text)
    done = enrol(marked, tmp_path / "class.csv")
    assert not done.refused and {one.person.id for one in done.members} == {"ada", "ben"}
    rows = exported(marked, to, "assignment", tmp_path)
    [ada] = [row for row in rows if row.items() >= wanted.items()]
    assert "6.5" in ada.values()


def test_csv_and_moodle_have_the_same_numbers(marked, tmp_path):
    ada, ben = exported(marked, "csv", "question", tmp_path)
    assert (ada["score"], ada["late_penalty"], ada["max_score"], ada["dropout/check-b"]) == (
        "6.5",
        "1.0",
        "10.0",
        "1.5",
    )
    assert ben["score"] == "" and ben["dropout/check-b"] == ""
    ada, _ = exported(marked, "moodle", "notebook", tmp_path)
    assert (ada["Username"], ada["Email address"], ada["day-50/inspect"]) == (
        "ada",
        "ada@example.org",
        "4.0",
    )


@pytest.mark.parametrize("to", ["csv", "canvas", "moodle"])
def test_names_are_whole_in_a_spreadsheet_and_for_our_own_reader(marked, tmp_path, to):
    """Excel takes UTF-8 for another encoding where no byte order mark says what it is."""
    with Gradebook(marked.gradebook_url, COURSE_ID) as book:
        book.add_student("zoë", first_name="Zoë", last_name="李雷", email="zoe@example.org")
    export(marked, to, tmp_path / "grades.csv")
    data = (tmp_path / "grades.csv").read_bytes()
    assert data.startswith(codecs.BOM_UTF8) and data.count(codecs.BOM_UTF8) == 1
    people = roster.with_csv(roster.Roster({}), tmp_path / "grades.csv").people
    assert people.keys() == {"ada", "ben", "zoë"}
    assert to == "moodle" or "李雷" in data.decode("utf-8-sig")


def test_a_penalty_never_takes_more_than_there_is(marked, tmp_path):
    with Gradebook(marked.gradebook_url, COURSE_ID) as book:
        for notebook in book.find_submission("day-50", "ada").notebooks:
            notebook.late_submission_penalty = 50.0
        book.db.commit()
    ada, _ = exported(marked, "csv", "notebook", tmp_path)
    assert (ada["score"], ada["late_penalty"]) == ("0.0", "7.5")
