"""Collecting from nbgrader's exchange: whatever students make there, nothing is lost, mixed up,
followed or believed.
"""

import contextlib
import itertools
import os
import pwd
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbgrader.api import Gradebook

from nbjudge.course import arrivals, exchange, submitting
from nbjudge.grading.config.folders import COURSE_ID, FolderError
from nbjudge.grading.config.settings import SettingsError
from nbjudge.grading.intake import intake, times, untrusted


@pytest.fixture
def inbound(course):
    folder = course.exchange / COURSE_ID / "inbound"
    folder.mkdir(parents=True)
    return folder


def hand_in(
    inbound, student, when="2026-11-20 08:00:00 UTC", data=b"{}", assignment="day-50", end="+abc"
):
    folder = inbound / f"{student}+{assignment}+{when}{end}"
    folder.mkdir()
    (folder / "dropout.ipynb").write_bytes(data)
    (folder / "timestamp.txt").write_text(when)
    (folder / "submission_secret.txt").write_text("s" * 64)
    return folder


def test_the_file_system_says_when_and_not_the_student(course, inbound):
    before = times.now()
    hand_in(inbound, "ada", "2099-01-01 00:00:00 UTC")
    folder = hand_in(inbound, "ben", "1990-01-01 00:00:00 UTC")
    os.utime(folder, (0, 0))
    os.utime(folder / "dropout.ipynb", (0, 0))
    exchange.collect_from_exchange(course, "day-50")
    for student in ("ada", "ben"):
        when = times.parsed(intake.take(course.submitted, student, "day-50").timestamp)
        assert abs((when - before).total_seconds()) < 3600
    assert (course.submitted / "ada/day-50/submission_secret.txt").read_text() == "s" * 64


def test_a_file_that_is_changed_after_handing_in_counts_from_then(course, inbound):
    folder = hand_in(inbound, "ada")
    exchange.collect_from_exchange(course, "day-50")
    first = times.parsed(intake.take(course.submitted, "ada", "day-50").timestamp)
    exchange.collect_from_exchange(course, "day-50")
    assert times.parsed(intake.take(course.submitted, "ada", "day-50").timestamp) == first
    (folder / "dropout.ipynb").write_bytes(b"{ }")
    done = exchange.collect_from_exchange(course, "day-50")
    assert times.parsed(intake.take(course.submitted, "ada", "day-50").timestamp) > first
    assert (done.arrivals[0].kept / "dropout.ipynb").read_bytes() == b"{}"


def test_folders_that_are_no_submissions_are_named_and_the_others_taken(course, inbound, tmp_path):
    secret = tmp_path / "solutions"
    secret.mkdir()
    (secret / "dropout.ipynb").write_text("the instructor's")
    (inbound / "eve+day-50+2026-11-20 08:00:00 UTC+x").symlink_to(secret)
    (inbound / "max+day-50+2026-11-20 08:00:00 UTC+x").write_text("a file")
    hand_in(inbound, "bad", "not a time")
    hand_in(inbound, "-rf")
    hand_in(inbound, "a*b")
    hand_in(inbound, "no\udcff")
    hand_in(inbound, "x+lab-7-01", assignment="day-50", when="2026-11-20 08:00:00 UTC")
    hand_in(inbound, "ada", end="")
    hand_in(inbound, "ben")
    done = exchange.collect_from_exchange(course, "day-50")
    assert sorted(path.name for path in course.submitted.iterdir()) == ["ada", "ben", "x+lab-7-01"]
    assert len(done.refused) == 6 and all(line.isprintable() for line in done.refused)
    assert not any(
        b"instructor" in path.read_bytes()
        for path in course.root.rglob("*")
        if path.is_file() and path.suffix == ".ipynb"
    )


def test_of_several_the_newest_counts_and_an_older_one_never_takes_its_place(course, inbound):
    older = hand_in(inbound, "ada", "2026-11-20 09:00:00 UTC", b"older", end="+a")
    newer = hand_in(inbound, "ada", "2026-11-20 08:00:00 UTC", b"newer", end="+b")
    while times.arrival(newer) == times.arrival(older):
        newer.chmod(0o755)  # a file system's clock may tick a hundred times a second only
    exchange.collect_from_exchange(course, "day-50")
    assert (course.submitted / "ada/day-50/dropout.ipynb").read_bytes() == b"newer"
    newer.rename(course.root / "elsewhere")
    exchange.collect_from_exchange(course, "day-50")
    assert (course.submitted / "ada/day-50/dropout.ipynb").read_bytes() == b"newer"


def test_of_two_that_came_at_the_same_time_the_name_says_which_is_newer(
    course, inbound, monkeypatch
):
    now = times.now()
    monkeypatch.setattr(times, "arrival", lambda folder: now)
    for minute in (20, 40, 10, 30):
        when = f"2026-11-20 09:{minute}:00 UTC"
        hand_in(inbound, "ada", when, str(minute).encode(), end=f"+{60 - minute}")
    exchange.collect_from_exchange(course, "day-50")
    assert (course.submitted / "ada/day-50/dropout.ipynb").read_bytes() == b"40"


def test_a_submission_that_is_still_being_written_waits(course, inbound, monkeypatch):
    folder = hand_in(inbound, "ada", data=b'{"half')
    (folder / "timestamp.txt").unlink()  # nbgrader writes it last
    done = exchange.collect_from_exchange(course, "day-50")
    assert done.arrivals == [] and "being handed in: collect again" in done.refused[0]
    (folder / "dropout.ipynb").write_bytes(b"{}")
    (folder / "timestamp.txt").write_text("2026-11-20 08:00:00 UTC")
    exchange.collect_from_exchange(course, "day-50")
    assert (course.submitted / "ada/day-50/dropout.ipynb").read_bytes() == b"{}"
    monkeypatch.setattr(exchange, "WRITING", times.now() - times.now())
    (hand_in(inbound, "ben") / "timestamp.txt").unlink()
    assert {each.student for each in exchange.collect_from_exchange(course, "day-50").arrivals} >= {
        "ben"
    }, "somebody made it by hand"


def test_nobody_hands_in_under_the_name_of_another(course, inbound):
    me = pwd.getpwuid(os.geteuid()).pw_name
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        for name in ("ada", me):
            book.add_student(name)
    hand_in(inbound, "ada")
    hand_in(inbound, me)
    done = exchange.collect_from_exchange(course, "day-50")
    assert [arrival.student for arrival in done.arrivals] == [me]
    assert f"it says ada, and {me} made it" in done.refused[0]


def test_before_anybody_is_in_the_gradebook_accounts_tell_who_hands_in(
    course, inbound, monkeypatch
):
    """As at the first collecting of a new class: `ada` has an account, and another one made this."""
    account = pwd.getpwnam
    theirs = {"ada": SimpleNamespace(pw_uid=4711)}
    monkeypatch.setattr(pwd, "getpwnam", lambda name: theirs.get(name) or account(name))
    for name in ("ada", "ben"):
        folder = hand_in(inbound, name)
        if os.geteuid() == 0:
            os.chown(folder, 1, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    done = exchange.collect_from_exchange(course, "day-50")
    assert [arrival.student for arrival in done.arrivals] == ["ben"], "nobody has his name there"
    assert "it says ada, and " in done.refused[0]


def test_names_that_look_alike_are_refused_whoever_made_them(course, inbound, monkeypatch):
    def unknown(uid):
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        book.add_student("ada")
    hand_in(inbound, "Ada")
    assert not exchange.collect_from_exchange(course, "day-50").arrivals


def test_links_and_devices_in_a_submission_are_not_followed(course, inbound, tmp_path):
    (tmp_path / "private").write_text("the instructor's")
    folder = hand_in(inbound, "ada")
    (folder / "inspect.ipynb").symlink_to(tmp_path / "private")
    (folder / "loop").symlink_to(folder)
    os.link(tmp_path / "private", folder / "shapes.ipynb")
    os.mkfifo(folder / "pipe")
    (folder / "timestamp.txt").unlink()
    (folder / "timestamp.txt").mkdir()
    (folder / "timestamp.txt" / "x").write_text("x")
    (done,) = exchange.collect_from_exchange(course, "day-50").arrivals
    assert any("shapes.ipynb is a hard link" in remark for remark in done.remarks)
    submission = intake.take(course.submitted, "ada", "day-50")
    assert set(submission.notebooks) == {"dropout"} and "link" in submission.refused["inspect"]


def test_a_folder_of_too_many_folders_or_too_deep_ones_stops_nobody(course, inbound, monkeypatch):
    monkeypatch.setattr(untrusted, "MAX_ENTRIES", 50)
    deep, wide = hand_in(inbound, "deep"), hand_in(inbound, "wide")
    hand_in(inbound, "ben")
    for number in range(60):
        (wide / "x" / str(number)).mkdir(parents=True)
    handle = os.open(deep, os.O_RDONLY)
    for _ in range(sys.getrecursionlimit() + 200):
        os.mkdir("x", dir_fd=handle)
        inner = os.open("x", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)
    done = exchange.collect_from_exchange(course, "day-50")
    subprocess.run(["rm", "-rf", deep], check=True)  # pytest's own clearing up would recurse, too
    assert sorted(arrival.student for arrival in done.arrivals) == ["ben", "deep"]
    assert any("more than 50 files and folders" in line for line in done.refused)


def test_two_classes_share_an_exchange_by_their_ids(course, lab, monkeypatch, tmp_path):
    monkeypatch.setenv("AUTOGRADER_EXCHANGE", str(tmp_path / "exchange"))
    for name in ("ml-a", "ml-b"):
        for part in ("inbound", "outbound/day-50"):
            (tmp_path / "exchange" / name / part).mkdir(parents=True)
    monkeypatch.setenv("AUTOGRADER_COURSE_ID", "ml-b")
    submitting.submit(lab, tmp_path / "exchange")
    monkeypatch.delenv("AUTOGRADER_COURSE_ID")
    config = course.root / "nbgrader_config.py"
    config.write_text("c = get_config()\nc.CourseDirectory.course_id = 'ml-a'\n")
    assert (
        course.course_id == "ml-a"
        and exchange.collect_from_exchange(course, "day-50").students == []
    )
    config.write_text('c = get_config()\nc.CourseDirectory.course_id = "ml-b"\n')
    assert len(exchange.collect_from_exchange(course, "day-50").students) == 1


@pytest.mark.parametrize(
    "text", ["c.CourseDirectory.course_id = '../x'", "c.CourseDirectory.course_id = ", "\x00"]
)
def test_a_course_id_that_cannot_be_one_is_one_line(course, text):
    (course.root / "nbgrader_config.py").write_text(text)
    with pytest.raises((FolderError, SettingsError)) as problem:
        _ = course.course_id
    assert "\n" not in str(problem.value)


def test_what_a_student_hands_in_is_kept_where_their_jupyterlab_looks(lab, tmp_path):
    home = tmp_path / "my-course"
    (home / ".course" / "data").mkdir(parents=True)
    (home / "labs").mkdir()
    folder = lab.rename(home / "labs" / "day-50")
    for part in ("inbound", "outbound/day-50"):
        (tmp_path / "exchange" / COURSE_ID / part).mkdir(parents=True)
    submitting.submit(folder, tmp_path / "exchange")
    assert list((home / ".course/data/nbgrader_cache").rglob("submission_secret.txt"))
    assert not (tmp_path / "exchange" / "cache").exists()


def test_a_folder_that_its_student_changes_while_it_is_collected_stops_nobody(
    course, inbound, tmp_path
):
    (tmp_path / "private").write_text("the instructor's")
    folder = hand_in(inbound, "eve")
    hand_in(inbound, "zoe")
    paths = [folder / f"part{number:02}.ipynb" for number in range(20)]
    over = threading.Event()

    def change():
        """Every file is now a file, now a link, a pipe or a folder, and nothing in between."""
        makes = itertools.cycle(
            [Path.touch, lambda path: path.symlink_to(tmp_path / "private"), os.mkfifo, Path.mkdir]
        )
        while not over.is_set():
            make = next(makes)
            for path in paths:
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink(
                    missing_ok=True
                )
                make(path)

    attacker = threading.Thread(target=change)
    attacker.start()
    try:
        done = exchange.collect_from_exchange(course, "day-50")
        with arrivals.dock(course) as place:
            # Some arrive as they come, and some are refused because a file was gone when its turn came.
            for _ in range(300):
                with contextlib.suppress(arrivals.ArrivalRefused):
                    place.copy(folder)
            taken = [
                path for path in place.folder.rglob("*") if path.is_file() and not path.is_symlink()
            ]
            assert taken and not any(b"the instructor's" in path.read_bytes() for path in taken)
    finally:
        over.set()
        attacker.join()
    assert "zoe" in {arrival.student for arrival in done.arrivals}
