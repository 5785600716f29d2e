"""Results of a class are kept packed, and come back as they were put in."""

import json
import random
import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st

from nbjudge.grading.kept import KeptResults
from nbjudge.grading.request import Report
from nbjudge.grading.results import CellResult, NotebookResult, SubmissionResult

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
def test_results_come_back_as_they_were_put_in(results):
    kept = KeptResults(results)
    assert list(kept) == results and len(kept) == len(results)


@settings(max_examples=40)
@given(st.lists(RESULTS, max_size=4))
def test_the_json_of_a_class_is_what_python_writes_of_the_whole(results):
    parts = Report("day-50", "0", KeptResults(results)).json_text()
    entries = [result.to_json() for result in results]
    whole = {"assignment": "day-50", "seed_id": "0", "submissions": entries}
    text = "".join(parts)
    assert json.loads(text) == json.loads(json.dumps(whole))
    if results:
        assert text == json.dumps(whole, indent=1) + "\n"


def test_documents_files_and_secrets_are_not_kept():
    result = SubmissionResult("ada", 1.0, documents={"a": {}}, files={"a": {"b": ""}}, secret="x")
    assert list(KeptResults([result])) == [SubmissionResult("ada", 1.0)]


def test_an_item_is_a_copy_that_counts_when_it_is_assigned():
    kept = KeptResults([SubmissionResult("ada", 1.0)])
    ada = kept[0]
    ada.late_penalty = 1.0
    assert kept[0].late_penalty == 0.0
    kept[0] = ada
    assert kept[0].late_penalty == 1.0


def test_sorted_they_come_by_student():
    kept = KeptResults(SubmissionResult(name, 1.0) for name in ("eve", "ada", "bob"))
    kept.sort()
    assert [result.student for result in kept] == ["ada", "bob", "eve"]


def test_a_result_takes_little_memory():
    """Forty cells of which half say something, everybody's another: 1.2 kilobytes of digits."""
    said, number = random.Random(0), 200
    kept = KeptResults()
    tracemalloc.start()
    for student in range(number):
        found = " ".join(f"{said.random():.3f}" for _ in range(10))
        cells = [
            CellResult("graded", 0.5, 1.0, rung="numerics", found=found * (n % 2))
            for n in range(40)
        ]
        named = {f"notebook/check-{n}": cell for n, cell in enumerate(cells)}
        kept.append(SubmissionResult(str(student), 40.0, cells=named))
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken / number < 1500
