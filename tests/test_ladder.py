"""Climbing: which rungs look at which cases, and which items that earns."""

import pytest

from nbjudge.contract import Answer, Case, Exercise, Finding, ItemSpec, RungSpec, View
from nbjudge.contract.authored import ExerciseBroken
from nbjudge.rungs.ladder import climb
from nbjudge.verdict import MOST_CHANGES, Verdict

CASES = [Case(name) for name in "abcd"]
PUBLIC = [Case(name, public=True) for name in "uvwx"]
USUAL = ItemSpec(name="usual", title="usual graphs", points=2, cases=("a", "b", "u", "v"))
RARE = ItemSpec(name="rare", title="a rare graph", points=1, cases=("c", "w"))
TIDY = ItemSpec(
    name="tidy", title="nothing left over", points=1, cases=("d", "x"), needs=("right", "tidy")
)


def breaks_on(names: str):
    return lambda view: (
        Finding("e", f"found {view.case.name}", "c", "r") if view.case.name in names else None
    )


def exercise(*rungs: RungSpec, items=(USUAL, RARE, TIDY), points=4.0, hidden=CASES) -> Exercise:
    """`a` and `b` call the first function, the others the second."""
    judge = type(
        "Judged",
        (),
        {
            "items": items,
            "points": points,
            "rungs": rungs,
            "public_cases": lambda self: PUBLIC,
            "cases": lambda self, seed: hidden,
            "view": lambda self, *seen: View(*seen),
            "changes": lambda self, view: tuple(f"{view.case.name} {n}." for n in range(20)),
            "function_of": lambda self, case: "first" if case.name in "ab" else "second",
        },
    )()
    members = {"id": "small", "judge": judge, "call": None}
    return type("Small", (Exercise,), members)()


def ladder(*, gate="", wrong="", untidy="", forbidden="", **how) -> Exercise:
    return exercise(
        RungSpec("type", breaks_on(gate), gate=True),
        RungSpec("right", breaks_on(wrong)),
        RungSpec("tidy", breaks_on(untidy), is_property=True),
        RungSpec("safe", breaks_on(forbidden), forbidden=True),
        **how,
    )


def verdict(cases=(*PUBLIC, *CASES), answers=None, **broken) -> Verdict:
    returned = {case.name: Answer("returned") for case in cases}
    return climb(ladder(**broken), cases, returned if answers is None else answers, {})


def passed(found: Verdict) -> dict[str, bool | None]:
    return {item.name: item.passed for item in found.items}


def test_everything_passed_is_full_marks():
    assert verdict().score == 4 and verdict().broken is None


@pytest.mark.parametrize(
    ("broken", "lost"),
    [
        ({"wrong": "a"}, {"usual"}),
        ({"wrong": "ab"}, {"usual"}),
        ({"wrong": "c"}, {"rare"}),
        ({"gate": "c"}, {"rare"}),
        ({"wrong": "d"}, {"tidy"}),
        ({"untidy": "d"}, {"tidy"}),
        ({"gate": "abcd"}, {"usual", "rare", "tidy"}),
    ],
)
def test_a_case_costs_the_items_that_hold_it_and_no_other(broken, lost):
    found = verdict(**broken)
    assert {item.name for item in found.lost} == lost
    points = {"usual": 2, "rare": 1, "tidy": 1}
    assert found.score == 4 - sum(points[name] for name in lost)


def test_a_property_is_looked_at_where_an_item_names_it():
    found = verdict(untidy="abc")
    assert found.score == 4 and found.broken is None
    assert found.rungs[2].cases == 2  # d, and x


def test_a_case_that_broke_a_gate_is_not_looked_at_again():
    found = verdict(gate="a", wrong="a")
    assert [rung.passed for rung in found.rungs[:2]] == [False, True]
    assert (found.broken.name, found.broken.case) == ("type", "a")


def test_what_is_shown_is_what_the_first_lost_item_broke():
    found = verdict(wrong="cd", untidy="d")
    assert (found.broken.name, found.broken.case, found.broken.found) == ("right", "c", "found c")
    assert found.lost[1].rung == "right" and found.lost[1].failed == ("d",)


def test_public_cases_cost_and_earn_nothing_beside_hidden_ones():
    assert verdict(wrong="uvwx", untidy="x").score == 4
    only_public_right = verdict(wrong="abcd")
    assert only_public_right.score == 0 and only_public_right.lost[0].failed == ("a", "b")


def test_before_handing_in_public_cases_stand_for_the_hidden_ones():
    found = verdict(PUBLIC[:3], wrong="w")
    assert passed(found) == {"usual": True, "rare": False, "tidy": None}
    assert found.score == 2 and found.unreached == "no case reaches nothing left over"
    assert all(item.is_local for item in found.items)


def test_a_control_has_to_be_right_and_gives_its_points_once():
    paired = ItemSpec(
        name="paired", title="with a control", points=1, cases=("c", "w"), controls=("a",)
    )
    rest = ItemSpec(name="rest", title="the rest", points=3, cases=("a", "b", "d", "u", "v", "x"))
    how = {"items": (paired, rest), "points": 4.0}
    tidy = RungSpec("right", breaks_on("a"))
    found = climb(exercise(tidy, **how), CASES, {c.name: Answer("returned") for c in CASES}, {})
    assert {item.name for item in found.lost} == {"paired", "rest"}
    exercise(tidy, **how).refuse_misplaced(1)


def test_what_is_forbidden_leaves_nothing():
    found = verdict(forbidden="c", gate="c")  # a gate does not hide it
    assert found.score == 0 and {item.rung for item in found.items} == {"safe"}
    assert verdict(forbidden="u").score == 0


def test_an_answer_that_never_came_is_missing():
    seen = []

    def look(view):
        seen.append(view.answer.outcome)

    asked = exercise(RungSpec("exists", look), items=(USUAL,), points=2.0)
    climb(asked, CASES[:2], {}, {})
    assert seen == ["missing", "missing"]


def test_a_rung_about_one_function_looks_at_its_cases_alone():
    first = RungSpec("right", breaks_on("abcd"), function="first")
    asked = exercise(first, items=(USUAL, RARE), points=3.0)
    found = climb(asked, CASES[:3], {c.name: Answer("returned") for c in CASES}, {})
    assert passed(found) == {"usual": False, "rare": True}


def test_a_rung_tells_how_many_cases_broke_it_and_which():
    rung = verdict(wrong="ac").rungs[1]
    assert (rung.wrong, [failure.case for failure in rung.failed]) == (2, ["a", "c"])


def test_progress_names_each_rung_and_case_before_it_is_looked_at():
    told = []

    def dies(view):
        raise MemoryError

    with pytest.raises(MemoryError):
        climb(
            exercise(RungSpec("loads", dies), items=(USUAL,), points=2.0),
            CASES[:2],
            {c.name: Answer("returned") for c in CASES},
            {},
            lambda *where: told.append(where),
        )
    assert told == [("loads", "a")]


def test_what_changed_is_said_of_a_public_case_alone():
    assert verdict(wrong="a").changes == ()
    changes = verdict(PUBLIC, wrong="u").changes
    assert changes[0] == "u 0." and len(changes) == MOST_CHANGES
    assert changes[-1] == "And 9 more."


@pytest.mark.parametrize(
    ("items", "points", "words"),
    [
        ((USUAL, RARE), 4.0, "its items give 3 points together, and the judge says points = 4"),
        ((USUAL, USUAL), 4.0, "two items are called 'usual'"),
        (
            (ItemSpec(name="no", title="no", points=4, cases=("a",), needs=("taste",)),),
            4.0,
            "the item 'no' needs 'taste', and there is no such rung",
        ),
        ((USUAL, RARE), 3.0, "no item needs the rung 'tidy'"),
    ],
)
def test_items_that_do_not_add_up_are_refused(items, points, words):
    with pytest.raises(ExerciseBroken, match=words):
        _ = ladder(items=items, points=points).items


@pytest.mark.parametrize(
    ("items", "points", "words"),
    [
        ((USUAL, TIDY), 3.0, "no item holds the hidden case 'c'"),
        (
            (USUAL, RARE, TIDY, ItemSpec(name="e", title="e", points=1, cases=("e",))),
            5.0,
            "the item 'e' names the case 'e', and there is none",
        ),
        (
            (USUAL, RARE, TIDY, ItemSpec(name="p", title="p", points=1, cases=("x",))),
            5.0,
            "the item 'p' names no hidden case",
        ),
        (
            (USUAL, RARE, TIDY, ItemSpec(name="t", title="t", points=1, cases=("a",))),
            5.0,
            "'usual' and 't' both give points for the case 'a'",
        ),
    ],
)
def test_items_that_do_not_fit_the_cases_are_refused(items, points, words):
    with pytest.raises(ExerciseBroken, match=words):
        ladder(items=items, points=points).refuse_misplaced(1)
