"""Corrupted notebooks: read or refused with words, and rebuilt so that what is given stays as it
was published.

What decides a mark is the given test cell and the source of the solution cell, so a corruption that
changes neither of a rebuilt notebook cannot earn anything.
"""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from nbjudge.grading.notebook.parser import Unreadable, read_notebook
from nbjudge.grading.notebook.rebuild import NotRebuildable, rebuild
from tests.fuzz.corruptions import SEED, of_file

ROOT = Path(__file__).resolve().parents[2]
LAB = (ROOT / "labs" / "day-50" / "inspect.ipynb").read_bytes()
SKELETON = json.loads(LAB)
for each in SKELETON["cells"]:
    each["source"] = "".join(each["source"])
GIVEN = [
    cell["source"]
    for cell in SKELETON["cells"]
    if not cell["metadata"].get("nbgrader", {}).get("solution")
]
EDITS = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 1 << 20), st.integers(0, 1 << 16)),
    min_size=1,
    max_size=4,
)


def hold(data: bytes) -> bool:
    """Whether the notebook can be graded; whatever happens, nothing but the two refusals is raised."""
    try:
        cells, _ = read_notebook(data)
        rebuilt = rebuild(SKELETON, cells)
    except (Unreadable, NotRebuildable) as refusal:
        assert str(refusal).isprintable()
        return False
    ours = [cell for cell in rebuilt.notebook["cells"] if not cell["id"].startswith("extra")]
    assert [cell["metadata"] for cell in ours] == [cell["metadata"] for cell in SKELETON["cells"]]
    assert [
        cell["source"] for cell in ours if not cell["metadata"].get("nbgrader", {}).get("solution")
    ] == GIVEN
    assert all(not cell["metadata"] for cell in rebuilt.notebook["cells"] if cell not in ours)
    json.dumps(rebuilt.notebook).encode()
    return True


def fuzz(count):
    held = []

    @seed(SEED)
    @settings(
        max_examples=count, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(EDITS)
    def run(edits):
        held.append(hold(of_file("lab.ipynb", LAB, edits)))

    run()
    # Corruptions that all end in a refusal, or none, would prove nothing.
    assert count / 20 < sum(held) < count


def test_corrupted_notebooks_are_read_or_refused():
    fuzz(200)


@pytest.mark.slow
def test_many_corrupted_notebooks_are_read_or_refused():
    fuzz(2000)
