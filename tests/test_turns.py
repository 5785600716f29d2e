"""Over the turns, everything that takes turns is run by `make test`."""

import pytest
from turns import rotating, turn


def test_each_turn_takes_another_part_and_all_turns_take_everything(monkeypatch):
    params = [pytest.param(n, id=str(n), marks=pytest.mark.xdist_group(f"g{n}")) for n in range(10)]
    taken = []
    for turn_now in range(7, 10):
        monkeypatch.setenv("TURN", str(turn_now))
        given = rotating(3, params)
        assert [(one.values, one.id) for one in given] == [(one.values, one.id) for one in params]
        assert [one.marks[0].args for one in given] == [(f"g{n}",) for n in range(10)]
        taken += [one.values[0] for one in given if pytest.mark.slow not in one.marks]
    assert sorted(taken) == list(range(10))


def test_the_turn_is_the_commits_and_the_same_in_what_this_process_starts(monkeypatch):
    monkeypatch.delenv("TURN", raising=False)
    first = turn()
    monkeypatch.delenv("TURN", raising=False)
    assert turn() == first
    monkeypatch.setenv("TURN", "7")
    assert turn() == 7
