"""Whether an exercise is known again without its cases being made."""

from types import SimpleNamespace

import pytest

from nbjudge.grading.store import cache, case_hashes

SOLUTION = {"cells": []}
TEST = {
    "cell_type": "code",
    "source": 'check("shapes", conv_output_size)',
    "metadata": {"nbgrader": {"grade": True, "grade_id": "check-shapes"}},
}
SKELETON = SimpleNamespace(notebooks={"01": {"cells": [TEST]}}, solutions={"01": SOLUTION})


@pytest.mark.parametrize(
    ("cases", "references"), [([], {}), (["a hash"], {"a case": b"bytes"})], ids=["none", "one"]
)
def test_what_was_filed_is_known(tmp_path, monkeypatch, cases, references):
    """Also an exercise without a case, whose references are an empty dictionary."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert case_hashes.known(SKELETON, 1, False) is None
    case_hashes.keep_cases("shapes", 1, False, cases)
    assert case_hashes.known(SKELETON, 1, False) is None
    depends_on = case_hashes.references_depend_on("shapes", SOLUTION, cases)
    cache.write(case_hashes.REFERENCES, depends_on, references)
    known = case_hashes.known(SKELETON, 1, False)
    assert known["shapes"].cases == tuple(cases)
    assert case_hashes.known(SKELETON, 2, False) is None
