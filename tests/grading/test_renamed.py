"""A notebook under another name is known by its cells, if it is the only one that could be meant."""

import json

import pytest

from nbjudge.grading.intake.intake import Submission
from nbjudge.grading.notebook.renamed import Candidates, NotHandedIn, find, shown


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


def named(name, submission, read=read):
    return find(name, Candidates(SKELETONS, submission.notebooks, read))


@pytest.mark.parametrize("path", ["shapes.py", "work/Shapes.PY", "shapes.qmd"])
def test_what_an_editor_made_of_the_notebook_is_named(path):
    candidates = Candidates(SKELETONS, {}, read, beside=["helper.py", path])
    with pytest.raises(NotHandedIn, match=f"{path} is, which is no notebook"):
        find("shapes", candidates)


SHAPES = ["conv", None, "coverage", "check-shapes", "shared"]


def test_the_only_file_with_its_cells_is_it():
    assert named("shapes", handed_in(my_answer=SHAPES, notes=[None], gemm=["fuse"])) == "my answer"


def test_some_cells_may_be_gone():
    assert named("shapes", handed_in(x=[*SHAPES[:3], "shared"])) == "x"


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
        named("shapes", handed_in(**files))
    assert "\n" not in str(refused.value)


def test_what_cannot_be_read_is_no_candidate():
    def broken(data):
        if data == b"[]":
            raise ValueError
        return read(data)

    assert named("shapes", handed_in(a=[], b=SHAPES), broken) == "b"


def test_a_file_is_read_once_for_all_notebooks_that_are_missing():
    looked_at = []

    def counted(data):
        looked_at.append(data)
        return read(data)

    submission = handed_in(a=["x"], b=SHAPES)
    candidates = Candidates(SKELETONS, submission.notebooks, counted)
    assert find("shapes", candidates) == "b"
    with pytest.raises(NotHandedIn):
        find("gemm", candidates)
    assert sorted(looked_at) == sorted(submission.notebooks.values())


def test_a_name_drives_no_terminal():
    assert shown("\x1b[2Jx\n" + "y" * 99) == "\ufffd[2Jx\ufffd" + "y" * 54 + ".ipynb"
