"""The class of any size that `make bench` simulates goes through the real coordinator, journal and gradebook."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from bench import simulate


@pytest.fixture(scope="module")
def row():
    return simulate.one(4, None)


def test_everybody_is_recorded_and_taken_over_the_second_time(row):
    assert row["submissions"] == 4 and row["first"]["resumed"] == 0 and row["again"]["resumed"] == 4


def test_only_the_first_time_writes(row):
    assert row["first"]["database_seconds"] > 0 and row["first"]["journal_seconds"] > 0
    assert row["again"]["database_seconds"] == row["again"]["journal_seconds"] == 0
