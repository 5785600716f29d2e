"""Handing in, collecting, exporting: nothing is followed, nothing unpacked in the open, nothing runs in a spreadsheet."""

import csv
import json
import os
import zipfile

import pytest
from nbgrader.api import Gradebook

from autograder.course import exchange
from autograder.course.export import export
from autograder.grading import intake
from autograder.grading.folders import COURSE_ID, Course

NOTEBOOK = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []})


@pytest.fixture
def course(tmp_path):
    course = Course.at(tmp_path / "course")
    course.root.mkdir()
    with Gradebook(course.gradebook_url, COURSE_ID):
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
    exchange.submit(lab, course.exchange)
    (student,) = exchange.collect(course, "day-50")
    assert intake.take(course.submitted, student, "day-50").notebooks == {"dropout": NOTEBOOK.encode()}


def test_a_link_in_the_exchange_is_not_followed(course, lab, tmp_path):
    secret = tmp_path / "solution.ipynb"
    secret.write_text("the instructor's")
    inbound = course.exchange / COURSE_ID / "inbound" / "eve+day-50+2026-11-21 08:00:00 UTC+x"
    inbound.mkdir(parents=True)
    (inbound / "dropout.ipynb").symlink_to(secret)
    os.mkfifo(inbound / "pipe")
    exchange.collect(course, "day-50")
    submission = intake.take(course.submitted, "eve", "day-50")
    assert submission.notebooks == {} and "link" in submission.refused["dropout"]


def test_a_zip_file_goes_the_same_way(course, lab, tmp_path):
    archive = exchange.pack(lab, tmp_path / "ada_day-50.zip")
    assert exchange.collect_archives(course, "day-50", [archive]) == ["ada"]
    submission = intake.take(course.submitted, "ada", "day-50")
    assert submission.notebooks == {"dropout": NOTEBOOK.encode()} and submission.timestamp.endswith("UTC")


def test_hostile_archives_are_refused_by_name_and_the_others_taken(course, lab, tmp_path):
    good = exchange.pack(lab, tmp_path / "ada.zip")
    bomb, outside, broken = tmp_path / "bob.zip", tmp_path / "eve.zip", tmp_path / "gus.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("dropout.ipynb", b"\0" * (200 << 20))
    with zipfile.ZipFile(outside, "w") as archive:
        archive.writestr("../../../escaped.ipynb", NOTEBOOK)
    broken.write_bytes(good.read_bytes()[:40])
    with pytest.raises(exchange.ExchangeProblem, match=r"took 1 of 4.*bob\.zip.*eve\.zip.*gus\.zip"):
        exchange.collect_archives(course, "day-50", [good, bomb, outside, broken])
    assert not any(tmp_path.rglob("escaped.ipynb"))
    assert intake.take(course.submitted, "ada", "day-50").notebooks == {"dropout": NOTEBOOK.encode()}


def test_a_folder_without_notebooks_is_refused(tmp_path):
    with pytest.raises(exchange.ExchangeProblem, match="no notebook"):
        exchange.pack(tmp_path, tmp_path / "x.zip")


@pytest.mark.parametrize("to", ["csv", "canvas", "moodle"])
def test_names_that_look_like_formulas_stay_text(course, tmp_path, to):
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        book.add_assignment("day-50")
        book.add_student("eve", first_name='=HYPERLINK("http://example.org")', last_name='+1, "quoted"', email="@eve")
        book.add_student("ada")
    assert export(course, to, tmp_path / "grades.csv") >= 2
    rows = list(csv.reader((tmp_path / "grades.csv").read_text(encoding="utf-8").splitlines()))
    assert len({len(row) for row in rows}) == 1
    assert not any(cell.startswith(("=", "+", "@", "-")) for row in rows for cell in row)
