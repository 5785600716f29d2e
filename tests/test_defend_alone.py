"""`defend`, which asks somebody who learns alone about their own function: what its keys rest on is
run again here, on the printed code.
"""

import linecache
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import nbjudge
from nbjudge.checking import CheckFailed
from nbjudge.course.defend.sheets import Sheet
from nbjudge.course.stored import one
from nbjudge.defending import learner
from nbjudge.exercises import get
from tests.defend_keys import outcome_of, right
from tests.mutants import EXERCISES

ROOT = Path(__file__).parents[1]
LABS = {"cache": "day-50", "dropout": "day-50", "quantize": "lab-7-01"}
PLAIN = one(EXERCISES / "quantize" / "answers" / "valid_plain.py").source
# What the loop's name holds when depends on the process that it runs in; without its last line it
# never ends.
UNSTABLE = (
    PLAIN
    + """

real = quantize


def quantize(x, symmetric):
    waiting = {"a", "b", "c", "d", "e", "f", "g", "h"}
    while waiting:
        for each in sorted(waiting, key=hash):
            letter = each
        waiting = set()
    return real(x, symmetric)
"""
)
pytestmark = pytest.mark.xdist_group("defend alone")


def defined(exercise, source, name="cell"):
    """The functions of a cell, as a kernel defines them."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace = {"In": ["import nothing_like_it\nimport numpy as np\nimport onnx"]}
    exec("import numpy as np\nimport onnx", namespace)
    exec(compile(source, name, "exec"), namespace)
    return [namespace[each] for each in get(exercise).functions]


def stored(exercise, answer):
    return one(EXERCISES / exercise / "answers" / f"{answer}.py").source


@pytest.fixture
def shown(capsys, monkeypatch):
    """What `defend` prints, called in the lab's folder."""

    def call(exercise, functions, **answers):
        monkeypatch.chdir(ROOT / "labs" / LABS.get(exercise, "day-50"))
        nbjudge.defend(exercise, *functions, **answers)
        return capsys.readouterr().out

    return call


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [("quantize", "valid_plain"), ("dropout", "valid_rename"), ("cache", "valid_one_by_one")],
)
def test_the_right_options_are_right_when_they_run_again(shown, monkeypatch, exercise, answer):
    monkeypatch.setattr(learner, "_known", {})
    functions = defined(exercise, stored(exercise, answer))
    asked = shown(exercise, functions)
    assert len(re.findall(r"^\d\. ", asked, re.M)) == 3 and "answers=" in asked
    assert "right" not in asked
    told = shown(exercise, functions, answers="aaa")
    keys = re.findall(r"(?:You said A, but )?([A-D]) is right\.", told)
    [known] = learner._known.values()
    sheet = Sheet(
        student="",
        exercise=exercise,
        source="\n".join(known._source),
        inputs=known.page.inputs,
        asked=known.page.asked,
        why_fewer="",
    )
    assert [key.lower() for key in keys] == [right(sheet, each) for each in known.page.asked]
    assert f"{keys.count('A')} of 3 right" in told
    assert "3 of 3 right" in shown(exercise, functions, answers="".join(keys))
    for line, quote in re.findall(r"line (\d+) \(“(.*?)…?”\)", asked):
        assert quote and known._source[int(line) - 1].strip().startswith(quote)
    reasons = re.findall(r"^    [A-D]\) .*→ (.*)$", told, re.M)
    assert len(reasons) == 12 and all(reasons)
    figures = re.findall("<figure.*?</figure>", known.html(""), re.DOTALL)
    assert len(figures) == len(sheet.inputs) > 0
    for figure in figures:  # a graph with subgraphs is too large for a picture
        assert ("<svg" in figure) == (exercise == "dropout" and "If(" not in figure)


def test_a_kernel_asks_the_same_from_what_stands_in_its_cells(shown):
    """In a notebook, other cells give the function what it needs."""
    imports, _, body = PLAIN.partition("\n\n\n")
    assert imports == "import numpy as np"
    here = shown("quantize", defined("quantize", body))
    cells = ["import numpy as np", body, 'from nbjudge import defend\ndefend("quantize", quantize)']
    found = executed(cells, ROOT / "labs" / "lab-7-01")
    assert found["text/plain"].strip() == here.strip()
    assert found["text/html"].count("<figure") >= 1 and "<script" not in found["text/html"]


def executed(cells, folder):
    """What the last cell displays."""
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
    NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}).execute()
    [output] = notebook.cells[-1].outputs
    return output["data"]


@pytest.mark.parametrize(
    ("exercise", "answer", "line", "instead"),
    [
        ("dropout", "valid_rename", "rename_reads(child, old, new)", "pass"),
        (
            "gemm",
            "valid_proto",
            "return count + sum(readers(child, name) for child in children(graph))",
            "return count",
        ),
    ],
)
def test_a_line_that_walks_into_subgraphs_shows_on_a_drawn_graph(exercise, answer, line, instead):
    source = stored(exercise, answer)
    assert source.count(line) == 1
    changed = source.replace(line, instead).splitlines()
    cases = get(exercise).defence.inputs(0)
    differ = [
        place
        for place, case in enumerate(cases)
        if outcome_of(exercise, source.splitlines(), case) != outcome_of(exercise, changed, case)
    ]
    assert 0 < len(differ) < len(cases) - 3
    for place in differ:
        assert "If(" in get(exercise).defence.drawn(cases[place])


def test_what_differs_from_process_to_process_is_not_asked_and_what_never_ends_does(shown):
    asked = shown("quantize", defined("quantize", UNSTABLE))
    assert len(re.findall(r"^\d\. ", asked, re.M)) == 3
    defence = get("quantize").defence
    ran = learner._run(get("quantize"), [UNSTABLE], [], "x", defence)
    names = {name for _, _, name in ran.shown.values}
    assert "each" not in names and {"waiting"} & names
    endless = [n for n, one in ran.variants.items() if one.was == "waiting = set()"]
    assert endless and all(ran.shown.is_trivial(number) for number in endless)


def test_without_branches_there_are_fewer_and_it_says_why(shown):
    source = 'def quantize(x, symmetric):\n    return __import__("json").whole(x, symmetric)\n'
    whole = f"import json\n{PLAIN}\njson.whole = quantize\n"
    exec(whole, {})
    functions = defined("quantize", source)
    functions[0].__globals__["In"] = [whole]
    asked = shown("quantize", functions)
    assert "changes that were tried" in asked


@pytest.mark.parametrize(
    ("exercise", "source", "says"),
    [
        (
            "quantize",
            "def quantize(x, symmetric):\n    raise NotImplementedError()\n",
            'run check("quantize", quantize)',
        ),
        ("quantize", stored("quantize", "wraps"), 'run check("quantize", quantize)'),
        ("inspect", "def describe(model, directory=None):\n    return {}\n", "no questions about"),
    ],
)
def test_before_the_function_is_right_it_says_what_to_do(shown, exercise, source, says):
    said = shown(exercise, defined(exercise, source))
    assert says in said and len(said.splitlines()) == 1


def test_a_function_without_a_source_is_none_to_ask_about(shown):
    [function] = defined("quantize", PLAIN, name="gone")
    del linecache.cache["gone"]
    assert "define it in a cell" in shown("quantize", [function])


@pytest.mark.parametrize("answers", ["ab", "abcd", "abe", 3])
def test_answers_that_are_none_are_refused(shown, answers):
    with pytest.raises(CheckFailed, match="one letter of A to D"):
        shown("quantize", defined("quantize", PLAIN), answers=answers)


def test_while_a_lab_is_graded_or_checked_nothing_is_asked(shown, monkeypatch):
    monkeypatch.setattr(learner, "_asked", None)
    monkeypatch.setenv("NBJUDGE_TYPED", "1")
    assert shown("quantize", defined("quantize", PLAIN)) == ""
