"""Steps in reading notebooks: stored answers are right, each wrong answer hears its own cause, and
the page shows both.
"""

import importlib
import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from formatlab_exercises.steps import (
    Slip,
    Step,
    Steps,
    export,
    graph_surgery,
    honest_benchmarks,
    inside_an_onnx_file,
    int8_arithmetic,
    optimizers,
    plain,
    safetensors,
    torchscript,
    validation_ladder,
)
from tests.notebook_tools import NOTEBOOKS, ROOT, read

FILES = sorted(
    path for path in (ROOT / "exercises" / "steps").glob("*.py") if path.stem != "__init__"
)
MODULES = {
    file: importlib.import_module(f"formatlab_exercises.steps.{file.stem}") for file in FILES
}
CALLS = Step.__dataclass_fields__["call"].default


def exports(step):
    """Its functions are exported by PyTorch, which takes seconds each."""
    return [pytest.mark.slow] if step.call is not CALLS else []


EVERY = [
    pytest.param(file, name, id=f"{file.stem}-{name}", marks=exports(step))
    for file, module in MODULES.items()
    for name, step in module.step.steps.items()
]
each_step = pytest.mark.parametrize(("file", "name"), EVERY)
each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.stem}")
each_page = pytest.mark.parametrize(
    "file",
    [
        pytest.param(
            file,
            id=f"{file.stem}",
            marks=[mark for step in module.step.steps.values() for mark in exports(step)][:1],
        )
        for file, module in MODULES.items()
    ],
)


def page_of(file):
    return NOTEBOOKS / f"{MODULES[file].step.page}.ipynb"


def cells_of_steps(file):
    """For each step of the notebook: its name, the cell with the stub, and the text after it."""
    cells = read(page_of(file)).cells
    for number, cell in enumerate(cells):
        found = (
            re.search(r'^(\w+) = step\("(\w+)", (\w+)\)$', cell.source, re.MULTILINE)
            if cell.cell_type == "code"
            else None
        )
        if found:
            yield found, cell, cells[number + 1].source


@each_step
def test_the_stored_answer_is_right(file, name):
    step = MODULES[file].step
    assert step.verdict(name, step.steps[name].answer).broken is None


@each_step
def test_each_wrong_answer_hears_its_own_cause(file, name):
    step = MODULES[file].step
    slips = step.steps[name].slips
    assert slips
    heard = [step.verdict(name, slip.answer).broken for slip in slips]
    assert [rung and rung.cause for rung in heard] == [slip.cause for slip in slips]
    assert len({slip.cause for slip in slips}) == len(slips)


@each_page
def test_the_page_asks_every_step_in_order_and_its_answer_is_right(file):
    step = MODULES[file].step
    found = list(cells_of_steps(file))
    assert [match[2] for match, _, _ in found] == list(step.steps)
    kernel: dict = {}
    # The first cell of code imports what the page needs; a recipe to copy has imports of its own.
    setup = next(cell.source for cell in read(page_of(file)).cells if cell.cell_type == "code")
    exec(setup, kernel)
    for match, cell, after in found:
        variable, name, function = match.groups()
        assert variable == function and "raise NotImplementedError" in cell.source
        [answer] = re.findall(
            r"<details><summary>Answer</summary>\n\n```python\n(.*?)```", after, re.DOTALL
        )
        exec(answer, kernel)
        assert step.verdict(name, kernel[function]).broken is None, name


@each_file
def test_what_a_finding_sends_the_reader_to_is_a_section_of_the_page(file):
    text = "\n".join(
        cell.source for cell in read(page_of(file)).cells if cell.cell_type == "markdown"
    )
    sections = {
        heading.lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    }
    assert {step.section for step in MODULES[file].step.steps.values()} <= sections


def double(numbers):
    return [2 * number for number in numbers]


DOUBLE = Steps(
    "page",
    double=Step(
        "section",
        double,
        {"two": lambda: ([1, 2],), "none": lambda: ([],)},
        (Slip(lambda numbers: numbers + numbers, "You repeat the list."),),
    ),
)


def stub(numbers):
    raise NotImplementedError


def test_a_step_returns_the_readers_function_only_if_it_is_right(capsys):
    def mine(numbers):
        return (number + number for number in numbers)

    assert DOUBLE("double", mine) is mine
    assert "every rung passed" in capsys.readouterr().out
    assert DOUBLE("double", stub) is double
    assert capsys.readouterr().out.startswith("double: not written yet.")


def test_a_wrong_step_shows_the_ladder_and_the_page_goes_on(capsys):
    assert DOUBLE("double", lambda numbers: numbers * 2) is double
    shown = capsys.readouterr().out
    assert "✗ result" in shown and "You repeat the list." in shown and "points" not in shown
    assert DOUBLE("double", lambda numbers: 1 / 0) is double
    assert "✗ type" in capsys.readouterr().out


def test_a_step_that_the_page_does_not_have_is_named():
    with pytest.raises(LookupError, match="no step 'treble'"):
        DOUBLE("treble", double)


def test_an_answer_with_two_faults_hears_the_cause_of_the_case_that_is_shown():
    """It gives a size for a dimension without one, and an empty list for a value without a shape:
    the first case that is wrong shows the second fault.
    """

    def dims(value):
        return [dim.dim_value or dim.dim_param or "?" for dim in value.type.tensor_type.shape.dim]

    broken = validation_ladder.step.verdict("dims", dims).broken
    assert broken.case == "no shape" and "without a shape" in broken.cause


def test_a_set_is_no_list_and_a_list_may_be_the_set():
    def as_a_set(graph):
        stored = {tensor.name for tensor in graph.initializer}
        return {value.name for value in graph.input if value.name not in stored}

    broken = inside_an_onnx_file.step.verdict("inputs", as_a_set).broken
    assert broken.name == "type" and "You return a set" in broken.cause
    files = inside_an_onnx_file.step.steps["files"].answer
    backwards = inside_an_onnx_file.step.verdict(
        "files", lambda *given: sorted(files(*given), reverse=True)
    )
    assert backwards.broken is None


def test_who_finds_nothing_in_another_way_hears_the_same_cause():
    def by_place(model):
        return [entry for entry in model.opset_import if entry.domain == ""][0].version  # noqa: RUF015

    def misspelt(model):
        return model.opset_imports

    verdict = inside_an_onnx_file.step.verdict
    assert "two spellings" in verdict("opset", by_place).broken.cause
    assert not verdict("opset", misspelt).broken.cause


def test_a_graph_that_does_not_load_breaks_a_step_although_a_session_would_sort_it():
    def behind_their_reader(graph, source, mask):
        true = numpy_helper.from_array(np.array([True]))
        graph.node.append(helper.make_node("Shape", [source], ["its_shape"]))
        graph.node.append(helper.make_node("ConstantOfShape", ["its_shape"], [mask], value=true))

    broken = graph_surgery.step.verdict("mask", behind_their_reader).broken
    assert "topologically sorted" in broken.found and "behind the node that writes" in broken.cause


def raw_as(kind):
    return lambda data, name: kind(safetensors.raw_bytes(data, name))


def four_sums(qx, zx, qw, zw):
    x, w = qx.astype(float), qw.astype(float)
    return x @ w - zx * w.sum(axis=0) - zw * x.sum(axis=1, keepdims=True) + len(w) * zx * zw


def one_by_one(graph):
    for node in reversed(list(graph.node)):
        if not graph_surgery.names_read(graph) & set(node.output):
            graph.node.remove(node)


def by_a_stack(graph):
    waiting = [graph]
    while waiting:
        for node in waiting.pop().node:
            yield node.op_type
            waiting.extend(
                inner for attribute in node.attribute for inner in [attribute.g, *attribute.graphs]
            )


def in_its_place(graph, dropout):
    dropout.op_type = "Identity"
    del dropout.input[1:], dropout.output[1:], dropout.attribute[:]


@pytest.mark.parametrize(
    ("module", "name", "answer"),
    [
        (torchscript, "agreement", lambda a, b, xs: [(a(x) == b(x)).all() for x in xs]),
        (safetensors, "raw", raw_as(bytearray)),
        (safetensors, "raw", raw_as(memoryview)),
        (int8_arithmetic, "sum", four_sums),
        (graph_surgery, "sweep", one_by_one),
        (graph_surgery, "output", in_its_place),
        (inside_an_onnx_file, "walk", by_a_stack),
    ],
)
def test_a_right_answer_counts_in_another_spelling(module, name, answer):
    assert module.step.verdict(name, answer).broken is None


@given(st.integers(-(2**53), 2**53))
def test_whole_numbers_are_compared_exactly_and_others_up_to_rounding(whole):
    step = Steps("page", same=Step("section", lambda x: x, {"one": lambda: (whole,)}))
    assert step.verdict("same", lambda x: float(x)).broken is None
    assert step.verdict("same", lambda x: np.int64(x)).broken is None
    assert step.verdict("same", lambda x: x + 1).broken.name == "result"
    assert step.verdict("same", lambda x: float(x) + (1 if abs(x) < 2**52 else 2)).broken


@pytest.mark.parametrize("whole", [np.nan, np.inf, 1 / 3, 1e-7, -2.5])
def test_a_number_may_differ_by_rounding_and_no_more(whole):
    step = Steps("page", same=Step("section", lambda: [whole], {"one": lambda: ()}))
    assert step.verdict("same", lambda: np.array([whole], np.float32)).broken is None
    assert step.verdict("same", lambda: [np.nan_to_num(whole, posinf=2.0) * 1.01 + 1e-9]).broken


def test_an_answer_that_changes_what_it_was_given_is_told_so():
    """The page goes on with the same list, whose order says when each time was measured."""

    def sorts_in_place(times):
        times.sort()
        return honest_benchmarks.p90(times)

    broken = honest_benchmarks.step.verdict("p90", sorts_in_place).broken
    assert broken.name == "arguments" and "`times`" in broken.expected
    assert "Work on a copy" in broken.cause
    # A step that asks for an edit of its arguments does not have the rung.
    names = [rung.name for rung in graph_surgery.step.verdict("sweep", graph_surgery.sweep).rungs]
    assert names == ["exists", "type", "result"]


def test_what_raises_is_shown_with_the_line_of_the_readers_function():
    def misspelt(numbers):
        numbers = [2 * number for number in numbers]
        return nubmers  # noqa: F821

    found = DOUBLE.verdict("double", misspelt).broken.found
    assert "NameError" in found and "`return nubmers" in found
    # Of what the page expects, the message tells no line: it is the answer.
    raising = Steps("page", wrong=Step("section", misspelt, {"one": lambda: ([1],)}))
    assert "return" not in raising.verdict("wrong", lambda numbers: 1).broken.expected


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (inside_an_onnx_file, "walk"),
        (optimizers, "options"),
        (torchscript, "ready"),
        (safetensors, "fits"),
    ],
)
def test_who_returns_nothing_is_told_so(module, name):
    """And is not told what the check raised when it looked at nothing."""
    broken = module.step.verdict(name, lambda *arguments: None).broken
    assert "None" in broken.found and "Error" not in broken.found
    assert "returns nothing" in broken.cause or "The copy" in broken.cause or name == "ready"


def test_a_list_with_something_twice_is_no_set():
    def listed(*arguments):
        return [*inside_an_onnx_file.data_files(*arguments)] * 2

    broken = inside_an_onnx_file.step.verdict("files", listed).broken
    assert "holds something twice" in broken.cause


def test_values_of_other_libraries_are_plain_data():
    tensor = torch.tensor([1.5, 2.0], requires_grad=True)
    assert plain([tensor, tensor.sum(), np.float16(0.5)]) == [[1.5, 2.0], 3.5, 0.5]


@pytest.mark.slow
def test_a_loop_that_always_runs_once_is_refused():
    def once_at_least(x):
        return export.while_loop(lambda x: x.abs().sum() < 100, lambda x: (x * 2,), (x * 2,))[0]

    assert "nothing is doubled there" in export.step.verdict("loop", once_at_least).broken.cause
