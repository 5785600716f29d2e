"""No door drops a file: by zip, by exchange and by folder the same work lies in the same places,
and whatever an archive holds is taken or named.
"""

import io
import json
import unicodedata
import zipfile

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_notebook

from nbjudge import limits
from nbjudge.course import archives, exchange, one_person, platforms, roster, submitting, unpacking
from nbjudge.course.archives import collect_archives
from nbjudge.course.publish import skeleton_of
from nbjudge.course.uploads import Options
from nbjudge.grading.config.folders import COURSE_ID, Course
from nbjudge.grading.intake import intake
from nbjudge.grading.intake.untrusted import shown
from nbjudge.grading.published import skeletons
from nbjudge.leftovers import is_leftover
from tests.course.test_arrivals import unpacked_here

CELL = {
    "cell_type": "code",
    "id": "t",
    "source": "assert True",
    "outputs": [],
    "execution_count": None,
    "metadata": {
        "nbgrader": {
            "grade_id": "t",
            "grade": True,
            "solution": False,
            "locked": True,
            "points": 1,
            "schema_version": 3,
            "task": False,
        }
    },
}


def book(*sources):
    cells = [{**CELL, "source": source} for source in sources or ["assert True"]]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


BOOK, LADDER = book(), book('check("dropout", f)')


@pytest.fixture
def publish(course, tmp_path):
    """Publish `day-50` with the one notebook `dropout`: a plain one, or one with an exercise."""

    def run(data=BOOK):
        folder = tmp_path / "released"
        folder.mkdir()
        (folder / "dropout.ipynb").write_bytes(data)
        (folder / "data").mkdir()
        (folder / "data" / "given.csv").write_text("1")
        skeletons.store(course, skeleton_of("day-50", folder, folder))

    return run


@pytest.fixture
def collect(course, typed):
    def run(*zips, more=()):
        words = [word for path in zips for word in ("--zip", path)]
        return typed("collect", "day-50", "--course", course.root, *words, *more)

    return run


def packed(path, members):
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data)
    return path


WORK = {
    "dropout.ipynb": BOOK,
    "helper.py": b"x = 1",
    "data/own.csv": b"a",
    ".hidden/settings.txt": b"b",
    "bilder/Größe.png": b"c",
}


def by_zip(folder, collect, course, typed, tmp_path):
    assert typed("submit", folder, "--zip", "ada_day-50.zip").exit_code == 0
    assert collect("ada_day-50.zip").exit_code == 0


def by_hand(folder, collect, course, typed, tmp_path):
    packed(tmp_path / "ada_day-50.zip", {f"day-50/{name}": data for name, data in WORK.items()})
    assert collect("ada_day-50.zip").exit_code == 0


def by_powershell(folder, collect, course, typed, tmp_path):
    members = {f"day-50\\{name}".replace("/", "\\"): data for name, data in WORK.items()}
    packed(tmp_path / "ada_day-50.zip", {"day-50\\": b"", **members})
    assert collect("ada_day-50.zip").exit_code == 0


def by_exchange(folder, collect, course, typed, tmp_path):
    for place in ("outbound/day-50", "inbound"):
        (course.exchange / COURSE_ID / place).mkdir(parents=True)
    submitting.submit(folder, course.exchange)
    (student,) = exchange.collect_from_exchange(course, "day-50").students
    (course.submitted / student).rename(course.submitted / "ada")


def by_moodle(folder, collect, course, typed, tmp_path):
    place = "Ada_101_assignsubmission_file_/"
    packed(tmp_path / "all.zip", {f"{place}{name}": data for name, data in WORK.items()})
    (tmp_path / "who.csv").write_text("student,lms_user_id,full name\nada,101,Ada\n")
    done = collect("all.zip", more=["--from", "moodle", "--roster", "who.csv"])
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize("door", [by_zip, by_hand, by_powershell, by_exchange, by_moodle])
def test_the_same_work_lies_in_the_same_places_by_every_door(
    door, publish, course, collect, typed, tmp_path
):
    publish()
    folder = tmp_path / "work" / "day-50"
    for name, data in {**WORK, ".DS_Store": b"x", "__pycache__/helper.pyc": b"x"}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    door(folder, collect, course, typed, tmp_path)
    found = intake.take(course.submitted, "ada", "day-50", with_files=True, expected=["dropout"])
    assert found.notebooks == {"dropout": BOOK}
    assert found.files == {name: data for name, data in WORK.items() if name != "dropout.ipynb"}
    assert not found.remarks and not found.notes


def test_what_a_lab_with_exercises_does_not_use_is_named_at_every_door(
    publish, course, collect, typed, tmp_path
):
    publish(LADDER)
    folder = tmp_path / "day-50"
    folder.mkdir()
    work = {"dropout.ipynb": LADDER, "helper.py": b"", "data/given.csv": b"1", "references/x": b""}
    for name, data in work.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    done = typed("submit", folder, "--zip", "ada_day-50.zip")
    assert "data/given.csv, helper.py: not used" in done.stderr
    with zipfile.ZipFile(tmp_path / "ada_day-50.zip") as file:
        assert sorted(file.namelist()) == ["day-50/dropout.ipynb", "day-50/submission.json"]
    packed(tmp_path / "ben_day-50.zip", {f"day-50/{name}": data for name, data in work.items()})
    done = collect("ben_day-50.zip")
    assert "ben: helper.py, references/x: kept, and not used" in done.stdout
    for place in ("outbound/day-50", "inbound"):
        (course.exchange / COURSE_ID / place).mkdir(parents=True)
    submitting.submit(folder, course.exchange)
    (arrival,) = exchange.collect_from_exchange(course, "day-50").arrivals
    assert any("helper.py" in line and "not used" in line for line in arrival.remarks)


def test_odd_names_and_what_stays_behind_are_told_when_handing_in(typed, tmp_path):
    folder = tmp_path / "day-50"
    folder.mkdir()
    (folder / "DROPOUT.ipynb.txt").write_bytes(BOOK)
    (folder / "leak.txt").symlink_to("/etc/passwd")
    (folder / "old_day-50.zip").write_bytes(b"")
    (folder / ("x" * 201)).write_bytes(b"")
    done = typed("submit", folder, "--zip", "ada_day-50.zip")
    assert done.exit_code == 0
    for said in (
        "DROPOUT.ipynb.txt is taken as DROPOUT.ipynb",
        "leak.txt: left out, because it is a link",
        "old_day-50.zip: left out, because it is an archive of this lab",
        "will be left out, because of its name",
    ):
        assert said in done.stderr
    with zipfile.ZipFile(tmp_path / "ada_day-50.zip") as file:
        assert not {"day-50/leak.txt", "day-50/old_day-50.zip"} & set(file.namelist())


@pytest.mark.parametrize(
    ("name", "size", "said"),
    [
        ("dropout.ipynb", limits.NOTEBOOK + 1, "clear its outputs"),
        ("data.bin", limits.FILE + 1, "make it smaller"),
        ("data.bin", limits.ARCHIVE + 1, "move large files away"),
    ],
)
def test_a_limit_is_told_before_it_costs_anything(tmp_path, name, size, said):
    folder = tmp_path / "day-50"
    folder.mkdir()
    (folder / "dropout.ipynb").write_bytes(BOOK)
    with open(folder / name, "r+b" if name.startswith("drop") else "wb") as file:
        file.truncate(size)  # sparse: no bytes on disk
    assert any(said in line and " MB" in line for line in submitting.doubts(folder, True))


def test_too_many_files_are_told_when_handing_in(tmp_path):
    (tmp_path / "dropout.ipynb").write_bytes(BOOK)
    for number in range(limits.FILES):
        (tmp_path / f"{number}.txt").touch()
    assert any("files, and at most 500" in line for line in submitting.doubts(tmp_path, True))


def test_a_notebook_of_outputs_is_taken_whole(publish, course, collect, typed, tmp_path):
    publish()
    whole = json.loads(BOOK)
    output = {"output_type": "stream", "name": "stdout", "text": "x" * (36 << 20)}
    whole["cells"][0]["outputs"] = [output]
    packed(tmp_path / "ada_day-50.zip", {"dropout.ipynb": json.dumps(whole).encode()})
    assert collect("ada_day-50.zip").exit_code == 0
    found = intake.take(course.submitted, "ada", "day-50", expected=["dropout"])
    from nbjudge.grading.notebook import parser

    cells, _ = parser.read_notebook(found.notebooks["dropout"])
    assert cells[0]["source"] == "assert True"


def test_what_is_too_large_to_be_graded_is_named_when_collecting(course, collect, tmp_path):
    with zipfile.ZipFile(tmp_path / "ada_day-50.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("dropout.ipynb", BOOK)
        file.writestr("data.bin", bytes(limits.FILE + 1))
    assert "ada: data.bin is larger than 64 MB" in collect("ada_day-50.zip").stdout


# Whose a file is


def test_a_manifest_that_names_somebody_else_than_was_logged_in_is_refused(
    course, enrol, collect, tmp_path
):
    enrol("ada", "ben")
    packed(tmp_path / "ada_day-50.zip", {"dropout.ipynb": BOOK})
    assert collect("ada_day-50.zip").exit_code == 0
    forged = {"format": 1, "assignment": "day-50", "student": "ada", "login": "ben"}
    packed(
        tmp_path / "homework.zip",
        {"day-50/dropout.ipynb": BOOK + b" ", "day-50/submission.json": json.dumps(forged)},
    )
    done = collect("homework.zip")
    assert done.exit_code == 2 and "its manifest says ada, and ben was logged in" in done.stderr
    assert (course.submitted / "ada/day-50/dropout.ipynb").read_bytes() == BOOK


@pytest.mark.parametrize("login", [None, "laptop", "ada"])
def test_what_only_a_manifest_says_never_replaces_anything(course, enrol, collect, tmp_path, login):
    enrol("ada", "ben")
    said = {"format": 1, "assignment": "day-50", "student": "ada", "login": login}
    members = {"dropout.ipynb": BOOK, "submission.json": json.dumps(said)}
    packed(tmp_path / "homework.zip", members)
    assert collect("homework.zip").exit_code == 0
    assert "1 there already" in collect("homework.zip").stdout
    packed(tmp_path / "homework.zip", {**members, "dropout.ipynb": BOOK + b" "})
    done = collect("homework.zip")
    assert done.exit_code == 2 and "add `--as ada=homework.zip`" in done.stderr
    assert (course.submitted / "ada/day-50/dropout.ipynb").read_bytes() == BOOK
    assert collect("homework.zip", more=["--as", "ada"]).exit_code == 0


def test_a_time_in_the_future_makes_no_archive_the_newer_one(course, enrol, collect, tmp_path):
    enrol("ada")
    for place, time in (("one", "9999-01-01 00:00:00 UTC"), ("two", "2026-01-01 00:00:00 UTC")):
        (tmp_path / place).mkdir()
        said = {"format": 1, "assignment": "day-50", "student": "ada", "time": time}
        members = {"dropout.ipynb": BOOK, "submission.json": json.dumps(said)}
        packed(tmp_path / place / "ada_day-50.zip", members)
    done = collect("one/ada_day-50.zip", "two/ada_day-50.zip", more=["--newest"])
    assert done.exit_code == 2 and "do not say which is newer" in done.stderr


def test_what_is_replaced_is_named_with_the_archive_that_did(course, enrol, collect, tmp_path):
    enrol("ada")
    packed(tmp_path / "ada_day-50.zip", {"dropout.ipynb": BOOK, "helper.py": b"1"})
    collect("ada_day-50.zip")
    packed(tmp_path / "ada_day-50 (2).zip", {"dropout.ipynb": BOOK, "helper.py": b"2", "b": b""})
    done = collect("ada_day-50 (2).zip")
    said = "ada: a newer submission, out of ada_day-50 (2).zip, with other b, helper.py; the one"
    assert said in done.stdout


@pytest.mark.parametrize(
    "names",
    [
        ("Ada", "ADA"),
        ("ada", "Ada", "ADA"),
        ("stra\u00dfe", "STRASSE"),
        ("\uff41da", "ada"),
        ("b\u0435n", "ben", "Ben"),
    ],
)
def test_names_that_look_alike_in_one_command_are_nobody_s(course, collect, tmp_path, names):
    zips = [packed(tmp_path / f"{name}_day-50.zip", {"dropout.ipynb": BOOK}) for name in names]
    cy = packed(tmp_path / "cy_day-50.zip", {"dropout.ipynb": BOOK})
    done = collect(*zips, cy)
    assert done.exit_code == 2 and done.stderr.count("would stand beside") == len(names)
    assert [path.name for path in course.submitted.iterdir()] == ["cy"]


# As Blackboard, Brightspace, ILIAS, Gradescope, Sakai and a colleague's script pack a class.
DOWNLOADS = {
    "gradebook_ML_day-50_{}_attempt_2026-11-21-17-56-01_dropout.ipynb": "two attempts",
    "1234-678 - {} - Nov 21, 2026 556 PM/dropout.ipynb": "two people",
    "day-50/Abgaben/{}_12345/dropout.ipynb": "below a folder",
    "assignment_1_export/submission_{}/dropout.ipynb": "by number",
    "day-50/{}/Submission attachment(s)/lab.ipynb": "under another name",
    "{}.ipynb": "called by its student",
    "{}/old/dropout.ipynb.txt": "renamed by a browser",
}


@pytest.mark.parametrize("names", [(), ("ada", "ben", "0", "1")], ids=["nobody", "enrolled"])
def test_what_several_people_handed_in_is_nobody_s(
    names, publish, course, enrol, collect, tmp_path
):
    publish()
    enrol(*names)
    for number, place in enumerate(DOWNLOADS):
        # Whether or not they handed in the same.
        members = {place.format(who): BOOK + b" " * (number % 2) for who in ("ada", "Benno")}
        packed(tmp_path / f"{number}.zip", {**members, "index.html": b"<html>"})
    paths = [f"{number}.zip" for number in range(len(DOWNLOADS))]
    for zips, more in ((paths, []), (["0.zip"], ["--as", "ada"])):
        done = collect(*zips, more=more)
        assert done.exit_code == 2 and not any(course.submitted.glob("*"))
        lines = [line for line in done.stderr.splitlines() if "not taken" in line]
        assert len(lines) == len(zips), done.stderr
        for line in lines:
            assert "dropout.ipynb 2 times" in line and "one zip file for each" in line
            assert "--as" not in line


OWN = [
    ["dropout.ipynb", "old/dropout.ipynb", "old/older/dropout.ipynb"],
    ["day-50/dropout.ipynb", "day-50/dropout-Copy1.ipynb", "day-50/mine.ipynb"],
    ["dropout-1.ipynb", "dropout-2.ipynb"],
    ["day-50/dropout.ipynb", "__MACOSX/day-50/._dropout.ipynb", "day-50/.ipynb_checkpoints/dropout-checkpoint.ipynb"],
]  # fmt: skip


def test_copies_of_one_student_are_one_student_s(publish, course, collect, tmp_path):
    publish()
    for number, paths in enumerate(OWN):
        packed(tmp_path / f"s{number}_day-50.zip", dict.fromkeys(paths, BOOK))
    done = collect(*(f"s{number}_day-50.zip" for number in range(len(OWN))))
    assert done.exit_code == 0, done.stderr


def test_names_that_look_alike_in_the_exchange_are_nobody_s(course):
    inbound = course.exchange / COURSE_ID / "inbound"
    for student in ("Ada", "ADA", "ben"):
        folder = inbound / f"{student}+day-50+2026-01-01 08:00:00 UTC+x"
        folder.mkdir(parents=True)
        (folder / "dropout.ipynb").write_bytes(BOOK)
        (folder / "timestamp.txt").write_text("2026-01-01 08:00:00 UTC")
    done = exchange.collect_from_exchange(course, "day-50")
    assert done.students == ["ben"] and len(done.refused) == 2


def test_a_name_with_letters_apart_is_the_student_s(course, enrol, collect, typed, lab, tmp_path):
    enrol("zo\u00e9")
    apart = "zoe\u0301"
    packed(tmp_path / f"{apart}_day-50.zip", {"dropout.ipynb": BOOK})
    assert collect(f"{apart}_day-50.zip").exit_code == 0
    assert [path.name for path in course.submitted.iterdir()] == ["zo\u00e9"]
    assert typed("submit", lab, "--zip", "x.zip", "--as", apart).exit_code == 0
    done = collect("x.zip", more=["--as", apart])
    assert done.exit_code == 0, done.stderr


def test_those_who_are_not_enrolled_are_one_command_away(course, enrol, collect, tmp_path):
    enrol("ada")
    names = [f"new{number}" for number in range(10)]
    done = collect(
        *(packed(tmp_path / f"{name}_day-50.zip", {"dropout.ipynb": BOOK}) for name in names)
    )
    last = done.stderr.splitlines()[-1]
    assert last.startswith("course: 10 names are not on the roster")
    assert f"`course roster FILE.csv --course {course.root}`" in last


def test_a_name_of_another_case_says_whose_it_is(course, enrol, collect, tmp_path):
    enrol("ada")
    packed(tmp_path / "ADA_day-50.zip", {"dropout.ipynb": BOOK})
    assert "add `--as ada`" in collect("ADA_day-50.zip").stderr


def test_before_anybody_is_enrolled_the_names_are_told_and_some_are_asked(
    course, collect, tmp_path
):
    for name in ("Day-50 Lisa.zip", "Lisa Meier.zip", "lisa.zip"):
        packed(tmp_path / name, {"dropout.ipynb": BOOK})
    done = collect("Day-50 Lisa.zip", "Lisa Meier.zip", "lisa.zip")
    assert done.exit_code == 2 and done.stderr.count("nobody is enrolled yet") == 2
    assert "the files' names became students (lisa)" in done.stdout
    assert [path.name for path in course.submitted.iterdir()] == ["lisa"]


# Every member of every archive

WORDS = (
    "dropout|DROPOUT|day-50|x|helper|/|\\|..|.ipynb|.IPYNB|.txt|.json|.py|.zip| (1)|-1|__MACOSX/|"
    ".DS_Store|._a|timestamp.txt|submission.json|\u202f|C:|e\u0301|\u00e9"
)
NAMES = st.lists(st.sampled_from(WORDS.split("|")), min_size=1, max_size=5).map("".join)
KINDS = st.sampled_from(["notebook", "object", "text", "archive"])
PLACES = st.sampled_from(
    [
        *("", "", "day-50/", "a/b/", "Ada_101_assignsubmission_file_/"),
        *("Eve_7_assignsubmission_file_", "Ada_101_assignsubmission_onlinetext_"),
        *("ada_101_7_", "ada_101_text.html", "anon_3fXq2_5_"),
    ]
)


def content(kind, number):
    """Bytes of that kind which no other member has."""
    if kind == "notebook":
        return BOOK + b" " * number
    if kind == "archive":
        return zip_of({"dropout.ipynb": BOOK + b"\n" * number})
    return (b'{"x": %d}' if kind == "object" else b"text %d") % number


def zip_of(members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for name, content in members.items():
            file.writestr(zipfile.ZipInfo(name or "x", (2020, 1, 1, 0, 0, 0)), content)
    return data.getvalue()


FEW = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@FEW
@given(
    st.dictionaries(st.builds("{}{}".format, PLACES, NAMES), KINDS, max_size=6),
    st.sampled_from([None, "moodle", "canvas"]),
    st.booleans(),
)
def test_every_member_is_taken_or_named(
    tmp_path_factory, monkeypatch, kinds, platform, is_published
):
    monkeypatch.setattr(unpacking, "unpacked", unpacked_here)
    monkeypatch.setattr(archives.boxes, "require_sandbox", lambda: None)
    monkeypatch.setattr(archives.parser, "read_notebook", _cells)
    root = tmp_path_factory.mktemp("world")
    course = Course.at(root / "course")
    if is_published:
        released = root / "released"
        released.mkdir()
        (released / "dropout.ipynb").write_bytes(BOOK)
        skeletons.store(course, skeleton_of("day-50", released, released))
    members = {name: content(kind, number) for number, (name, kind) in enumerate(kinds.items(), 1)}
    (root / "ada_day-50.zip").write_bytes(zip_of(members))
    known = roster.Roster(
        {"ada": roster.Person("ada", "Ada", last_name="", email="", lms_user_id="101")}
    )
    done = collect_archives(
        course, known, "day-50", [root / "ada_day-50.zip"], Options(platform=platform)
    )
    there = [path.read_bytes() for path in course.submitted.rglob("*") if path.is_file()]
    said = [*done.refused, *(line for one in done.arrivals for line in one.remarks)]
    is_refused_whole = any(line.startswith("ada_day-50.zip: ") for line in done.refused)
    for name, data in members.items():
        is_opened = data.startswith(b"PK") and any(data_of(data) == one for one in there)
        if data not in there and not is_opened and not is_refused_whole:
            assert is_leftover(as_path(name)) or is_named(as_path(name), said), (name, said)


def data_of(archive):
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        return file.read("dropout.ipynb")


def as_path(name):
    parts = unicodedata.normalize("NFC", name.replace("\\", "/")).split("/")
    return "/".join(part for part in parts if part not in ("", "."))


def is_named(path, said):
    """Whether a line names the file, or its student, who was refused whole."""
    top, _, rest = path.partition("/")
    whose = {
        f"{shown(one.label)}: "
        for platform in platforms.PLATFORMS
        for one in platforms.readings(platform, top)
    }
    names = {f"{shown(path)} was left out", f", {shown(top)}: ", shown(path)[:100], *whose}
    names |= {f"{shown(rest)} was left out"} if rest else set()
    names |= {f"{one.file} was left out" for one in platforms.readings("canvas", top) if one.file}
    return any(word in line for word in names for line in said)


def _cells(data, *_):
    try:
        cells = json.loads(data)["cells"]
    except (ValueError, LookupError, TypeError):
        raise ValueError from None
    return [{"nbgrader": cell["metadata"].get("nbgrader")} for cell in cells], None


def test_a_class_is_seen_whatever_number_of_notebooks_each_hands_in():
    """The first of its files are all one person's."""
    books = {}
    for name in (f"n{number:02}" for number in range(15)):
        cell = new_code_cell(f"def {name}(): ...")
        marks = {"grade_id": name, "grade": False, "solution": True, "locked": False}
        cell.metadata["nbgrader"] = {**marks, "schema_version": 3, "task": False}
        books[name] = nbformat.writes(new_notebook(cells=[cell])).encode()
    published = {name: nbformat.reads(data.decode(), 4) for name, data in books.items()}
    one = {f"ada/{name}.ipynb": data for name, data in books.items()}
    assert one_person.problem_of(one, published, "day-50") is None
    two = one | {path.replace("ada", "ben"): data for path, data in one.items()}
    assert "n00.ipynb 2 times" in (one_person.problem_of(two, published, "day-50") or "")
