"""`course due` and `course extend`: dates that an instructor types, on the clocks of the class, kept
as nbgrader keeps them.
"""

import json
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

from nbjudge.course import config, move
from nbjudge.grading.config import zones
from nbjudge.grading.config.folders import COURSE_ID
from nbjudge.grading.gradebook import extensions
from nbjudge.grading.intake import times
from tests.grading import postgres


def duedate(course, assignment="day-50"):
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        return book.find_assignment(assignment).duedate


def zone_is(course, name):
    path = course.root / "nbgrader_config.py"
    path.write_text(f"c.NbGraderAPI.timezone = {name!r}\n")


@pytest.fixture
def due(course, typed):
    def type_(*words):
        return typed("due", *words, "--course", course.root)

    return type_


TYPED = {
    "2026-11-21 18:00": "2026-11-21 18:00",
    "2026-11-21T18:00Z": "2026-11-21 18:00",
    "2026-11-21 18:00 UTC": "2026-11-21 18:00",
    "2026-11-21 18:00 +01:00": "2026-11-21 17:00",
    "2026-11-21 18:00 +0100": "2026-11-21 17:00",
    "2026-11-21 18:00+01": "2026-11-21 17:00",
    "2026-11-21 18:00 -03:30": "2026-11-21 21:30",
    "2026-11-21 18:00 Europe/Berlin": "2026-11-21 17:00",
    "2026-07-21 18:00 europe/berlin": "2026-07-21 16:00",
    "2026-10-25 02:30 +02:00": "2026-10-25 00:30",
    "2026-11-21 18:00:30 Asia/Kathmandu": "2026-11-21 12:15:30",
}


@pytest.mark.parametrize(("text", "meant"), TYPED.items())
def test_a_date_is_kept_as_utc_and_shown_with_its_zone(course, due, text, meant):
    done = due("day-50", text)
    assert done.exit_code == 0, done.output
    assert duedate(course) == datetime.fromisoformat(meant)
    assert f"{meant} UTC" in done.stdout
    assert ("no zone was typed" in done.stdout) == (text == "2026-11-21 18:00")


@pytest.mark.parametrize("words", [["2026-11-21 18:00"], ["2026-11-21", "18:00"]])
def test_without_a_zone_it_is_on_the_clocks_of_the_class(course, due, words, tmp_path):
    zone_is(course, "Europe/Berlin")
    done = due("day-50", *words, "--json", tmp_path / "due.json")
    assert duedate(course) == datetime(2026, 11, 21, 17)
    assert "2026-11-21 18:00 +01:00 (Europe/Berlin)" in done.stdout
    assert "2026-11-21 17:00 UTC" in done.stdout and "no zone was typed" in done.stdout
    (told,) = json.loads((tmp_path / "due.json").read_text())["assignments"]
    assert told["due_utc"] == "2026-11-21 17:00:00"
    # Formgrader shows the same time.
    (course.root / "source" / "day-50").mkdir(parents=True)
    course.exchange.mkdir()
    merged = config.config(course)
    api = NbGraderAPI(CourseDirectory(config=merged), config=merged)
    assert "2026-11-21 18:00:00 CET" in api.get_assignment("day-50")["display_duedate"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-03-29 02:30 Europe/Berlin", "does not exist in Europe/Berlin"),
        ("2026-10-25 02:30 Europe/Berlin", "comes twice in Europe/Berlin"),
        ("2026-11-21 18:00 CET", "is an abbreviation"),
        ("2026-11-21 18:00 Europe/Berlni", "did you mean Europe/Berlin?"),
        ("2026-11-21 18:00 Berlin", "did you mean Europe/Berlin?"),
        ("2026-11-21 18:00 +25:00", "is no offset"),
        ("2026-11-21", "say the hour too"),
        ("2026-11-21 24:00", "24 hours"),
        ("2026-02-30 10:00", "is no time"),
        ("21.11.2026 18:00", "is no time: write it like"),
        ("9999-12-31 23:59 -10:00", "out of reach"),
        ("soon", "is no time"),
    ],
)
def test_a_time_that_is_none_or_two_is_refused_by_name(course, due, text, said):
    due("day-50", "2026-01-01 10:00")
    done = due("day-50", text)
    assert done.exit_code == 2 and said in done.stderr and done.stderr.count("\n") == 1
    assert duedate(course) == datetime(2026, 1, 1, 10)


def test_what_a_refusal_of_an_hour_advises_is_taken(course, due):
    said = due("day-50", "2026-10-25 02:30 Europe/Berlin").stderr
    for part, meant in (("first", "00:30"), ("second", "01:30")):
        typed = said[: said.index(f" for the {part}")].rpartition("write ")[2].rpartition("or ")[2]
        assert due("day-50", typed).exit_code == 0
        assert f"{duedate(course):%H:%M}" == meant


_zone = st.sampled_from(sorted(name for name in available_timezones() if "/" in name))
_time = st.datetimes(datetime(1971, 1, 1), datetime(2090, 1, 1)).map(
    lambda t: t.replace(second=0, microsecond=0)
)


@settings(max_examples=300, deadline=None)
@given(_time, _zone)
def test_a_time_is_the_only_moment_at_which_its_clocks_show_it(when, name):
    zone = ZoneInfo(name)
    text = f"{when:%Y-%m-%d %H:%M} {name}"
    # Every moment at which a clock there could show it, found by looking.
    near = [
        moment
        for hours in range(-15, 15)
        for minutes in (0, 15, 30, 45)
        if (
            (moment := (when + timedelta(hours=hours, minutes=minutes)).replace(tzinfo=UTC))
            .astimezone(zone)
            .replace(tzinfo=None)
            == when
        )
    ]
    try:
        found = zones.utc(text)
    except zones.ZoneError as problem:
        assert len(near) != 1 and ("twice" in str(problem)) == (len(near) > 1), (text, problem)
    else:
        assert found.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None) == when
        assert zones.utc(zones.shown(found, zone).partition(" (")[0]) == found
        assert len(near) < 2


def test_a_date_is_changed_and_removed_with_what_it_was(course, due):
    due("day-50", "2026-11-21 18:00")
    assert "before, it was due at 2026-11-21 18:00 UTC" in due("day-50", "2026-11-22 18:00").stdout
    listed = due().stdout
    assert "2026-11-22 18:00 UTC" in listed and "lab-7-01" in listed and "no due date" in listed
    assert "lab-7-01" not in due("day-50").stdout
    assert "it was 2026-11-22 18:00 UTC" in due("day-50", "--none").stdout
    assert duedate(course) is None
    for words in (("--none",), ("day-50", "2026-11-21 18:00", "--none")):
        assert due(*words).exit_code == 2


def test_an_assignment_that_there_is_not_is_refused_with_the_nearest(course, due):
    for words in (("day50", "2026-11-21 18:00"), ("day50",), ("Day-50", "--none")):
        done = due(*words)
        assert done.exit_code == 2 and "did you mean day-50?" in done.stderr, done.output
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        assert {each.name for each in book.assignments} == {"day-50", "lab-7-01"}


def test_whom_an_extension_concerns_is_shown(course, due, typed, enrol):
    zone_is(course, "Europe/Berlin")
    enrol("ada", "ben", "cy")
    due("day-50", "2099-11-21 18:00")
    for words in (
        ("ada", "--minutes", 60),
        ("ben", "--until", "2099-11-22 18:00"),
        ("cy", "--minutes", 0),
    ):
        done = typed("extend", "day-50", *words, "--course", course.root)
        assert done.exit_code == 0, done.output
    told = due().stdout
    assert "day-50, ada: 60 minutes more, until 2099-11-21 19:00 +01:00 (Europe/Berlin)" in told
    assert "day-50, ben: until 2099-11-22 18:00 +01:00 (Europe/Berlin)" in told
    assert "cy" not in told
    later = due("day-50", "2099-12-01 18:00").stdout
    assert "the extension of ben ends before that date, so it changes nothing" in later


def test_lateness_follows_a_new_date_at_once(course, due, typed, enrol, tmp_path):
    enrol("ada", "ben")
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        for student in ("ada", "ben"):
            book.add_submission("day-50", student, timestamp=datetime(2026, 11, 21, 18))
    typed("extend", "day-50", "ben", "--until", "2026-11-21 19:00 +01:00", "--course", course.root)
    target = tmp_path / "due.json"

    def late(*words):
        assert due("day-50", *words, "--json", target).exit_code == 0
        return json.loads(target.read_text())["assignments"][0]["late"]

    assert late("2026-11-21 17:00") == 1
    assert late("2026-11-21 18:00") == 0
    assert late("--none") == 0


def test_a_plugin_that_fails_leaves_the_date_as_it_was(course, due, enrol):
    enrol("ada")
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        book.find_assignment("day-50")
        book.add_notebook("dropout", "day-50")
        book.add_submission("day-50", "ada", timestamp=datetime(2026, 11, 21, 18))
    (course.root / "failing.py").write_text(
        "from nbgrader.plugins import BasePlugin\nclass P(BasePlugin):\n    def late_submission_penalty(self, *a):\n        1 / 0\n"
    )
    (course.root / "nbgrader_config.py").write_text(
        "c.AssignLatePenalties.plugin_class = 'failing.P'\n"
    )
    try:
        done = due("day-50", "2026-11-21 17:00")
        assert done.exit_code == 2 and "plugin" in done.stderr, done.output
        assert duedate(course) is None
    finally:
        sys.modules.pop("failing", None)


def test_the_clock_of_the_machine_is_named_where_it_differs(course, due, monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        told = due("day-50", "2026-11-21 18:00 Europe/Berlin").stdout
    finally:
        monkeypatch.undo()
        time.tzset()
    assert "on this machine's clock it is 2026-11-21 12:00 -05:00" in told


def test_a_zone_of_the_settings_that_is_none_is_named(course, due):
    zone_is(course, "Europe/Berlni")
    done = due("day-50", "2026-11-21 18:00")
    assert done.exit_code == 2 and "c.NbGraderAPI.timezone" in done.stderr
    assert duedate(course) is None


@pytest.mark.parametrize(
    ("student", "near"), [("adda", "ada"), ("Ada", "ada"), ("nobody", ""), ("be", "ben")]
)
def test_an_extension_for_nobody_is_refused_with_the_nearest_names(
    course, typed, enrol, student, near
):
    enrol("ada", "ben")
    words = ("extend", "day-50", student, "--minutes", 30, "--course", course.root)
    done = typed(*words)
    assert done.exit_code == 2 and done.stderr.count("\n") == 1
    assert f"did you mean {near}" in done.stderr if near else "did you mean" not in done.stderr
    assert "course roster FILE.csv" in done.stderr
    assert extensions.read(course) == {}
    done = typed(*words, "--not-enrolled")
    assert done.exit_code == 0 and extensions.read(course)["day-50"] == {student: {"minutes": 30}}
    # Whoever has one can lose it again.
    done = typed("extend", "day-50", student, "--minutes", 0, "--course", course.root)
    assert done.exit_code == 0


def test_who_has_handed_in_or_was_enrolled_just_now_gets_an_extension(
    course, typed, enrol, tmp_path
):
    (course.submitted / "eve" / "day-50").mkdir(parents=True)
    (tmp_path / "late.csv").write_text("id\nzoë\n", encoding="utf-8")
    typed("roster", tmp_path / "late.csv", "--course", course.root)
    for student in ("eve", "zoe\u0308"):
        done = typed("extend", "day-50", student, "--minutes", 30, "--course", course.root)
        assert done.exit_code == 0, done.output
    assert extensions.read(course)["day-50"].keys() == {"eve", "zoë"}


def test_a_time_of_a_file_with_an_offset_is_that_time(course):
    """nbgrader takes the offset for seconds, or for nothing."""
    for text in ("2026-11-21 18:00 +0100", "2026-11-21 18:00:00 +01:00", "2026-11-21 18:00+01:00"):
        assert times.parsed(text) == datetime(2026, 11, 21, 17)


@pytest.mark.slow
def test_nbgrader_s_own_command_shows_the_same_date_on_postgresql(course, due, typed):
    with postgres.server() as server:
        url = server.create("due")
        move.copy(course, url)
        assert due("day-50", "2026-11-21 18:00 Europe/Berlin").exit_code == 0
        assert duedate(course) == datetime(2026, 11, 21, 17)
        assert "2026-11-21 17:00 UTC" in due().stdout
        listed = subprocess.run(
            [sys.executable, "-m", "nbgrader", "db", "assignment", "list"],
            cwd=course.root,
            capture_output=True,
            text=True,
            check=True,
        )
        assert "day-50 (due: 2026-11-21 17:00:00)" in listed.stdout
