"""`course feedback --to`: an archive of pages whose names Moodle and Canvas read as their sources do."""

import stat
import zipfile

import pytest

from nbjudge.course import handing_back, roster

ADA = {"lms_user_id": "101", "first_name": "Ada", "last_name": "Lovelace_King"}
BEN = {"lms_user_id": "102", "first_name": "Ben", "last_name": "Böhm"}


@pytest.fixture
def paged(course):
    """Give a student pages: `paged("ada", "dropout", "gemm")`."""

    def write(student, *notebooks):
        folder = course.feedback / student / "day-50"
        folder.mkdir(parents=True)
        for name in notebooks:
            (folder / f"{name}.html").write_text(f"{student}: {name}")

    return write


def moodle(name, participants):
    """Whose a file is and how it is called, as `importziplib.php` decides it."""
    parts = f"/import/{name}".split("_", 4)
    if len(parts) < 5 or not parts[1].isdigit() or parts[2:4] != ["assignfeedback", "file"]:
        return None
    return participants.get(int(parts[1])), parts[4]


def canvas(name, attachments):
    """Whose a file is, as `infer_comment_context_from_filename` decides it."""
    numbers = [part for part in name.split("_") if part.isdigit()][:2]
    return attachments.get(tuple(numbers))


def packed(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def hand_back(course, target, platform, **more):
    known = roster.of_course(course)
    return handing_back.write(course, "day-50", target, platform=platform, roster=known, **more)


def test_moodle_finds_every_page_s_student(course, enrol, paged, tmp_path):
    enrol(ada=ADA, ben=BEN, zoe={})
    paged("ada", "dropout", "gemm")
    paged("ben", "my_notebook_2")
    paged("zoe", "dropout")
    done = hand_back(course, tmp_path / "back.zip", "moodle")
    assert done.students == ("ada", "ben")
    assert len(done.left_out) == 1 and "zoe" in done.left_out[0] and "--roster" in done.left_out[0]
    found = packed(tmp_path / "back.zip")
    read = {moodle(name, {101: "ada", 102: "ben"}): text for name, text in found.items()}
    assert read == {
        ("ada", "dropout.html"): "ada: dropout",
        ("ada", "gemm.html"): "ada: gemm",
        ("ben", "my_notebook_2.html"): "ben: my_notebook_2",
    }
    assert stat.S_IMODE((tmp_path / "back.zip").stat().st_mode) == 0o600


def test_a_number_of_two_people_is_nobody_s(course, enrol, paged, tmp_path):
    enrol(ada=ADA, ben={**BEN, "lms_user_id": "101"}, eve={"lms_user_id": "7"})
    for student in ("ada", "ben", "eve"):
        paged(student, "dropout")
    done = hand_back(course, tmp_path / "back.zip", "moodle")
    assert done.students == ("eve",) and len(done.left_out) == 2
    assert all("of several people" in line for line in done.left_out)


@pytest.fixture
def download(tmp_path):
    def write(*names):
        with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
            for name in names:
                archive.writestr(name, "{}")
        return tmp_path / "all.zip"

    return write


def test_canvas_finds_every_page_s_upload(course, enrol, paged, download, tmp_path):
    enrol(ada={**ADA, "last_name": "Lovelace"}, ben=BEN, zoe={"lms_user_id": "103"})
    paged("ada", "dropout", "gemm")
    paged("ben", "dropout")
    paged("zoe", "dropout")
    every = download(
        "lovelaceada_101_9001_gemm.ipynb",
        "lovelaceada_101_9002_dropout.ipynb",
        "bohmben_LATE_102_9003_dropout-1.ipynb",
        "anon_3fXq2_9005_p1.ipynb",
        "evilben_102_9004_101_9001_dropout.ipynb",
    )
    done = hand_back(course, tmp_path / "back.zip", "canvas", download=every)
    assert "ada" in done.students and "zoe" not in done.students
    said = " ".join(done.left_out)
    assert "zoe: has no file" in said and "anon_3fXq2" in said and "evilben" in said
    attachments = {("101", "9001"): "ada", ("101", "9002"): "ada", ("102", "9003"): "ben"}
    found = packed(tmp_path / "back.zip")
    for name, text in found.items():
        assert canvas(name, attachments) == text.partition(":")[0]
    assert "lovelaceada_101_9001_gemm.html" in found
    assert "lovelaceada_101_9002_dropout.html" in found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "moodle"], "takes both"),
        (["--zip", "a.zip"], "takes both"),
        (["--roster", "a.csv"], "takes both"),
        (["--to", "blackboard", "--zip", "a.zip"], "blackboard"),
    ],
)
def test_what_does_not_fit_together_is_said(course, typed, words, said):
    done = typed("feedback", "day-50", "--course", course.root, *words)
    assert done.exit_code == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_without_pages_or_a_download_it_says_what_to_do(course, enrol, paged, tmp_path):
    enrol(ada=ADA)
    with pytest.raises(handing_back.NotHandedBack, match="has a page"):
        hand_back(course, tmp_path / "back.zip", "moodle")
    paged("ada", "dropout")
    with pytest.raises(handing_back.NotHandedBack, match="--download"):
        hand_back(course, tmp_path / "back.zip", "canvas")
    with pytest.raises(handing_back.NotHandedBack, match="--download out"):
        hand_back(course, tmp_path / "back.zip", "moodle", download=tmp_path / "all.zip")
    assert not (tmp_path / "back.zip").exists()


def test_the_command_writes_the_archive_beside_the_pages(
    course, enrol, paged, typed, tmp_path, monkeypatch
):
    enrol(ada={**ADA, "lms_user_id": ""})
    paged("ada", "dropout")
    monkeypatch.setattr("nbjudge.course.feedback.feedback", lambda *given, **named: [])
    (tmp_path / "numbers.csv").write_text("student,lms_user_id\nada,77\n")
    words = ["--to", "moodle", "--zip", "back.zip", "--roster", "numbers.csv"]
    done = typed("feedback", "day-50", "--course", course.root, *words)
    assert done.exit_code == 0, done.stderr
    assert "those of 1 student are in back.zip, for Moodle" in done.stdout
    assert list(packed(tmp_path / "back.zip")) == [
        "Ada Lovelace King_77_assignfeedback_file_dropout.html"
    ]
