"""Likeness in `course report`: groups of those who handed in the same come first, whatever their
size; the instructor's solution and earlier terms are compared with; what is too short is said to be.
"""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbjudge.course.report import alike, page, terminal, wording
from nbjudge.course.report.alike import Author
from nbjudge.course.report.classes import ClassReport
from tests.mutants import EXERCISES

GIVEN = "import onnx\n\nmodel = onnx.load('given.onnx')\nprint([node.op_type for node in model.graph.node])"
STUB = "def remove_dropout(model):\n    raise NotImplementedError"
SHORT = "def remove_dropout(model):\n    return model.graph"
ANSWERS = ("valid_ir", "valid_surgeon", "valid_rename", "runtime_optimizer")


def answer(name):
    return (EXERCISES / "dropout" / "answers" / f"{name}.py").read_text().partition("}\n")[2]


def cell(kind, name, source, solution=False):
    meta = {
        "nbgrader": {"grade_id": name, "grade": False, "solution": solution, "locked": not solution}
    }
    return {"cell_type": kind, "id": name, "source": source, "metadata": meta}


def notebook(source, *extras, kind="code"):
    """A recorded notebook: the given cell, the answer, and cells of the student's own."""
    own = [
        {"cell_type": "code", "id": f"extra-1-{number}", "source": text, "metadata": {}}
        for number, text in enumerate(extras)
    ]
    cells = [cell("code", "given", GIVEN), cell(kind, "answer", source, solution=True)]
    return {"cells": [*cells, *own]}


SKELETONS = {"dropout": notebook(STUB)}


def compared(*sources, more=(), skeletons=SKELETONS):
    """What is found of students s0, s1, … with these notebooks, or answers."""
    authors = [
        Author(f"s{number}", {"dropout": each if isinstance(each, dict) else notebook(each)})
        for number, each in enumerate(sources)
    ]
    return alike.compare([*authors, *more], skeletons)


def names(*numbers):
    return tuple(f"s{number}" for number in numbers)


def disguised(source):
    """The same answer, as somebody hands it in who does not want to be found: other names, other
    layout, comments.
    """
    for old, new in {
        "remove_dropout": "remove_dropout",
        "graph": "g",
        "node": "operation",
        "model": "net",
        "name": "label",
    }.items():
        source = re.sub(rf"(?<![\w.]){old}(?!\w)", new, source)
    return "# all my own work\n" + source.replace("):\n", "):  # next\n\n").replace("'", '"')


@pytest.mark.parametrize(("same", "others"), [(7, 2), (2, 8), (5, 5), (6, 4), (9, 1), (9, 0)])
def test_those_who_handed_in_the_same_are_one_group_whatever_its_size(same, others):
    own = [f"{answer(ANSWERS[1 + each % 3])}\nlast = [{each}]\n" for each in range(others)]
    found = compared(*[answer("valid_ir")] * same, *own)
    group = found.groups[0]
    assert group.students == names(*range(same)) and group.writers == same + others
    assert group.is_exact and not group.is_nearly and group.answers == ("answer",)
    assert group.is_majority == (2 * same > same + others)
    said = wording.group(group)
    assert f"{same} of {same + others}" in said and ("majority" in said) == group.is_majority


def test_a_copy_in_disguise_is_found_among_answers_of_their_own():
    found = compared(*map(answer, ANSWERS), disguised(answer("valid_ir")))
    [group] = found.groups
    assert group.students == names(0, 4) and not group.is_exact and not group.is_nearly
    assert found.pairs == ()


@given(st.permutations(range(9)), st.integers(2, 9), st.data())
def test_renaming_comments_and_layout_hide_nobody(order, same, data):
    own = [answer(ANSWERS[1 + each % 3]) + f"\nlast = [{each}]\n" for each in range(9 - same)]
    changes = [lambda text: text, disguised, lambda text: text.replace("\n", "\n\n")]
    changes += [lambda text: text + "\n# the end\n", lambda text: f"'''Mine.'''\n{text}"]
    copies = [data.draw(st.sampled_from(changes))(answer("valid_ir")) for _ in range(same)]
    everybody = [*copies, *own]
    found = compared(*(everybody[number] for number in order))
    assert {order[int(name[1:])] for name in found.groups[0].students} == set(range(same))


def test_a_majority_that_added_a_line_each_is_nearly_the_same():
    own = [answer("valid_ir") + f"\nlast = [{', '.join('0' * (1 + each))}]\n" for each in range(7)]
    found = compared(*own, answer("valid_surgeon"), answer("valid_rename"))
    [group] = found.groups
    assert group.is_nearly and group.is_majority and group.students == names(*range(7))
    assert "7 of 9, the majority, handed in nearly the same" in wording.group(group)
    assert found.pairs == ()


def test_groups_of_the_same_come_before_those_of_nearly_the_same_and_the_largest_first():
    nearly = [
        answer("valid_ir") + f"\nlast = [{', '.join('0' * (1 + each))}]\n" for each in range(4)
    ]
    found = compared(
        *nearly, *[answer("valid_surgeon")] * 2, *[answer("valid_rename")] * 3, answer("valid_ir")
    )
    assert [(group.is_nearly, len(group.students)) for group in found.groups] == [
        (False, 3),
        (False, 2),
        (True, 5),
    ]


def test_an_answer_is_the_same_wherever_it_stands():
    """In a cell of the student's own, behind an untouched stub, and beside notes."""
    moved = notebook(STUB, answer("valid_ir"))
    noted = notebook(answer("valid_ir"), "print('mine')")
    found = compared(answer("valid_ir"), moved, noted, answer("valid_surgeon"))
    [group] = found.groups
    assert group.students == names(0, 1, 2)


def test_a_cell_of_one_s_own_that_several_have_is_named_without_an_answer():
    helper = answer("valid_rename")
    found = compared(
        notebook(answer("valid_ir"), helper), notebook(answer("valid_surgeon"), helper)
    )
    assert [group.answers for group in found.groups] == [()]


def test_given_cells_and_the_stub_make_nobody_alike():
    for source in (STUB, GIVEN, f"# mine\n{STUB}"):
        found = compared(*[source] * 4)
        assert found.groups == found.pairs == ()
    found = compared(*[notebook(STUB, GIVEN)] * 4)
    assert found.groups == found.pairs == found.too_short == ()


def test_what_is_too_short_makes_no_group_and_is_said():
    found = compared(*[SHORT] * 7, answer("valid_ir"), answer("valid_surgeon"))
    assert found.groups == found.pairs == ()
    [short] = found.too_short
    assert (short.students, short.writers, short.is_short_itself) == (7, 9, False)
    assert "7 of 9 answers are too short to say anything" in wording.too_short(short)


def test_a_task_whose_solution_is_short_is_said_to_leave_little_freedom():
    solution = Author(alike.SOLUTION, {"dropout": notebook(SHORT)}, is_source=True)
    found = compared(*[SHORT] * 7, more=[solution])
    assert found.groups == () and found.too_short[0].is_short_itself
    assert "little freedom" in wording.too_short(found.too_short[0])


@pytest.mark.parametrize("change", [str, disguised], ids=["as it is", "in disguise"])
@pytest.mark.parametrize("how_many", [1, 2, 7])
def test_the_solution_is_named_whoever_handed_it_in(how_many, change):
    solution = Author(alike.SOLUTION, {"dropout": notebook(answer("valid_ir"))}, is_source=True)
    copies = [change(answer("valid_ir"))] * how_many
    found = compared(*copies, answer("valid_surgeon"), answer("valid_rename"), more=[solution])
    [group] = found.groups
    assert group.students == names(*range(how_many)) and group.sources == (alike.SOLUTION,)
    assert group.writers == how_many + 2
    assert f"{how_many} of {how_many + 2}" in wording.group(group)
    assert "the same as the instructor's solution" in wording.group(group)


def test_names_and_quotes_in_formatted_texts_are_no_difference():
    """Before Python 3.12 such a text is one token, and its fields are code all the same."""
    own = answer("valid_ir") + 'first = f"{one} of {len(others)}: {one!r:>4}"\n'
    renamed = answer("valid_ir") + "first = f'{each} of {len(rest)}: {each!r:>4}'\n"
    other = answer("valid_ir") + 'first = f"{one} of {max(others)}: {one!r:>4}"\n'
    [group] = compared(own, renamed).groups
    assert not group.is_exact and not group.is_nearly
    assert all(each.is_nearly for each in compared(own, other).groups)


def test_what_is_nearly_the_solution_is_said():
    solution = Author(alike.SOLUTION, {"dropout": notebook(answer("valid_ir"))}, is_source=True)
    own = [answer("valid_ir") + "\nlast = [0, 0]\n"] * 7
    [group, nearly] = compared(*own, answer("valid_surgeon"), more=[solution]).groups
    assert group.students == nearly.students == names(*range(7))
    assert group.sources == () and nearly.sources == (alike.SOLUTION,)


def test_sources_are_in_no_count_and_in_no_pair_of_their_own():
    before = [
        Author(f"e{each}", {"dropout": notebook(answer("valid_ir"))}, is_source=True)
        for each in range(3)
    ]
    found = compared(answer("valid_surgeon"), answer("valid_rename"), more=before)
    assert found.groups == found.pairs == ()


def test_a_student_called_as_a_source_is_a_student():
    solution = Author(alike.SOLUTION, {"dropout": notebook(answer("valid_ir"))}, is_source=True)
    student = Author(alike.SOLUTION, {"dropout": notebook(answer("valid_ir"))})
    [group] = alike.compare([student, solution], SKELETONS).groups
    assert group.students == group.sources == (alike.SOLUTION,)


def test_an_earlier_term_s_own_skeleton_does_not_count():
    """A stub of that time, which is given now no more, is nobody's answer."""
    old_stub = answer("valid_ir")
    before = Author(
        "e0", {"dropout": notebook(old_stub)}, is_source=True, given={"dropout": notebook(old_stub)}
    )
    assert compared(answer("valid_ir"), more=[before]).groups == ()


def test_two_who_share_a_part_are_a_pair_and_say_how_many_handed_in_the_same():
    half = answer("valid_ir")
    longer = half + "\n" + answer("valid_surgeon")
    found = compared(half, half, longer, answer("valid_rename"), answer("runtime_optimizer"))
    assert found.groups[0].students == names(0, 1)
    [pair] = found.pairs
    assert pair.students == ("s0", "s2") and pair.notebooks[0].same == (1, 0)
    assert "1 other handed in the same as s0" in wording.pair(pair)


ESSAY = (
    "The exporter puts the whole tree into evaluation mode while it works, and afterwards it restores only the mode of the "
    "outermost module, so that the inner ones drop units at random in training, which nobody sees until the numbers differ."
)


def test_answers_in_words_are_compared_too():
    skeletons = {"dropout": notebook("YOUR ANSWER HERE", kind="markdown")}
    texts = [ESSAY, f"**{ESSAY.upper()}**\n", "I do not know."]
    found = compared(*(notebook(text, kind="markdown") for text in texts), skeletons=skeletons)
    assert [group.students for group in found.groups] == [names(0, 1)]
    assert [short.students for short in found.too_short] == [1]
    untouched = notebook("YOUR ANSWER HERE", kind="markdown")
    found = compared(untouched, untouched, skeletons=skeletons)
    assert found == alike.Found()


BROKEN = ["def f(:\n  (", "'''", "\x00", "(" * 5000, "  x\n y\n   z", "\ud800 = 1", "\ud800 (" * 40]
BROKEN += ["x = '" + "\\'" * 500_000]  # hours, for whoever looks from each quote for its end


def test_a_cell_that_is_no_python_does_not_stop_the_report():
    assert compared(*BROKEN).pairs == ()


def test_the_same_broken_answer_is_the_same():
    broken = answer("valid_ir") + "\ndef f(:\n  ("
    assert compared(broken, broken, answer("valid_surgeon")).groups[0].students == names(0, 1)


def test_nothing_is_said_of_likeness_that_the_three_forms_do_not_all_say(capsys):
    found = compared(*[answer("valid_ir")] * 7, answer("valid_surgeon"), SHORT)
    report = ClassReport(
        assignment="a-lab",
        students=9,
        max_score=4.0,
        mean=2.0,
        total=(0,) * 11,
        items=(),
        groups=found.groups,
        pairs=found.pairs,
        too_short=found.too_short,
        compared=36,
        sources=(),
        named=True,
    )
    terminal.show(report)
    shown = " ".join(capsys.readouterr().out.split())
    html = page.page(report)
    data = json.loads(json.dumps(report.to_json()))
    said = [*map(wording.group, report.groups), *map(wording.too_short, report.too_short)]
    assert len(said) == 2
    for line in said:
        assert " ".join(line.split()) in shown and line in html
    assert data["groups"][0]["students"] == list(names(*range(7)))
    assert data["groups"][0]["is_majority"] and data["too_short"][0]["students"] == 1
