"""Climbing: which rungs are looked at, on which cases, and what that scores."""

import pytest

from nbjudge.contract import Answer, Case, Exercise, Finding, RungSpec, View
from nbjudge.rungs.ladder import climb
from nbjudge.verdict import MOST_CHANGES

GATES = ("exists", "type", "loads")
CASES = [Case(name) for name in "abcd"]
PUBLIC = [Case(name, public=True) for name in "uvwxyz"]


def breaks_on(names: str):
    return lambda view: (
        Finding("e", f"found {view.case.name}", "c", "r") if view.case.name in names else None
    )


def exercise(*rungs: RungSpec) -> Exercise:
    members = {"id": "small", "rungs": rungs, "call": None, "view": lambda self, *seen: View(*seen)}
    members["changes"] = lambda self, view: tuple(f"{view.case.name} {n}." for n in range(20))
    return type(
        "Small",
        (Exercise,),
        members | {"function_of": lambda self, case: "first" if case.name in "ab" else "second"},
    )()


def verdict(gate: str = "", broken: str = "", name: str = "loads"):
    ladder = exercise(
        RungSpec(name, 1, breaks_on(gate), cap_some=0.9, cap_all=0.1, gate=name in GATES),
        RungSpec("structure", 3, breaks_on(broken), cap_some=0.7, cap_all=0.4),
    )
    return climb(ladder, CASES, {case.name: Answer("returned") for case in CASES}, {})


def test_everything_passed_is_full_marks():
    assert verdict().score == 4 and verdict().broken is None


@pytest.mark.parametrize(("broken", "cap"), [("b", 0.7), ("abc", 0.7), ("abcd", 0.4)])
def test_a_cap_depends_on_some_or_all(broken, cap):
    found = verdict(broken=broken)
    assert (found.broken.name, found.broken.cap, found.broken.case, found.broken.found) == (
        "structure",
        cap,
        broken[0],
        f"found {broken[0]}",
    )


def test_a_case_that_broke_a_gate_is_not_looked_at_again():
    found = verdict(gate="a", broken="a")
    assert [rung.passed for rung in found.rungs] == [False, True] and found.score == 3


def test_a_case_that_broke_another_rung_is():
    assert [rung.passed for rung in verdict(gate="a", broken="a", name="contract").rungs] == [
        False,
        False,
    ]


@pytest.mark.parametrize(("gate", "later"), [("ab", True), ("abc", None), ("abcd", None)])
def test_a_rung_needs_half_of_the_cases(gate, later):
    assert verdict(gate=gate).rungs[1].passed is later


def refusing(names: str, cases=CASES, **rung):
    """Three of four points stand behind a gate that has no cap of its own."""
    ladder = exercise(
        RungSpec("exists", 0, breaks_on(names), cap_all=0, gate=True),
        RungSpec("type", 1, breaks_on(""), gate=True),
        RungSpec("structure", 3, breaks_on(""), **rung),
    )
    return climb(ladder, cases, {case.name: Answer("returned") for case in cases}, {})


@pytest.mark.parametrize(("refused", "score"), [("", 4), ("a", 3), ("ac", 2), ("abcd", 0)])
def test_a_gate_leaves_the_share_of_the_cases_that_pass_it(refused, score):
    found = refusing(refused)
    assert found.score == score


def test_a_gate_without_a_cap_that_every_case_breaks_leaves_nothing():
    ladder = exercise(
        RungSpec("exists", 1, breaks_on("")),
        RungSpec("type", 1, breaks_on("abcd"), gate=True),
        RungSpec("structure", 2, breaks_on("")),
    )
    found = climb(ladder, CASES, {case.name: Answer("returned") for case in CASES}, {})
    assert (found.broken.cap, found.score) == (0, 0)


def test_gates_leave_what_all_of_them_have_left():
    ladder = exercise(
        RungSpec("exists", 0, breaks_on("a"), gate=True),
        RungSpec("type", 0, breaks_on("b"), gate=True),
        RungSpec("structure", 4, breaks_on("")),
    )
    found = climb(ladder, CASES, {case.name: Answer("returned") for case in CASES}, {})
    assert [rung.cap for rung in found.rungs] == [0.75, 0.5, None] and found.score == 2


def test_a_case_refused_of_one_function_costs_nothing_of_the_other_ones_points():
    """One of the two cases of `first`: half of the rung about it, a quarter of the gate's point."""
    assert refusing("a", function="first").broken.cap == pytest.approx(
        (0.75 + 3 * 0.5) / 4, abs=1e-4
    )
    assert refusing("c", function="first").broken.cap == pytest.approx((0.75 + 3) / 4, abs=1e-4)


def test_public_cases_make_up_for_no_hidden_one_that_is_refused():
    assert refusing("ab", [*PUBLIC, *CASES]).score == 2


def test_a_rung_about_one_function_has_nothing_to_look_at_where_that_is_missing():
    ladder = exercise(
        RungSpec("loads", 1, breaks_on("ab"), gate=True),
        RungSpec("structure", 3, breaks_on(""), function="first"),
    )
    found = climb(ladder, CASES, {case.name: Answer("returned") for case in CASES}, {})
    assert [(rung.passed, rung.cases) for rung in found.rungs] == [(False, 4), (None, 0)]


def test_a_gate_that_too_few_cases_reach_is_closed_to_them_all_the_same():
    """One function refuses its cases, the other one's answers are no answers."""
    ladder = exercise(
        RungSpec("type", 0, breaks_on("abe"), gate=True),
        RungSpec("loads", 1, breaks_on("cd"), gate=True),
        RungSpec("structure", 3, breaks_on(""), function="second"),
    )
    cases = [*CASES, Case("e")]
    found = climb(ladder, cases, {case.name: Answer("returned") for case in cases}, {})
    assert [rung.passed for rung in found.rungs] == [False, None, None] and found.score == 0


def test_a_rung_about_one_function_looks_at_its_cases_alone():
    ladder = exercise(
        RungSpec("structure", 3, breaks_on("ac"), cap_some=0.7, cap_all=0.4, function="first")
    )
    rung = climb(ladder, CASES, {}, {}).rungs[0]
    assert (rung.cases, rung.wrong, rung.cap) == (2, 1, 0.7)


def in_public_too(broken: str, **rung):
    ladder = exercise(
        RungSpec("loads", 1, breaks_on(broken), cap_some=0.9, cap_all=0.1, **rung),
        RungSpec("structure", 3, breaks_on(broken), cap_some=0.7),
    )
    cases = [*PUBLIC, *CASES]
    return climb(ladder, cases, {case.name: Answer("returned") for case in cases}, {})


def test_public_cases_earn_nothing():
    """Right on six public cases of ten: the rung counts as wrong on all, and the later one has
    nothing to look at.
    """
    found = in_public_too("abcd", gate=True)
    assert [rung.passed for rung in found.rungs] == [False, None]
    assert (found.broken.cap, found.score) == (0.1, 0)


@pytest.mark.parametrize(("broken", "cap"), [("ab", 0.9), ("abc", 0.1), ("abcd", 0.1)])
def test_a_rung_may_take_fewer_cases_for_all(broken, cap):
    ladder = exercise(
        RungSpec("structure", 3, breaks_on(broken), cap_some=0.9, cap_all=0.1, all_at=0.75)
    )
    assert (
        climb(ladder, CASES, {case.name: Answer("returned") for case in CASES}, {}).broken.cap
        == cap
    )


@pytest.mark.parametrize(("broken", "cap"), [("ab", 0.9), ("abc", 0.1)])
def test_most_cases_are_wrong_when_most_of_the_hidden_ones_are(broken, cap):
    assert in_public_too(broken, slip=2).broken.cap == cap


def test_a_wrong_public_case_costs_as_a_hidden_one_does():
    found = in_public_too("u", gate=True)
    assert [(rung.passed, rung.cap) for rung in found.rungs] == [
        (False, 0.9),
        (True, None),
    ] and found.score == 3


def test_what_is_looked_for_in_every_answer_earns_nothing_where_only_public_ones_came():
    ladder = exercise(RungSpec("contract", 3, breaks_on(""), every_case=True))
    answers = {case.name: Answer("returned") for case in PUBLIC}
    assert climb(ladder, [*PUBLIC, *CASES], answers, {}).score == 0


def test_an_answer_that_never_came_is_missing():
    seen = []
    ladder = exercise(
        RungSpec("exists", 1, lambda view: seen.append(view.answer.outcome), cap_some=0, cap_all=0)
    )
    climb(ladder, CASES, {"a": Answer("returned")}, {})
    assert seen == ["returned", "missing", "missing", "missing"]


def test_what_changed_is_said_of_a_public_case_alone():
    assert verdict(broken="b").changes == () and verdict().changes == ()
    said = in_public_too("wc").changes
    assert said[0] == "w 0." and len(said) == MOST_CHANGES and said[-1] == "And 9 more."
    assert in_public_too("c").changes == ()


def test_progress_names_each_rung_and_case_before_it_is_looked_at():
    told = []

    def dies(view: View):
        assert told[-1] == ("loads", view.case.name)
        raise RuntimeError(view.case.name)

    with pytest.raises(RuntimeError, match="a"):
        climb(
            exercise(RungSpec("loads", 1, dies)),
            CASES,
            {},
            {},
            lambda rung, case: told.append((rung, case)),
        )
    assert told == [("loads", "a")]


@pytest.mark.parametrize("gate", ["a", "abcd"])
def test_what_must_never_happen_is_looked_for_in_every_answer_that_came(gate):
    """A case that broke a gate shows it all the same; an answer that never came shows nothing."""
    ladder = exercise(
        RungSpec("loads", 1, breaks_on(gate), gate=True),
        RungSpec("contract", 3, breaks_on("ad"), cap_some=0.0, cap_all=0.0, every_case=True),
    )
    answers = {case.name: Answer("returned") for case in CASES[:3]}
    found = climb(ladder, CASES, answers, {})
    assert found.rungs[1].case == "a" and found.score == 0
    assert climb(ladder, CASES, {}, {}).rungs[1].passed is None


@pytest.mark.parametrize(("broken", "score"), [("", 4), ("b", 2.5), ("bc", 1), ("abcd", 1)])
def test_a_slip_costs_its_share_so_many_times(broken, score):
    ladder = exercise(
        RungSpec("type", 1, breaks_on(""), gate=True),
        RungSpec("structure", 3, breaks_on(broken), slip=2),
    )
    found = climb(ladder, CASES, {case.name: Answer("returned") for case in CASES}, {})
    assert found.score == score


def test_a_rung_tells_how_many_cases_broke_it_and_which():
    rung = verdict(broken="bd").rungs[1]
    assert (rung.cases, rung.wrong) == (4, 2)
    assert [(failure.case, failure.found) for failure in rung.failed] == [
        ("b", "found b"),
        ("d", "found d"),
    ]


def test_a_wrong_function_does_not_hide_that_another_is_right():
    assert [(t.function, t.cases, t.right) for t in verdict(gate="ab").tallies] == [
        ("first", 2, 0),
        ("second", 2, 2),
    ]
    assert [t.right for t in verdict(gate="a", broken="bd").tallies] == [0, 1]
