"""Which files may lie beside a plain assignment's notebooks, and how many; `test_plain` has a
notebook that writes some.
"""

import pytest

from nbjudge.grading import beside


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/etc/x",
        "../x",
        "a/../../x",
        "a.ipynb",
        "A.IPYNB",
        "x/timestamp.txt",
        "submission_secret.txt",
        ".x/y",
        "a\nb",
        "p.HTML",
    ],
)
def test_what_may_not_lie_there_is_not_kept(name, tmp_path):
    kept = {}
    assert beside.keep(kept, "first", {name: b"x"}) == [] and kept == {"first": {}}
    beside.write(tmp_path, {}, {"first": {name: "eA=="}})
    assert not list(tmp_path.iterdir()) and not beside.are_kept({"first": {name: "eA=="}})


def test_too_much_is_named_and_the_rest_is_kept():
    kept = {}
    files = {
        "large": bytes(beside.MAX_FILE + 1),
        "one": b"1",
        **{f"part{number}": bytes(beside.MAX_FILE) for number in range(3)},
    }
    assert beside.keep(kept, "first", files) == ["large", "part2"]
    assert beside.keep(kept, "second", {"more": bytes(beside.MAX_FILE)}) == ["more"]
    assert kept["first"].keys() == {"one", "part0", "part1"} and beside.are_kept(kept)
    many = {}
    assert len(
        beside.keep(many, "first", {str(number): b"" for number in range(beside.MAX_FILES + 3)})
    ) == 3 and beside.are_kept(many)


def test_a_name_that_is_a_file_and_a_folder_loses_the_file(tmp_path):
    kept = {}
    beside.keep(kept, "first", {"a": b"file"})
    beside.keep(kept, "second", {"a/b": b"inside"})
    beside.write(tmp_path, {}, kept)
    assert (tmp_path / "a" / "b").read_bytes() == b"inside"


WRONG = [
    None,
    [],
    {"first": []},
    {"first": {"a": 1}},
    {"first": {"../a": "eA=="}},
    {"first": {"a": "é"}},
    {"first": {"a": "eA="}},
]


@pytest.mark.parametrize(
    "value",
    [*WRONG, {"first": {"a": "eA==" * beside.MAX_TOTAL}}],
    ids=lambda value: repr(value)[:24],
)
def test_a_worker_cannot_send_other_things_as_files(value):
    assert not beside.are_kept(value)
