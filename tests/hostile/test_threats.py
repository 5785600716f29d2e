"""The table of attacks is whole: each row is tried by something that exists, and each submission of
the corpus is in a row.
"""

import ast
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.hostile import corpus

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "attacks.md").read_text()
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")]
TRIED = {row[0]: re.findall(r"`([^`]+)`", row[-1]) for row in ROWS if row[-1] != "tried by"}
STUDENTS = [attack.student for attack in corpus.ALL]


def exists(one: str) -> bool:
    path, _, name = one.partition("::")
    if not name:
        return any(fnmatchcase(student, one) for student in STUDENTS)
    return name in {
        node.name
        for node in ast.parse((ROOT / path).read_text()).body
        if isinstance(node, ast.FunctionDef)
    }


@pytest.mark.parametrize("attack", TRIED)
def test_a_row_is_tried_by_something_that_exists(attack):
    assert TRIED[attack] and [one for one in TRIED[attack] if not exists(one)] == []


def test_every_submission_of_the_corpus_is_in_a_row():
    patterns = [one for several in TRIED.values() for one in several]
    assert [
        student for student in STUDENTS if not any(fnmatchcase(student, one) for one in patterns)
    ] == []
    assert f"hands in {len(STUDENTS)} hostile submissions" in PAGE
