"""Which files may lie beside a plain assignment's notebooks, and how many; `test_plain` has a
notebook that writes some.
"""

import pytest

from nbjudge.grading.notebook import attachments


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
    assert attachments.keep(kept, "first", {name: b"x"}) == [] and kept == {"first": {}}
    attachments.write(tmp_path, {}, {"first": {name: "eA=="}})
    assert not list(tmp_path.iterdir()) and not attachments.are_kept({"first": {name: "eA=="}})


def test_too_much_is_named_and_the_rest_is_kept():
    kept = {}
    files = {
        "large": bytes(attachments.MAX_FILE + 1),
        "one": b"1",
        **{f"part{number}": bytes(attachments.MAX_FILE) for number in range(3)},
    }
    assert attachments.keep(kept, "first", files) == ["large", "part2"]
    assert attachments.keep(kept, "second", {"more": bytes(attachments.MAX_FILE)}) == ["more"]
    assert kept["first"].keys() == {"one", "part0", "part1"} and attachments.are_kept(kept)
    many = {}
    assert len(
        attachments.keep(
            many, "first", {str(number): b"" for number in range(attachments.MAX_FILES + 3)}
        )
    ) == 3 and attachments.are_kept(many)


def test_a_name_that_is_a_file_and_a_folder_loses_the_file(tmp_path):
    kept = {}
    attachments.keep(kept, "first", {"a": b"file"})
    attachments.keep(kept, "second", {"a/b": b"inside"})
    attachments.write(tmp_path, {}, kept)
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
    [*WRONG, {"first": {"a": "eA==" * attachments.MAX_TOTAL}}],
    ids=lambda value: repr(value)[:24],
)
def test_a_worker_cannot_send_other_things_as_files(value):
    assert not attachments.are_kept(value)
