"""A notebook under another name is known by its cells, if it is the only one that could be meant."""

import json

import pytest

from autograder.grading.intake import Submission
from autograder.grading.renamed import NotHandedIn, find, shown


def notebook(*grade_ids):
    cells = [
        {
            "cell_type": "code",
            "source": "",
            "metadata": {"nbgrader": {"grade_id": name, "grade": True}},
        }
        for name in grade_ids
    ]
    return {"cells": cells}


SKELETONS = {
    "shapes": notebook("conv", "coverage", "check-shapes", "shared"),
    "gemm": notebook("fuse", "check-gemm", "shared"),
}


def handed_in(**names):
    return Submission(
        "ada",
        {
            name.replace("_", " "): json.dumps(grade_ids).encode()
            for name, grade_ids in names.items()
        },
    )


def read(data):
    return [{"nbgrader": name and {"grade_id": name}} for name in json.loads(data)], None


SHAPES = ["conv", None, "coverage", "check-shapes", "shared"]


def test_the_only_file_with_its_cells_is_it():
    assert (
        find("shapes", SKELETONS, handed_in(my_answer=SHAPES, notes=[None], gemm=["fuse"]), read)
        == "my answer"
    )


def test_some_cells_may_be_gone():
    assert find("shapes", SKELETONS, handed_in(x=[*SHAPES[:3], "shared"]), read) == "x"


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "shapes.ipynb is not in the submission"),
        (
            {"a": SHAPES, "b": SHAPES},
            "a.ipynb, b.ipynb hold its cells: hand in one, as shapes.ipynb",
        ),
        (
            {"a": ["shared"], "b": []},
            "a.ipynb, b.ipynb, and none of them holds the cells of shapes.ipynb",
        ),
        ({"a": ["fuse", "check-gemm", "shared"]}, "none of them holds"),
        ({"gemm": SHAPES}, "is not in the submission"),
    ],
)
def test_none_and_several_are_refused_by_name(files, words):
    with pytest.raises(NotHandedIn, match=words.replace("(", ".")) as refused:
        find("shapes", SKELETONS, handed_in(**files), read)
    assert "\n" not in str(refused.value)


def test_what_cannot_be_read_is_no_candidate():
    def broken(data):
        if data == b"[]":
            raise ValueError
        return read(data)

    assert find("shapes", SKELETONS, handed_in(a=[], b=SHAPES), broken) == "b"


def test_a_name_drives_no_terminal():
    assert shown("\x1b[2Jx\n" + "y" * 99) == "\ufffd[2Jx\ufffd" + "y" * 54 + ".ipynb"
