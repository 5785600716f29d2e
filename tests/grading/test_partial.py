"""A test cell whose last expression is a number of points: what a student's own objects show, in
place of a number, earns nothing.
"""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nbjudge.boxes.inside.outputs import Outputs
from nbjudge.grading.document import sanitize
from nbjudge.grading.execution.progress import CellRun
from nbjudge.grading.execution.runner import run_notebook
from nbjudge.grading.marks import plain_tests
from nbjudge.grading.run import coordinator
from tests.grading import small
from tests.grading.small import code, meta, notebook

POINTS = 2.0
# What `val()` is; what the cell `val()` is worth of 2 points where the solution shows a number, and
# where nbgrader's rule alone decides.
SHOWN = """class R:
    def _repr_mimebundle_(self, **options): return {bundle}
def val(): return R()"""
VALUES = {
    "half": ("def val(): return 0.5", 0.5, 0.5),
    "all": ("def val(): return 2", 2.0, 2.0),
    "nothing": ("def val(): return 0", 0.0, 0.0),
    "no value": ("def val(): return None", 0.0, 2.0),
    "a text": ("def val(): return 'well done'", 0.0, 2.0),
    "an object": ("def val(): return object()", 0.0, 2.0),
    "HTML": (SHOWN.format(bundle="{'text/html': '2.0'}"), 0.0, 2.0),
    "an empty bundle": (SHOWN.format(bundle="{}"), 0.0, 2.0),
    "a picture": (SHOWN.format(bundle="{'image/png': ''}"), 0.0, 2.0),
    "a blank text": (SHOWN.format(bundle="{'text/plain': '  '}"), 0.0, 0.0),
    "a number as text": (SHOWN.format(bundle="{'text/plain': 2.0}"), 0.0, 0.0),
    "a list as text": (SHOWN.format(bundle="{'text/plain': ['2.0']}"), 0.0, 0.0),
    "a table as text": (SHOWN.format(bundle="{'text/plain': {'text/plain': '2.0'}}"), 0.0, 0.0),
    "shows itself": ("class R:\n    def _ipython_display_(self): print(2.0)\ndef val(): return R()", 0.0, 0.0),
    "not a number": ("def val(): return float('nan')", 0.0, 0.0),
    "endless": ("def val(): return float('inf')", 0.0, 0.0),
    "below": ("def val(): return -1", 0.0, 0.0),
    "above": ("def val(): return 2.0000001", 0.0, 0.0),
    "in other digits": ("class R:\n    def __repr__(self): return chr(0xFF19) * 2\ndef val(): return R()", 0.0, 0.0),
    "displayed": ("def val():\n    for _ in range(50): display(2.0)\n    return 0", 0.0, 0.0),
    "shown as results": ("import sys\ndef val():\n    for _ in range(50): sys.displayhook(2.0)\n    return 0", 0.0, 0.0),
    "shown as results, drowned": (
        "import sys\ndef val():\n    sys.displayhook(2.0)\n    for _ in range(2000): display('x')\n    return 0.5", 0.5, 0.5),
    "shown as results, behind the limit": (
        "import sys\ndef val():\n    for n in range(2000): display(2.0)\n    sys.displayhook(2.0)\n    return 0", 0.0, 0.0),
}  # fmt: skip


@pytest.fixture(scope="module")
def runs():
    """By name, the cell `val()`; one notebook for all of them, so that one box does."""
    cells = []
    for number, (source, *_) in enumerate(VALUES.values()):
        test = code(f"test-{number}", "val()", meta(f"t{number}", POINTS))
        cells += [code(f"own-{number}", source), test]
    run = run_notebook(notebook(cells), {})
    return {name: run.cells[2 * number + 1] for number, name in enumerate(VALUES)}


@pytest.mark.parametrize("wants_number", [True, False])
@pytest.mark.parametrize("name", VALUES)
def test_a_result_is_worth_its_points(runs, name, wants_number):
    given = [code("t", "val()", meta("t", POINTS))]
    run = [code("t", "hidden = 1\nval()", meta("t", POINTS))]
    ran = plain_tests.expecting({0: runs[name]}, given, ["t"] if wants_number else [])[0]
    marked = plain_tests.grade_cell(ran, POINTS)
    assert marked.score == VALUES[name][1 if wants_number else 2]
    assert marked.score or marked.found or runs[name].outputs[-1]["data"] == {"text/plain": "0"}
    recorded = plain_tests.record_outputs(ran, marked)
    assert [one["data"] for one in recorded if one["output_type"] == "execute_result"] == [
        {"text/plain": repr(float(marked.score))}
    ]
    assert marked.found in json.dumps(recorded, ensure_ascii=False)
    hidden = plain_tests.concealed({0: ran}, given, run)[0]
    assert plain_tests.grade_cell(hidden, POINTS).score == marked.score


def test_the_instructors_own_result_says_whether_a_number_is_asked_for(tmp_path):
    cells = [
        code(
            "own",
            "### BEGIN SOLUTION\ndef val():\n    return 2\n### END SOLUTION",
            meta("own", solution=True),
        ),
        code("part", "val()", meta("part", POINTS)),
        code("text", "val()\n'all of it'", meta("text", POINTS)),
    ]
    project, course = small.published(tmp_path, cells)
    students = {"half": (0.5, 2.0), "all": (2.0, 2.0), "HTML": (0.0, 2.0), "an empty bundle": (0.0, 2.0),
                "a text": (0.0, 2.0), "no value": (0.0, 2.0), "a list as text": (0.0, 2.0)}  # fmt: skip
    for name in students:
        small.hand_in(project, course, name.replace(" ", "-"), {"own": VALUES[name][0]})
    request = coordinator.GradingRequest(small.ASSIGNMENT, seed=1)
    found = {
        result.student: (result.cells["first/part"].score, result.cells["first/text"].score)
        for result in coordinator.grade(course, request).submissions
    }
    assert found == {name.replace(" ", "-"): marks for name, marks in students.items()}


MIMES = st.dictionaries(
    st.sampled_from(["text/plain", "text/html", "image/png"]),
    st.none() | st.integers() | st.floats() | st.text(max_size=8) | st.lists(st.text(max_size=3)),
)


@given(before=st.lists(MIMES, max_size=4), last=st.sampled_from(["0", "0.5", "nan", "-1"]))
@example(before=[{"text/plain": "2.0"}] * 50, last="0")
def test_whatever_is_shown_before_it_a_result_is_worth_no_more_than_by_itself(before, last):
    def worth(*bundles):
        taken = Outputs(200)
        for data in bundles:
            taken.add("execute_result", {"data": data, "execution_count": 1})
        return plain_tests.grade_cell(
            CellRun("ok", sanitize.safe_outputs(taken.list)), POINTS
        ).score

    assert worth(*before, {"text/plain": last}) <= worth({"text/plain": last})
