"""Corrupted answers, and graphs that are bent and still load: whatever an ONNX, safetensors or JSON
file holds, the checks give a verdict of at most full marks, or their box ends.

A check that raises would make a student's file a fault of the harness. Each answer is judged in a
process of its own with the limits of a checker's box; `tests/hostile` has the box itself.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from nbjudge.exercises import ids
from tests.fuzz.corruptions import SEED
from tests.fuzz.graph_edits import EDITS as GRAPH_EDITS
from tests.fuzz.hostile_graphs import EDITS as HOSTILE

ROOT = str(Path(__file__).parents[2])
# Those whose right answers are made without an exporter.
QUICK = (
    "inspect",
    "diagnose",
    "dropout",
    "layernorm",
    "gemm",
    "optimizers",
    "safetensors",
    "fp16",
    "int8_static",
)
EVERY, PARTS = tuple(ids()), 4
# Those whose answers are graphs.
QUICK_GRAPHS = ("dropout", "layernorm", "gemm", "optimizers", "fp16", "int8_static")
GRAPHS = (
    *QUICK_GRAPHS,
    *("control_flow", "export", "mend_export", "saturation", "sensitivity", "capstone"),
)
EDITS = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 1 << 20), st.integers(0, 1 << 16)),
    min_size=1,
    max_size=4,
)


def _bends(numbers: Random) -> list[tuple[int, int, int]]:
    """One edit of a graph or two. Hypothesis prefers small numbers, which would be a few kinds."""
    return [
        (
            numbers.randrange(len(GRAPH_EDITS)),
            numbers.randrange(1 << 20),
            numbers.randrange(1 << 16),
        )
        for _ in range(numbers.randint(1, 2))
    ]


BENDS = st.integers(0, 1 << 62).map(Random).map(_bends)

pytestmark = pytest.mark.xdist_group("fuzz")


class Judges:
    def __init__(self, exercises):
        command = [sys.executable, "-P", "-m", "tests.fuzz.judges", *exercises]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(
            command, **pipes, text=True, env={**os.environ, "PYTHONPATH": ROOT}
        )
        assert self._read() == "ready"

    def judge(self, **order) -> dict:
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return self._read()

    def _read(self):
        line = self.process.stdout.readline()
        assert line, "the judges' own process ended"
        return json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def hold(told: dict) -> None:
    """A verdict of at most full marks in readable words; or the process ended as the box's would,
    which costs the points.
    """
    assert "fault" not in told, told["fault"]
    if "ended" not in told:
        assert 0 <= told["score"] <= told["most"]
        assert all(isinstance(text, str) for text in told["texts"])


def fuzz(judges, exercises, count, bent=False):
    ended = []

    @seed(SEED)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(
        st.sampled_from(exercises),
        st.integers(0, 3),
        st.integers(0, 5),
        BENDS if bent else EDITS,
    )
    def run(exercise, case, file, edits):
        told = judges.judge(exercise=exercise, case=case, file=file, edits=edits, bent=bent)
        hold(told)
        ended.append("ended" in told)

    run()
    # Corruptions that all kill their judge would prove nothing.
    assert sum(ended) < len(ended) / 4


@pytest.fixture(scope="module")
def quick():
    with Judges(QUICK) as judges:
        yield judges


def test_corrupted_answers_get_a_verdict(quick):
    fuzz(quick, QUICK, 200)


def test_bent_graphs_get_a_verdict(quick):
    fuzz(quick, QUICK_GRAPHS, 100, bent=True)


def test_some_graphs_that_nobody_writes_get_a_verdict(quick):
    """Each once; FUZZ_SEED=7 chooses other exercises for them."""
    for at, name in enumerate(HOSTILE, SEED):
        exercise = QUICK_GRAPHS[at % len(QUICK_GRAPHS)]
        hold(quick.judge(exercise=exercise, case=at, file=0, hostile=name))


@pytest.mark.slow
@pytest.mark.parametrize("exercise", GRAPHS)
def test_a_graph_that_nobody_writes_gets_a_verdict(exercise):
    with Judges([exercise]) as judges:
        told = {
            name: judges.judge(exercise=exercise, case=0, file=0, hostile=name) for name in HOSTILE
        }
    faults = {name: one["fault"] for name, one in told.items() if "fault" in one}
    assert not faults, "\n".join(faults.values())
    assert sum("ended" in one for one in told.values()) < len(told) / 4
    for one in told.values():
        hold(one)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_many_corrupted_answers_of_every_exercise_get_a_verdict(part):
    """2,000 in all."""
    with Judges(EVERY[part::PARTS]) as judges:
        fuzz(judges, EVERY[part::PARTS], 2000 // PARTS)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_many_bent_graphs_of_every_exercise_get_a_verdict(part):
    """2,000 in all."""
    with Judges(GRAPHS[part::PARTS]) as judges:
        fuzz(judges, GRAPHS[part::PARTS], 2000 // PARTS, bent=True)
