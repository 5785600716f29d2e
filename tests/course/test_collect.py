"""`course collect` as it is typed, with real archives in real boxes."""

import json
import shutil
import zipfile

import pytest

from nbjudge.course import roster, submitting
from nbjudge.grading.intake import times
from nbjudge.grading.published import skeletons

NOTEBOOK = b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}'


def archive(path, **files):
    with zipfile.ZipFile(path, "w") as file:
        for name, content in files.items():
            file.writestr(f"{name}.ipynb" if "/" not in name else name, content)
    return path


@pytest.fixture
def collect(course, typed):
    """Collect these archives of `day-50`: `collect("ada_day-50.zip", more=["--newest"])`."""

    def run(*zips, more=()):
        words = [word for path in zips for word in ("--zip", path)]
        return typed("collect", "day-50", "--course", course.root, *words, *more)

    return run


def there(course):
    return sorted(path.parent.name for path in course.submitted.glob("*/day-50"))


def test_two_students_with_one_beginning_stay_two(course, enrol, lab, collect, typed, tmp_path):
    enrol("ada_lovelace", "ada_smith")
    for student in ("ada_lovelace", "ada_smith"):
        (lab / "dropout.ipynb").write_text(json.dumps({"by": student, "metadata": {}}))
        assert typed("submit", lab, "--zip", f"{student}_day-50.zip").exit_code == 0
    done = collect("ada_lovelace_day-50.zip", "ada_smith_day-50.zip")
    assert done.exit_code == 0, done.stderr
    assert (
        there(course) == ["ada_lovelace", "ada_smith"] and "2 submissions collected" in done.stdout
    )
    assert (
        json.loads((course.submitted / "ada_smith/day-50/dropout.ipynb").read_text())["by"]
        == "ada_smith"
    )
    assert "ada_lovelace: collected\nada_smith: collected\n" in done.stdout
    again = collect("ada_lovelace_day-50.zip")
    assert "0 submissions collected" in again.stdout and "1 there already" in again.stdout
    assert "ada_lovelace" not in again.stdout


def test_archives_are_refused_one_by_one_and_nothing_is_lost(course, enrol, collect, tmp_path):
    enrol("ada", "ben")
    collect(archive(tmp_path / "ada_day-50.zip", dropout=b"first"))
    archive(tmp_path / "ada_day-50.zip", dropout=b"second")
    names = [
        ".._day-50.zip",
        "_day-50.zip",
        "zoe_day-50.zip",
        "ben_lab-7-01.zip",
        "empty_day-50.zip",
    ]
    for name in names[:-1]:
        archive(tmp_path / name, dropout=NOTEBOOK)
    (tmp_path / names[-1]).touch()
    archive(tmp_path / "ben_day-50.zip", **{"day-50/" + "x" * 250 + ".ipynb": NOTEBOOK})
    done = collect(*names, "ben_day-50.zip", "ada_day-50.zip")
    lines = done.stderr.splitlines()
    assert done.exit_code == 2 and len(lines) == 6
    for name in (*names, "ben_day-50.zip"):
        assert sum(f"not taken: {name}" in line for line in lines) == 1, (name, lines)
    assert (
        there(course) == ["ada"]
        and (course.submitted / "ada/day-50/dropout.ipynb").read_bytes() == b"second"
    )
    (kept,) = course.replaced.rglob("dropout.ipynb")
    assert kept.read_bytes() == b"first" and str(kept.parent) in done.stdout


def test_two_archives_of_one_student_are_refused_until_the_instructor_chooses(
    course, enrol, lab, collect, tmp_path
):
    enrol("ada")
    for number, folder in enumerate(("one", "two")):
        (tmp_path / folder).mkdir()
        (lab / "dropout.ipynb").write_text(json.dumps({"number": number}))
        submitting.pack(lab, tmp_path / folder / "ada_day-50.zip")
    zips = ["two/ada_day-50.zip", "one/ada_day-50.zip"]
    both = collect(*zips)
    assert both.exit_code == 2 and "--newest" in both.stderr and there(course) == []
    chosen = collect(*zips, more=["--newest"])
    assert chosen.exit_code == 0 and json.loads(
        (course.submitted / "ada/day-50/dropout.ipynb").read_text()
    ) == {"number": 1}


def test_the_instructor_says_whose_a_file_is(course, enrol, collect, tmp_path):
    enrol("ada", "ben")
    archive(tmp_path / "final (2).zip", dropout=NOTEBOOK)
    archive(tmp_path / "x_y.zip", dropout=NOTEBOOK)
    refused = collect("x_y.zip")
    assert refused.exit_code == 2 and "--as STUDENT" in refused.stderr
    told = ["--as", "ada=x_y.zip", "--as", "ben=final (2).zip"]
    done = collect("x_y.zip", "final (2).zip", more=told)
    assert done.exit_code == 0, done.stderr
    assert there(course) == ["ada", "ben"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--as", "ada"], "are for zip files"),
        (["--zip", "missing.zip"], "no file missing.zip"),
        (["--zip", "a.zip", "--zip", "b.zip", "--as", "ada"], "--as ada=FILE"),
        (["--zip", "a.zip", "--as", "ada=c.zip"], "none of the files"),
        (["--zip", "a.zip", "--as", "../ada"], "cannot be a student's name"),
        (["--zip", "a.zip", "--received", "2099-01-01"], "no time in the past"),
        (["--zip", "a.zip", "--received", "soon"], "no time in the past"),
        (["--zip", "a.zip", "--roster", "roster.csv"], "roster.csv cannot be read"),
        (["--zip", "a.zip", "--received", "times.csv"], "times.csv cannot be read"),
        (["--zip", "a.zip", "--zone", "UTC"], "name it with --received FILE.csv"),
    ],
    ids=str,
)
def test_what_is_typed_wrong_is_one_line(course, collect, tmp_path, words, said):
    for name in "ab":
        archive(tmp_path / f"{name}.zip", dropout=NOTEBOOK)
    done = collect(more=words)
    assert done.exit_code == 2 and said in done.stderr and done.stderr.count("\n") == 1
    assert not course.submitted.exists()


@pytest.mark.parametrize("assignment", ["hw9", "../day-50", "day-5"])
def test_an_assignment_that_there_is_not_is_refused(course, typed, assignment):
    done = typed("collect", assignment, "--course", course.root)
    assert done.exit_code == 2 and "it has: day-50, lab-7-01" in done.stderr


def test_a_class_comes_out_of_one_moodle_download(course, enrol, lab, collect, tmp_path):
    enrol(
        ada={"lms_user_id": "4711", "first_name": "Ada", "last_name": "Lovelace"},
        ben={"lms_user_id": "12"},
    )
    inner = submitting.pack(lab, tmp_path / "ada_day-50.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "bulk.zip", "w") as file:
        file.writestr("Ada Lovelace_4711_assignsubmission_file_/whatever.zip", inner)
        file.writestr("Ben Bitdiddle_12_assignsubmission_file_/dropout.ipynb", NOTEBOOK)
        file.writestr("Zoe_99_assignsubmission_file_/dropout.ipynb", NOTEBOOK)
    careless = collect("bulk.zip")
    assert careless.exit_code == 2 and "--from moodle" in careless.stderr and there(course) == []
    done = collect("bulk.zip", more=["--from", "moodle"])
    assert there(course) == ["ada", "ben"] and done.exit_code == 2
    assert "Zoe (99)" in done.stderr and done.stderr.count("\n") == 1
    (tmp_path / "worksheet.csv").write_text(
        "Identifier,Full name,student\nParticipant 99,Zoe,zoe\n"
    )
    done = collect("bulk.zip", more=["--from", "moodle", "--roster", "worksheet.csv"])
    assert done.exit_code == 0 and there(course) == ["ada", "ben", "zoe"]


@pytest.mark.parametrize("place", ["", "/dropout.ipynb"], ids=["file", "folder"])
def test_nobody_names_a_file_so_that_it_is_another_student_s(
    course, enrol, collect, tmp_path, place
):
    """Where Moodle makes no folders, the end of a name is the student's; the list of the class has
    numbers, and no names to hold against it.
    """
    enrol(ada={"lms_user_id": "4711"}, eve={"lms_user_id": "13"}, ben={"lms_user_id": "12"})
    forged = "Ada_4711_assignsubmission_file_dropout.ipynb"
    with zipfile.ZipFile(tmp_path / "bulk.zip", "w") as file:
        file.writestr(f"Eve_13_assignsubmission_file_{forged}{place}", NOTEBOOK)
        file.writestr("Ben_12_assignsubmission_file_dropout.ipynb", NOTEBOOK)
    done = collect("bulk.zip", more=["--from", "moodle"])
    assert there(course) == ["ben"] and done.exit_code == 2
    assert "number 13 as well as of 4711" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a\u202eb.ipynb", "cannot be shown"),
        ("a\nb.ipynb", "cannot be shown"),
        ("x" * 201 + ".ipynb", "longer than 200 bytes"),
        ("..\\\\a.ipynb", "no path inside"),
        ("/../../a.ipynb", "no path inside"),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("platform", ["moodle", "canvas"])
def test_nobody_names_a_file_so_that_a_class_cannot_be_collected(
    course, enrol, collect, tmp_path, platform, name, said
):
    place = {"moodle": "X_{}_assignsubmission_file_/", "canvas": "x_{}_815_"}[platform]
    enrol(eve={"lms_user_id": "13"}, ben={"lms_user_id": "12"}, ada={"lms_user_id": "11"})
    with zipfile.ZipFile(tmp_path / "bulk.zip", "w") as file:
        file.writestr(place.format(13) + name, NOTEBOOK)
        file.writestr(place.format(12) + "dropout.ipynb", NOTEBOOK)
        file.writestr(place.format(11) + "dropout.ipynb", NOTEBOOK)
        file.writestr(place.format(11) + "Screenshot at 3.00\u202fPM.png", b"x")
    done = collect("bulk.zip", more=["--from", platform])
    assert there(course) == ["ada", "ben"] and done.exit_code == 2
    assert "_13_" in done.stderr and said in done.stderr and done.stderr.count("\n") == 1


def test_nobody_fills_a_download_so_that_a_class_cannot_be_collected(
    course, enrol, collect, tmp_path
):
    enrol(eve={"lms_user_id": "13"}, ben={"lms_user_id": "12"})
    with zipfile.ZipFile(tmp_path / "bulk.zip", "w", zipfile.ZIP_DEFLATED) as file:
        with file.open("Eve_13_assignsubmission_file_/dropout.ipynb", "w") as large:
            for _ in range(241):
                large.write(bytes(1 << 20))
        file.writestr("Ben_12_assignsubmission_file_/dropout.ipynb", NOTEBOOK)
    done = collect("bulk.zip", more=["--from", "moodle"])
    assert there(course) == ["ben"] and done.exit_code == 2
    assert "Eve (13): 241 MB of it" in done.stderr and done.stderr.count("\n") == 1


def test_files_of_a_canvas_download_are_told_apart_by_canvas_s_number(
    course, enrol, collect, tmp_path
):
    enrol(
        ada={"lms_user_id": "4711", "first_name": "Ada", "last_name": "Lovelace"},
        ben={"lms_user_id": "12"},
    )
    archive(tmp_path / "lovelaceada_LATE_4711_815_ben_day-50.zip", dropout=NOTEBOOK)
    done = collect("lovelaceada_LATE_4711_815_ben_day-50.zip", more=["--from", "canvas"])
    assert done.exit_code == 0, done.stderr
    assert there(course) == ["ada"]


def test_the_time_is_that_of_collecting_whatever_the_archive_says(course, enrol, collect, tmp_path):
    enrol("ada", "ben")
    for student, claim in (("ada", "2099-01-01 00:00:00 UTC"), ("ben", "1990-01-01 00:00:00 UTC")):
        archive(
            tmp_path / f"{student}_day-50.zip",
            **{"dropout": NOTEBOOK, "day-50/timestamp.txt": claim},
        )
    before = times.now()
    zips = ["ada_day-50.zip", "ben_day-50.zip"]
    assert collect(*zips).exit_code == 0
    for student in ("ada", "ben"):
        assert (
            before
            <= times.parsed((course.submitted / student / "day-50/timestamp.txt").read_text())
            <= times.now()
        )
    shutil.rmtree(course.submitted)
    collect(*zips, more=["--received", "2026-01-02 03:04 UTC"])
    assert (
        times.parsed((course.submitted / "ada/day-50/timestamp.txt").read_text()).isoformat()
        == "2026-01-02T03:04:00"
    )


@pytest.fixture
def published(course):
    """Publish a `day-50` of one notebook, `dropout`; gives its bytes as students fetch them."""
    cells = [
        {
            "cell_type": "code",
            "id": name,
            "source": "",
            "outputs": [],
            "execution_count": None,
            "metadata": {
                "nbgrader": {"grade_id": name, "grade": grade, "solution": not grade, "points": 1}
            },
        }
        for name, grade in (("remove-dropout", False), ("check-dropout", True))
    ]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    skeletons.store(
        course,
        skeletons.Skeleton(
            assignment="day-50",
            version="abc",
            notebooks={"dropout": notebook},
            solutions={"dropout": notebook},
            files={},
        ),
    )
    return json.dumps(notebook).encode()


@pytest.mark.parametrize("name", ["dropout-1", "dropout (1)", "Lab of Ada"])
def test_a_notebook_under_another_name_is_collected(
    course, enrol, collect, tmp_path, published, name
):
    """Canvas and browsers number what is handed in again; grading knows it by its cells."""
    enrol("ada", "ben")
    archive(tmp_path / "ada_day-50.zip", **{name: published})
    archive(tmp_path / "ben_day-50.zip", **{name: NOTEBOOK})
    done = collect("ada_day-50.zip", "ben_day-50.zip")
    assert there(course) == ["ada"], done.stderr
    assert (course.submitted / f"ada/day-50/{name}.ipynb").read_bytes() == published
    assert f"no notebook of day-50 (dropout), but {name}.ipynb: ask for" in done.stderr


def test_an_archive_in_an_archive_is_opened(course, enrol, collect, tmp_path, published):
    enrol("ada")
    inner = archive(tmp_path / "inner.zip", dropout=published).read_bytes()
    with zipfile.ZipFile(tmp_path / "ada_day-50.zip", "w") as file:
        file.writestr("inner.zip", inner)
    assert collect("ada_day-50.zip").exit_code == 0 and there(course) == ["ada"]


@pytest.mark.parametrize("mark", [";", "\t"])
def test_a_roster_may_have_a_spreadsheet_s_separators(course, tmp_path, mark):
    text = "student;lms_user_id\r\nada;4711\r\n".replace(";", mark)
    known = roster.with_csv(roster.of_course(course), written(tmp_path / "who.csv", text))
    assert known.people["ada"].lms_user_id == "4711"


def test_rosters_of_the_platforms_are_read_as_they_are(course, enrol, typed, tmp_path):
    enrol(ada={"email": "Ada@example.org"}, ben={})
    canvas = "Student,ID,SIS User ID,SIS Login ID,Section,day-50\n    Points Possible,,,,,4\nBitdiddle Ben,12,x,ben,A,\n"
    moodle = "Identifier,Full name,Email address,Status\nParticipant 4711,Ada Lovelace,ada@example.org,Submitted\n\n"
    known = roster.of_course(course)
    assert (
        roster.with_csv(known, written(tmp_path / "canvas.csv", canvas)).people["ben"].lms_user_id
        == "12"
    )
    assert set(roster.with_csv(known, tmp_path / "canvas.csv").people) == {"ada", "ben"}
    ada = roster.with_csv(known, written(tmp_path / "moodle.csv", moodle)).people["ada"]
    assert (ada.lms_user_id, ada.words) == ("4711", frozenset({"ada", "lovelace"}))
    for text, said in (
        ("a,b\n1,2\n", "first line"),
        ("email,file\nzoe@x,y.zip\n", "line 2"),
        ("id\n../x\n", "line 2"),
        ("\xff", "first line"),
    ):
        with pytest.raises(roster.RosterError, match=said):
            roster.with_csv(known, written(tmp_path / "bad.csv", text))


def written(path, text):
    path.write_text(text)
    return path


def test_the_file_column_of_a_roster_says_whose_a_file_is(course, enrol, collect, tmp_path):
    enrol("ada")
    archive(tmp_path / "x_y.zip", dropout=NOTEBOOK)
    written(tmp_path / "who.csv", "student,file\nada,x_y.zip\n")
    assert collect("x_y.zip", more=["--roster", "who.csv"]).exit_code == 0
    assert there(course) == ["ada"]


def test_a_full_disk_is_one_line_that_names_the_file(course, typed):
    done = typed("export", "/dev/full", "--course", course.root)
    assert done.exit_code == 2 and done.stderr.count("\n") == 1
    assert "/dev/full: No space left on device: make room" in done.stderr
