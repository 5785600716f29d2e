"""Each student's time, out of a platform's file: used as it stands there, or named."""

import json
import zipfile
from datetime import UTC, datetime

import pytest
from babel.dates import format_datetime
from hypothesis import given
from hypothesis import strategies as st

from nbjudge.course import received
from nbjudge.course.identity import Unclear
from nbjudge.course.roster import Person, Roster, RosterError
from nbjudge.grading.intake import times

BOOK = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}).encode()
WORKSHEET = """Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,\
Last modified (submission),Last modified (grade),Feedback comments
Participant 101,Ada Lovelace,ada@x,Submitted for grading,,22,Yes,"Friday, 2 January 2026, 6:00 PM",-,
Participant 102,Ben Böhm,ben@x,Submitted for grading - 2 hours late,,22,Yes,\
"Friday, 2 January 2026, 8:00 PM",-,
Participant 103,Cleo Chen,cleo@x,No submission,,22,Yes,-,-,
"""


@pytest.fixture
def world(course, enrol, typed, tmp_path):
    """Three students, a Moodle download of all, and the worksheet; gives the command."""
    enrol(
        ada={"lms_user_id": "101", "first_name": "Ada", "last_name": "Lovelace"},
        ben={"lms_user_id": "102", "first_name": "Ben", "last_name": "Böhm"},
        cleo={"lms_user_id": "103", "first_name": "Cleo", "last_name": "Chen"},
    )
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as file:
        for name in ("Ada Lovelace_101", "Ben Böhm_102", "Cleo Chen_103"):
            file.writestr(f"{name}_assignsubmission_file_/dropout.ipynb", BOOK)
    (tmp_path / "w.csv").write_text(WORKSHEET, encoding="utf-8-sig")

    def collect(*more):
        words = ["--zip", "all.zip", "--from", "moodle", *more]
        return typed("collect", "day-50", "--course", course.root, *words)

    return collect


def when(course, student):
    path = course.submitted / student / "day-50" / times.FILE
    return times.shown(times.parsed(path.read_text())) if path.exists() else None


def test_moodle_s_worksheet_gives_each_student_s_time(course, world):
    done = world("--received", "w.csv", "--zone", "Europe/Berlin")
    assert when(course, "ada") == "2026-01-02 17:00:00 UTC"
    assert when(course, "ben") == "2026-01-02 19:00:00 UTC"
    assert "ada: collected, time 2026-01-02 17:00:00 UTC (by w.csv)" in done.stdout
    assert done.exit_code == 2 and when(course, "cleo") is None
    assert "Cleo Chen (103): w.csv has no line with a time for cleo" in done.stderr


def test_a_time_without_a_zone_is_asked_for(course, world):
    done = world("--received", "w.csv")
    assert done.exit_code == 2 and "--zone Europe/Berlin" in done.stderr
    assert done.stderr.count("\n") == 1 and not list(course.submitted.glob("*/day-50"))
    assert "is no time zone" in world("--received", "w.csv", "--zone", "Mars/Base").stderr


def test_a_time_that_is_given_later_takes_the_place_of_the_moment_of_collecting(course, world):
    assert world().exit_code == 0
    first = when(course, "ada")
    done = world("--received", "w.csv", "--zone", "UTC")
    assert when(course, "ada") == "2026-01-02 18:00:00 UTC"
    assert (
        f"ada: the time is 2026-01-02 18:00:00 UTC now (by w.csv), and was {first}" in done.stdout
    )
    assert world().exit_code == 0 and when(course, "ada") == "2026-01-02 18:00:00 UTC"


CLASS = Roster(
    {
        "ada": Person("ada", "Ada", last_name="Lovelace", email="Ada@x", lms_user_id="101"),
        "ben": Person("ben"),
    }
)


def read(tmp_path, text, zone=UTC, roster=CLASS):
    path = tmp_path / "t.csv"
    path.write_text(text)
    return received.read(path, roster, zone)


@pytest.mark.parametrize(
    "row",
    [
        "student,received\nada,{}\n",
        "Identifier;Last modified (submission)\nParticipant 101;{}\n",
        "email\tsubmitted_at\nada@X\t{}\n",
        "E-Mail-Adresse;Zuletzt geändert (Abgabe)\nada@x;{}\n",
    ],
)
@pytest.mark.parametrize("time", ["2026-01-02 12:00", "2026-01-02T12:00:00Z", "2.1.2026 12:00"])
def test_a_row_is_a_student_s_by_id_number_or_address(tmp_path, row, time):
    assert read(tmp_path, row.format(time)).of("ada") == datetime(2026, 1, 2, 12)


@pytest.mark.parametrize(
    ("time", "said"),
    [
        ("01/02/2026 10:00", "no time that can be read"),
        ("yesterday", "no time that can be read"),
        ("2026-01-02", "is a day, and no time"),
        ("2026-13-01 10:00", "no time that can be read"),
        ('"Saturday, 2 January 2026, 6:00 PM"', "no time that can be read"),
        ('"Friday, 2 Foober 2026, 6:00 PM"', "no time that can be read"),
        ("2099-01-01 10:00", "lies in the future"),
        ("0001-01-01T00:00:00+01:00", "is no time at which anybody handed in"),
        ("9999-12-31T23:59:59-01:00", "is no time at which anybody handed in"),
        ("1970-01-01T00:00:00Z", "is no time at which anybody handed in"),
        ("", "no line with a time"),
    ],
)
def test_what_is_no_time_is_named_and_never_another_s(tmp_path, time, said):
    found = read(tmp_path, f"student,received\nben,2026-01-02 12:00\nada,{time}\n")
    assert found.of("ben") == datetime(2026, 1, 2, 12)
    with pytest.raises(Unclear, match=said) as problem:
        found.of("ada")
    assert "--received TIME" in str(problem.value)


def test_two_times_of_one_student_are_none(tmp_path):
    text = "student,received\nada,2026-01-02 12:00\nada,2026-01-02 13:00\n"
    with pytest.raises(Unclear, match="another time than a line before"):
        read(tmp_path, text).of("ada")


@pytest.mark.parametrize(
    "text", ["", "student\nada\n", "received\n2026-01-01 10:00\n", "a,b\n1,2\n"]
)
def test_a_file_that_is_none_of_times_is_refused(tmp_path, text):
    with pytest.raises(RosterError, match="the first line must name a column `received`"):
        read(tmp_path, text)


def test_of_an_hour_that_comes_twice_the_first_counts(tmp_path):
    zone = received.zone_of("Europe/Berlin")
    found = read(tmp_path, "student,received\nada,2025-10-26 02:30\n", zone)
    assert found.of("ada") == datetime(2025, 10, 26, 0, 30)


# As Moodle's language packs write a day and a time.
SENTENCES = {
    "en": "EEEE, d MMMM yyyy, h:mm a",
    "en_US": "EEEE, MMMM d, yyyy, h:mm a",
    "de": "EEEE, d. MMMM yyyy, HH:mm",
    "fr": "EEEE d MMMM yyyy, HH:mm",
    "es": "EEEE, d 'de' MMMM 'de' yyyy, HH:mm",
    "it": "EEEE, d MMMM yyyy, HH:mm",
    "nl": "EEEE, d MMMM yyyy, HH:mm",
    "pl": "EEEE, d MMMM yyyy, HH:mm",
    "pt": "EEEE, d 'de' MMMM 'de' yyyy 'às' HH:mm",
    "sv": "EEEE, d MMMM yyyy, HH:mm",
    "ru": "EEEE, d MMMM yyyy, HH:mm",
    "cs": "EEEE, d. MMMM yyyy, HH.mm",
}


@given(
    st.sampled_from(sorted(SENTENCES)),
    st.datetimes(datetime(2020, 1, 1), datetime(2026, 6, 1)).map(
        lambda when: when.replace(second=0, microsecond=0)
    ),
)
def test_a_sentence_is_its_time_in_any_of_these_languages(language, when):
    text = format_datetime(when, SENTENCES[language], locale=language)
    assert received.parsed(text) == when


@given(st.text(max_size=40))
def test_whatever_stands_there_is_a_time_or_named(text):
    try:
        assert isinstance(received.parsed(text), datetime)
    except Unclear as problem:
        assert str(problem).isprintable()
