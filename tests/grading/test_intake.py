"""Intake takes regular files within limits, and nothing else, whatever lies in the folder."""

import errno
import os
import resource
import socket
from contextlib import contextmanager

import pytest

from nbjudge.grading.intake import intake, times, untrusted

ASSIGNMENT = "day-50"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "submitted" / "ada" / ASSIGNMENT
    folder.mkdir(parents=True)
    return folder


def take(folder, **options):
    return intake.take(folder.parents[1], "ada", ASSIGNMENT, **options)


def test_notebooks_and_the_time_are_taken(folder):
    (folder / "dropout.ipynb").write_bytes(b"{}")
    (folder / "timestamp.txt").write_text("2026-11-21 08:00:00 UTC\n")
    (folder / "notes.md").write_text("mine")
    submission = take(folder)
    assert submission.notebooks == {"dropout": b"{}"}
    assert submission.timestamp == "2026-11-21 08:00:00 UTC"
    assert submission.files == {} and submission.refused == {}
    assert take(folder, with_files=True).files == {"notes.md": b"mine"}


@pytest.mark.parametrize("kind", ["symlink", "hard link", "fifo", "socket", "folder"])
def test_a_notebook_that_is_no_plain_file_is_refused_and_the_others_are_taken(
    folder, tmp_path, kind
):
    secret = tmp_path / "solution.ipynb"
    secret.write_text("the instructor's")
    (folder / "inspect.ipynb").write_bytes(b"{}")
    target = folder / "dropout.ipynb"
    if kind == "symlink":
        target.symlink_to(secret)
    elif kind == "hard link":
        os.link(secret, target)
    elif kind == "fifo":
        os.mkfifo(target)
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(folder)  # a socket's path is limited to 107 bytes
        try:
            socket.socket(socket.AF_UNIX).bind("dropout.ipynb")
        finally:
            os.chdir(here)
    else:
        target.mkdir()
    submission = take(folder)
    assert submission.notebooks == {"inspect": b"{}"}
    assert b"instructor" not in repr(submission).encode()
    if kind != "folder":
        assert "dropout" in submission.refused


def test_a_linked_submission_folder_is_refused_whole(tmp_path):
    real = tmp_path / "elsewhere"
    real.mkdir()
    (real / "dropout.ipynb").write_bytes(b"{}")
    (tmp_path / "submitted" / "ada").mkdir(parents=True)
    (tmp_path / "submitted" / "ada" / ASSIGNMENT).symlink_to(real)
    submission = intake.take(tmp_path / "submitted", "ada", ASSIGNMENT)
    assert submission.notebooks == {} and "*" in submission.refused


def test_links_beside_the_notebooks_are_reported_not_followed(folder):
    (folder / "dropout.ipynb").write_bytes(b"{}")
    (folder / "leak.txt").symlink_to("/etc/passwd")
    submission = take(folder, with_files=True)
    assert submission.files == {} and any("leak.txt" in remark for remark in submission.remarks)


def test_sizes_and_counts_are_capped(folder):
    with open(folder / "dropout.ipynb", "wb") as file:
        file.truncate(intake.MAX_NOTEBOOK + 1)  # sparse: no bytes on disk
    for number in range(untrusted.MAX_FILES + 10):
        (folder / f"file-{number}").touch()
    submission = take(folder, with_files=True)
    assert "larger than" in submission.refused["dropout"]
    assert len(submission.files) <= untrusted.MAX_FILES
    assert any("more than" in remark for remark in submission.remarks)


def test_the_digest_changes_with_every_byte_and_name(folder):
    (folder / "dropout.ipynb").write_bytes(b"{}")
    first = take(folder).digest
    assert take(folder).digest == first
    (folder / "dropout.ipynb").write_bytes(b"{ }")
    second = take(folder).digest
    (folder / "dropout.ipynb").rename(folder / "inspect.ipynb")
    assert len({first, second, take(folder).digest}) == 3


def test_a_file_of_a_notebook_s_name_hides_no_change_of_the_notebook(folder):
    """A result is kept as long as the digest is the same."""
    (folder / "dropout").write_bytes(b"notes")
    digests = set()
    for text in (b"{}", b"{ }"):
        (folder / "dropout.ipynb").write_bytes(text)
        digests.add(take(folder, with_files=True).digest)
    assert len(digests) == 2


def test_students_are_those_with_a_folder_for_the_assignment(tmp_path):
    for path in ("ada/day-50", "ben/lab-7-01", ".hidden/day-50"):
        (tmp_path / path).mkdir(parents=True)
    assert intake.students(tmp_path, ASSIGNMENT) == ["ada"]
    assert intake.students(tmp_path / "missing", ASSIGNMENT) == []


def test_what_may_have_been_meant_as_a_submission_is_named(tmp_path):
    for path in ("ada/day-50", "ada/old", "ben/Day-50", "cleo/lab-7-01", "dan", ".hidden/Day-50"):
        (tmp_path / path).mkdir(parents=True)
    for path in ("eve/dropout.ipynb", "fay/.DS_Store", "gus_day-50.zip", "README"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(b"{}")
    (tmp_path / "linked").symlink_to(tmp_path / "ben")
    known = {"day-50", "lab-7-01"}
    found = ["ben/Day-50", "eve/dropout.ipynb", "gus_day-50.zip"]
    assert intake.passed_over(tmp_path, "day-50", known) == found
    assert intake.passed_over(tmp_path / "missing", "day-50", known) == []


ODD = {
    "not UTF-8": b"no\xff.ipynb",
    "control": b"a\x1b[2J.ipynb",
    "newline": b"a\nb.ipynb",
    "bidi": "evil\u202eipynb.ipynb".encode(),
    "a part of a character": b"caf\xc3.ipynb",
    "as long as a name can be": b"n" * 249 + b".ipynb",
}


@pytest.mark.parametrize("name", ODD.values(), ids=list(ODD))
def test_a_name_that_nobody_can_type_costs_that_file_only(folder, name):
    (folder / "dropout.ipynb").write_bytes(b"{}")
    with open(os.path.join(os.fsencode(folder), name), "wb") as file:
        file.write(b"{}")
    submission = take(folder, with_files=True)
    assert submission.notebooks["dropout"] == b"{}"
    assert len(submission.digest) == 64
    assert all(remark.isprintable() for remark in submission.remarks)
    if name != ODD["as long as a name can be"]:
        assert set(submission.notebooks) == {"dropout"}
        (remark,) = submission.remarks
        why = "its name holds characters that cannot be shown, so it was not read: rename it"
        assert remark.endswith(why)


def test_a_digest_is_made_whatever_is_in_a_submission():
    odd = "no\udcff"
    one = intake.Submission(
        "ada", {odd: b"{}"}, files={odd: b""}, refused={odd: odd}, remarks=(odd,), timestamp=odd
    )
    other = intake.Submission(
        "ada",
        {"no\udcfe": b"{}"},
        files={odd: b""},
        refused={odd: odd},
        remarks=(odd,),
        timestamp=odd,
    )
    assert one.digest != other.digest


def test_a_folder_without_a_student_s_name_is_named_and_nobody_gets_a_mark(tmp_path):
    for name in (b"ada", b"no\xff", "e\u202eve".encode()):
        os.makedirs(os.path.join(os.fsencode(tmp_path), name, ASSIGNMENT.encode()))
    found = intake.students(tmp_path, ASSIGNMENT)
    assert len(found) == 3
    for name in found:
        if name != "ada":
            with pytest.raises(intake.IntakeFault, match="rename it") as fault:
                intake.take(tmp_path, name, ASSIGNMENT)
            assert str(fault.value).isprintable()


@contextmanager
def an_ordinary_user():
    """Who is refused what root is not."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


@pytest.fixture
def readable(tmp_path):
    """A class that an ordinary user may read."""
    root = tmp_path / "submitted"
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_uid == os.geteuid() and len(path.parts) > 2:
            path.chmod(0o755)
    for student in ("ada", "ben"):
        (root / student / ASSIGNMENT).mkdir(parents=True)
        (root / student / ASSIGNMENT / "dropout.ipynb").write_bytes(b"{}")
    return root


@pytest.mark.parametrize("closed", ["ben", f"ben/{ASSIGNMENT}", f"ben/{ASSIGNMENT}/dropout.ipynb"])
def test_what_a_student_closed_is_his_own_fault_and_stops_nobody(readable, closed):
    (readable / closed).chmod(0)
    with an_ordinary_user():
        names = intake.students(readable, ASSIGNMENT)
        ada, ben = (intake.take(readable, name, ASSIGNMENT) for name in names)
    (readable / closed).chmod(0o755)
    assert names == ["ada", "ben"] and list(ada.notebooks) == ["dropout"] and not ben.notebooks
    assert (
        "cannot be read (Permission denied)"
        in ben.refused["dropout" if closed.endswith("ipynb") else "*"]
    )


def test_a_machine_without_file_descriptors_is_no_fault_of_the_student(folder):
    (folder / "dropout.ipynb").write_bytes(b"{}")
    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    held = [os.open("/dev/null", os.O_RDONLY)]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (held[0] + 1, most))
        with pytest.raises(intake.IntakeFault, match="Too many open files"):
            take(folder)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before, most))
        os.close(held[0])


@pytest.mark.parametrize("moment", ["scandir", "fstat"])
def test_a_disk_that_fails_is_no_fault_of_the_student(folder, moment, monkeypatch):
    (folder / "dropout.ipynb").write_bytes(b"{}")

    def failing(*_, **__):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, moment, failing)
    with pytest.raises(intake.IntakeFault, match="Input/output error"):
        take(folder)


@pytest.mark.parametrize(
    "text",
    ["2099-01-01 00:00:00 UTC", "yesterday", "9" * 60, "2026-13-45 99:99:99 UTC", "\xff\xfe"],
)
def test_a_time_that_nobody_can_have_seen_is_not_believed(folder, text):
    (folder / "timestamp.txt").write_text(text)
    submission = take(folder)
    assert abs(times.parsed(submission.timestamp).timestamp() - times.now().timestamp()) < 3600
    assert "timestamp.txt" in submission.remarks[0]
    assert take(folder).timestamp == submission.timestamp, "the same bytes have the same time"


def test_a_time_that_the_instructor_corrected_is_believed(folder):
    (folder / "timestamp.txt").write_text("1990-01-01 00:00:00 UTC\n")
    assert take(folder).timestamp == "1990-01-01 00:00:00 UTC" and take(folder).remarks == ()


@pytest.mark.parametrize("name", ["{}", "a/{}", "1/2/3/4/5/6/{}"])
def test_folders_without_end_are_refused_before_they_are_all_looked_at(folder, name, monkeypatch):
    """Empty folders are no files, so the cap on files does not count them."""
    monkeypatch.setattr(untrusted, "MAX_ENTRIES", 50)
    for number in range(60):
        (folder / name.format(f"x{number}")).mkdir(parents=True)
    submission = take(folder)
    assert not submission.notebooks and "more than 50 files and folders" in submission.refused["*"]


def test_folders_that_are_not_looked_into_are_not_counted(folder, monkeypatch):
    monkeypatch.setattr(untrusted, "MAX_ENTRIES", 50)
    deep = folder / "1/2/3/4/5/6/7"
    for number in range(60):
        (deep / f"x{number}").mkdir(parents=True)
    assert not take(folder).refused
