"""The way into submitted/: nothing is deleted, nothing is written outside, and an interrupted
collection loses nothing.
"""

import io
import os
import zipfile

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nbjudge.boxes.inside import archive as unpacker
from nbjudge.course import archives, roster, unpacking
from nbjudge.course.archives import collect_archives
from nbjudge.course.arrivals import ArrivalRefused, dock
from nbjudge.course.identity import Unclear
from nbjudge.course.manifest import Manifest
from nbjudge.course.uploads import Options
from nbjudge.grading.config.folders import Course
from nbjudge.grading.intake import notebook_names, times
from nbjudge.grading.intake.untrusted import shown


def contents(folder):
    """Every file's bytes, wherever it lies."""
    return sorted(
        path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()
    )


def land(course, student, data, when=None):
    with dock(course) as place:
        return place.land(
            place.stage({"dropout.ipynb": data}), student, "day-50", when=when or place.began
        )


def test_what_is_replaced_is_kept_and_the_same_again_changes_nothing(tmp_path):
    course = Course.at(tmp_path / "course")
    first = land(course, "ada", b"one", when=times.parsed("2026-01-01 00:00:00 UTC"))
    again = land(course, "ada", b"one")
    assert first.is_new and not again.is_new
    assert (course.submitted / "ada/day-50/timestamp.txt").read_text().startswith("2026-01-01")
    second, third = land(course, "ada", b"two"), land(course, "ada", b"three")
    assert (second.kept / "dropout.ipynb").read_bytes() == b"one" and (
        third.kept / "dropout.ipynb"
    ).read_bytes() == b"two"
    assert sorted(os.listdir(course.submitted)) == ["ada"] and os.listdir(
        course.submitted / "ada"
    ) == ["day-50"]


@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_student_s_folder_that_is_none_is_left_alone(tmp_path, kind):
    course = Course.at(tmp_path / "course")
    outside = tmp_path / "outside"
    outside.mkdir()
    course.submitted.mkdir(parents=True)
    if kind == "link":
        (course.submitted / "ada").symlink_to(outside)
    else:
        (course.submitted / "ada").write_text("mine")
    with pytest.raises(ArrivalRefused, match="move it away"):
        land(course, "ada", b"one")
    assert not any(outside.iterdir())


def test_a_rename_that_fails_puts_the_older_one_back(tmp_path, monkeypatch):
    course = Course.at(tmp_path / "course")
    land(course, "ada", b"one")
    rename = os.rename

    def failing(source, target):
        if ".arriving-" in str(source):
            raise OSError(28, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(OSError, match="No space"):
        land(course, "ada", b"two")
    assert (course.submitted / "ada/day-50/dropout.ipynb").read_bytes() == b"one"


def test_a_second_collection_at_once_is_refused(tmp_path):
    course = Course.at(tmp_path / "course")
    with (
        dock(course),
        pytest.raises(ArrivalRefused, match="another `course collect`"),
        dock(course),
    ):
        pass


PIECES = st.sampled_from(
    [
        "ada",
        "ben",
        "day-50",
        "lab-7-01",
        "..",
        ".",
        "_",
        "/",
        "\\",
        "é",
        "\u202e",
        "x" * 230,
        "submission.json",
        " ",
    ]
)
PATHS = st.lists(PIECES, min_size=1, max_size=4).map("".join)
FILES = st.dictionaries(
    PATHS.map(lambda path: f"{path}.ipynb") | PATHS,
    st.sampled_from([b"", b"{}", b"one", b"two"]),
    max_size=4,
)
STEMS = st.sampled_from(
    [
        "ada_day-50",
        "ada",
        "ben_day-50",
        "ben_day-50 (1)",
        "_day-50",
        ".._day-50",
        "...",
        "ada_ben_day-50",
        "ada_lab-7-01",
        "Ada_day-50",
        "x",
    ]
)
SAID = st.none() | st.builds(
    Manifest,
    assignment=st.sampled_from(["day-50", "lab-7-01"]),
    student=st.sampled_from([None, "ada", "ben", "../x", "ada_ben"]),
    time=st.sampled_from([None, "1990-01-01 00:00:00 UTC", "2099-01-01 00:00:00 UTC"]),
)


def packed(files, said):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for name, content in files.items():
            file.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content)
        if said:
            file.writestr("day-50/submission.json", said.to_bytes())
    return data.getvalue()


def unpacked_here(data, bulk=False):
    """The box's own program, in this process."""
    try:
        members = unpacker._once(unpacker.unpack(data, bulk), bulk)
    except unpacker.Refused as refusal:
        raise Unclear(str(refusal)) from None
    left_out = {path: one for path, one in members.items() if isinstance(one, unpacker.Refused)}
    files = {path: data for path, data in members.items() if path not in left_out}
    return unpacking.Opened(files, {path: shown(str(why), 400) for path, why in left_out.items()})


def property_holds(tmp_path_factory, uploads, with_roster, newest, platform):
    root = tmp_path_factory.mktemp("world")
    course = Course.at(root / "course")
    for student in ("ada", "eve"):
        folder = course.submitted / student / "day-50"
        folder.mkdir(parents=True)
        (folder / "dropout.ipynb").write_bytes(f"{student}'s".encode())
    (course.root / "gradebook.txt").write_bytes(b"marks")
    downloads = root / "downloads"
    zips = []
    for number, (stem, data) in enumerate(uploads):
        folder = downloads / str(number)
        folder.mkdir(parents=True)
        (folder / f"{stem}.zip").write_bytes(data)
        zips.append(folder / f"{stem}.zip")
    people = (
        {name: roster.Person(name, lms_user_id=name) for name in ("ada", "ben")}
        if with_roster
        else {}
    )
    known = roster.Roster(
        people, frozenset({"ada", "eve"}), assignments=frozenset({"day-50", "lab-7-01"})
    )
    before = contents(root)
    done = collect_archives(
        course, known, "day-50", zips, Options(platform=platform, newest=newest)
    )
    after = contents(root)
    for data in set(before):
        assert after.count(data) >= before.count(data), "a file was lost"
    outside = {path.relative_to(root).parts[:2] for path in root.rglob("*") if path.is_file()}
    assert outside <= {
        ("course", name) for name in ("submitted", "replaced", ".nbjudge", "gradebook.txt")
    } | {("downloads", str(number)) for number in range(len(uploads))}
    for path in course.submitted.rglob("*"):
        # A file may be hidden, and may lie in a folder; a student and what they handed in may not.
        student, *rest = path.relative_to(course.submitted).parts
        assert not any(each.startswith(".") for each in (student, *rest[:1]))
    assert len(set(done.students)) == len(done.students)
    assert len(done.arrivals) + len(done.refused) <= len(zips) or platform
    assert (
        course.submitted / "eve/day-50/dropout.ipynb"
    ).read_bytes() == b"eve's" or "eve" in done.students
    assert all(line.isprintable() for line in done.refused)


UPLOADS = st.lists(
    st.tuples(STEMS, st.builds(packed, FILES, SAID) | st.binary(max_size=40)), max_size=4
)
FEW = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
MANY = settings(
    max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def without_boxes(monkeypatch):
    monkeypatch.setattr(unpacking, "unpacked", unpacked_here)
    monkeypatch.setattr(archives.boxes, "require_sandbox", lambda: None)


@FEW
@given(UPLOADS, st.booleans(), st.booleans(), st.sampled_from([None, "moodle", "canvas"]))
@example([("ada", packed({"...ipynb": b"{}"}, None))], True, False, None)
@example([("ada", packed({"ada/.ben": b"", "ada.ipynb": b"{}"}, None))], True, False, None)
def test_no_archive_writes_outside_or_takes_a_file_away(
    tmp_path_factory, without_boxes, uploads, with_roster, newest, platform
):
    property_holds(tmp_path_factory, uploads, with_roster, newest, platform)


@pytest.mark.slow
@MANY
@given(UPLOADS, st.booleans(), st.booleans(), st.sampled_from([None, "moodle", "canvas"]))
@example([("ada", packed({"...ipynb": b"{}"}, None))], True, False, None)
@example([("ada", packed({"ada/.ben": b"", "ada.ipynb": b"{}"}, None))], True, False, None)
def test_no_archive_of_thousands_does(
    tmp_path_factory, without_boxes, uploads, with_roster, newest, platform
):
    property_holds(tmp_path_factory, uploads, with_roster, newest, platform)


@pytest.mark.parametrize("path", ["...ipynb", "a/..ipynb", "....IPYNB", "...ipynb (1).txt"])
def test_dots_alone_name_no_notebook(path):
    assert notebook_names.named(path, ()) is None
    assert notebook_names.named(f"p{path.rpartition('/')[2]}", ()) is not None
