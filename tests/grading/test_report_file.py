"""The report of a class for programs, and what is kept of a class in memory."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from nbjudge.grading.marks.results import CellResult, NotebookResult, SubmissionResult
from nbjudge.grading.run.request import Report

TEXTS = st.text(max_size=30)
POINTS = st.floats(0, 20)
CELLS = st.builds(
    CellResult, TEXTS, st.none() | POINTS, POINTS, rung=st.none() | TEXTS, found=TEXTS
)
RESULTS = st.builds(
    SubmissionResult,
    TEXTS,
    POINTS,
    tampered=st.lists(TEXTS, max_size=3),
    remarks=st.lists(TEXTS, max_size=3),
    notebooks=st.dictionaries(
        TEXTS, st.builds(NotebookResult, TEXTS, st.none() | TEXTS), max_size=3
    ),
    cells=st.dictionaries(TEXTS, CELLS, max_size=5),
    late_penalty=POINTS,
    fault=st.none() | TEXTS,
)


@settings(max_examples=40)
@given(st.lists(RESULTS, max_size=4))
def test_the_json_of_a_class_is_what_python_writes_of_the_whole(results):
    parts = Report("day-50", "0", results).json_text()
    entries = [result.to_json() for result in results]
    whole = {"assignment": "day-50", "seed_id": "0", "submissions": entries}
    text = "".join(parts)
    assert json.loads(text) == json.loads(json.dumps(whole))
    if results:
        assert text == json.dumps(whole, indent=1) + "\n"


def test_documents_files_and_secrets_are_not_kept_for_a_class():
    result = SubmissionResult("ada", 1.0, documents={"a": {}}, files={"a": {"b": ""}}, secret="x")
    assert result.texts
    kept = result.without_documents()
    assert kept == SubmissionResult("ada", 1.0) and kept.texts == {}
    assert result.documents and result.files and result.secret
