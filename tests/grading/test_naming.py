"""Which file of a submission is which notebook: whatever people, browsers and systems make of a
name.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbjudge.grading.intake import intake, notebook_names
from nbjudge.leftovers import is_leftover

BOOK = json.dumps({"cells": [], "nbformat": 4}).encode()
EXPECTED = ("p1", "Übung 2")
NFD = "U\u0308bung 2.ipynb"


def taken(tmp_path, files, expected=EXPECTED, **options):
    folder = tmp_path / "submitted" / "ada" / "hw"
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return intake.take(tmp_path / "submitted", "ada", "hw", expected=expected, **options)


@pytest.mark.parametrize(
    "name",
    [
        "p1.ipynb.txt",
        "p1.ipynb.json",
        "p1.ipynb (1).txt",
        "p1 (1).ipynb.txt",
        "p1-1.ipynb.json",
        "p1.ipynb-1.txt",
        "P1.ipynb.TXT",
        "P1.IPYNB",
        "p1.Ipynb",
        "p1.json",
        "P1.txt",
        "p1.ipynb.download",
        "p1.ipynb.html",
        "sub/P1.IPYNB.txt",
    ],
)
def test_what_systems_make_of_a_name_is_that_notebook_and_is_said(tmp_path, name):
    found = taken(tmp_path, {name: BOOK})
    assert found.notebooks == {"p1": BOOK} and found.found_as == {"p1": name}
    assert found.notes == (f"{name} is taken as p1.ipynb",) and not found.remarks


def test_letters_with_accents_apart_are_the_same_name_and_need_no_word(tmp_path):
    found = taken(tmp_path, {NFD: BOOK})
    assert set(found.notebooks) == {"Übung 2"} and found.notes == ()


@pytest.mark.parametrize("data", [b"", b"my notes", b'{"x": 1}', b'["cells"]', b"\xff{"])
@pytest.mark.parametrize("name", ["p1.ipynb.txt", "p1.json"])
def test_what_does_not_begin_as_a_notebook_is_a_file_beside(tmp_path, name, data):
    found = taken(tmp_path, {name: data}, with_files=True)
    assert not found.notebooks and found.files == {name: data}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_a_notebook_may_begin_with_a_mark(tmp_path, encoding):
    data = ("\ufeff" * (encoding == "utf-16-be") + BOOK.decode()).encode(encoding)
    assert set(taken(tmp_path, {"p1.ipynb.txt": data}).notebooks) == {"p1"}


@pytest.mark.parametrize(
    ("nearer", "farther"),
    [
        ("p1.ipynb", "P1.ipynb"),
        ("p1.ipynb", "p1.ipynb.txt"),
        ("P1.ipynb", "p1.ipynb.txt"),
        ("p1.ipynb.txt", "p1.ipynb (1).txt"),
        ("p1.ipynb.txt", "p1.json"),
        ("p1.ipynb", "sub/p1.ipynb"),
        ("p1.ipynb.json", "sub/deep/p1.ipynb.json"),
    ],
)
def test_of_two_for_one_notebook_the_nearest_counts_and_the_other_is_named(
    tmp_path, nearer, farther
):
    other = BOOK.replace(b"4", b"5")
    found = taken(tmp_path, {nearer: BOOK, farther: other})
    assert found.notebooks == {"p1": BOOK}
    assert f"{farther} does not count as p1.ipynb: {nearer} does" in found.notes


def test_of_two_that_are_equally_near_none_counts_but_the_same_bytes_are_one(tmp_path):
    both = {"a/p1.ipynb": BOOK, "b/p1.ipynb": BOOK.replace(b"4", b"5")}
    found = taken(tmp_path, both)
    assert not found.notebooks
    assert "as a/p1.ipynb and as b/p1.ipynb, and none counts" in found.refused["p1"]
    assert set(taken(tmp_path / "again", dict.fromkeys(both, BOOK)).notebooks) == {"p1"}


def test_files_are_seen_from_the_lab_s_folder(tmp_path):
    files = {
        "hw/p1.ipynb": BOOK,
        "hw/helper.py": b"a",
        "hw/data/x.csv": b"b",
        "read.me": b"c",
        "hw/old/p1.ipynb": BOOK,
        "helper.py": b"other",
    }
    found = taken(tmp_path, files, with_files=True)
    assert set(found.files) == {"helper.py", "data/x.csv", "read.me", "old/p1.ipynb"}
    assert found.files["helper.py"] == b"a"
    assert found.remarks == ("helper.py was not read: another file lies in its place",)


def test_a_copy_below_never_takes_the_place_of_what_lies_above(tmp_path):
    copy = BOOK + b" "
    files = {"p1.ipynb": BOOK, "old/p1.ipynb": copy, "old/Übung 2.ipynb": copy}
    found = taken(tmp_path, files)
    assert found.notebooks == {"p1": BOOK, "Übung 2": copy}
    assert "old/Übung 2.ipynb is taken as Übung 2.ipynb" in found.notes


def test_no_other_file_costs_a_notebook_its_place(tmp_path):
    many = {f"a/{number}": b"" for number in range(intake.untrusted.MAX_FILES + 5)}
    found = taken(tmp_path, {**many, "p1.ipynb": BOOK}, with_files=True)
    assert set(found.notebooks) == {"p1"} and "more than 500 files" in found.remarks[0]


PIECES = st.sampled_from(
    [
        "p1",
        "P1",
        "Übung 2",
        "Übung 2",
        "x",
        "hw",
        "/",
        ".ipynb",
        ".IPYNB",
        ".txt",
        ".json",
        " (1)",
        "-1",
        "-Copy1",
        "__MACOSX",
        "helper",
        ".py",
    ]
)
PATHS = st.lists(PIECES, min_size=1, max_size=6).map("".join).map(lambda path: path.strip("/"))


@given(
    st.dictionaries(PATHS.filter(bool), st.sampled_from([BOOK, BOOK + b" ", b"text"]), max_size=6)
)
def test_every_file_is_a_notebook_or_a_file_or_named(files):
    paths = [path for path in files if "//" not in path]
    chosen = notebook_names.choose(
        paths,
        EXPECTED,
        lambda path: notebook_names.begins_as_notebook(files[path]),
        files.__getitem__,
    )
    used = {
        *chosen.notebooks.values(),
        *(path for both in chosen.doubled.values() for path in both),
    }
    assert used <= set(paths) and not any(map(is_leftover, chosen.notebooks.values()))
    for path in set(paths) - used:
        own = None if is_leftover(path) else notebook_names.named(path, EXPECTED)
        if own and (
            own.distance < notebook_names.BEHIND or notebook_names.begins_as_notebook(files[path])
        ):
            # Under whose name another one counts, or none does.
            assert own.notebook in chosen.doubled or any(
                f"{path} does not count" in line for line in chosen.remarks
            )
    for name, path in chosen.notebooks.items():
        assert notebook_names.named(path, EXPECTED).notebook == name
