"""The exercise `torchscript`: references are what the eager modules give, the cases decide, and no
forged answer upsets the rungs.
"""

import contextlib
import copy
import io
import json
import os
import re
import warnings
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
import torch
from safetensors.numpy import load, save

from formatlab_exercises.shared.handed import SOURCE
from formatlab_exercises.torchscript import building, running
from formatlab_exercises.torchscript.ask import EXERCISE
from formatlab_exercises.torchscript.files import EXAMPLE, INPUTS, MODULE, OUTPUTS, REPORT, STATE
from formatlab_exercises.torchscript.judge import cases, observing, rungs
from nbjudge.contract import Answer
from nbjudge.rungs.ladder import climb
from tests.mutants import (
    SEED,
    answers,
    asked_once,
    grade,
    grade_hidden,
    mutants,
    reference_functions,
    references,
)
from tests.notebook_tools import NOTEBOOKS, execute, read
from tests.seeds import each_seed, seeds
from tests.test_notebooks import is_machine_dependent, outputs_of

CASES = EXERCISE.graded_cases(SEED)
STORED = {mutant.name: mutant for mutant in mutants("torchscript")}
# Where answers are asked once for all tests.
pytestmark = pytest.mark.xdist_group("mutants-torchscript")
named = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@pytest.fixture(autouse=True)
def silence():
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def right():
    return asked_once(EXERCISE, reference_functions("torchscript"), CASES)


def climbed(found):
    return climb(EXERCISE, CASES, found, references("torchscript", SEED))


def eager(case, place):
    """What the module gives in evaluation mode, by the keys of a digest."""
    module = building.build(case).eval()
    if place == "weights":
        for tensor in module.state_dict().values():
            if tensor.is_floating_point():
                tensor.mul_(observing.CHANGED)
    with torch.no_grad():
        result = module(*observing.inputs(case)["0" if place == "weights" else place])
    named = dict(enumerate(result)) if isinstance(result, tuple) else {"only": result}
    return {f"out/{place}/{key}": tensor.numpy() for key, tensor in named.items()}


@named
def test_references_are_what_the_module_gives_in_evaluation_mode(case):
    reference = references("torchscript", SEED)[case.name]
    expected = {}
    for place in rungs.PLACES:
        expected |= eager(case, place)
    assert expected.keys() == {key for key in reference if key.startswith("out/")}
    for key, value in expected.items():
        np.testing.assert_allclose(reference[key], value, rtol=1e-4, atol=1e-6)
    state = building.build(case).state_dict()
    assert {key.removeprefix("state/") for key in reference if key.startswith("state/")} == set(
        state
    )


@seeds(40, first=100)
def test_the_reference_is_right_on_many_seeds(seeds):
    for seed in seeds:
        verdict = grade("torchscript", reference_functions("torchscript"), seed)
        assert verdict.score == verdict.max_score, (seed, verdict.broken)


@each_seed(30)
def test_inputs_take_both_sides_and_other_numbers_of_rows(seed):
    for case in EXERCISE.cases(seed):
        inputs = observing.inputs(case)
        rows = [len(values[0]) for values in inputs.values()]
        assert rows.count(rows[0]) == 2 and 1 in rows and max(rows) > 2 * rows[0]
        if case.parameters["kind"] in cases.THRESHOLDED:
            distances = [
                float(values[0].mean()) - case.parameters["threshold"] for values in inputs.values()
            ]
            assert {distance > 0 for distance in distances} == {True, False} and min(
                map(abs, distances)
            ) > 0.2
        if case.parameters["kind"] == "small-batch":
            assert len({count > case.parameters["rows"] for count in rows}) == 2


def test_every_kind_is_drawn_and_each_mode():
    drawn = [case.parameters for seed in range(30) for case in EXERCISE.cases(seed)]
    assert {recipe["kind"] for recipe in drawn} == cases.CLASSES.keys()
    assert {recipe["training"] for recipe in drawn} == {True, False} and any(
        recipe["turned"] for recipe in drawn
    )


@pytest.mark.parametrize(
    ("kind", "called"),
    [(kind, name) for kind, names in cases.CLASSES.items() for name in names if kind != "plain"],
)
def test_each_kind_is_as_difficult_as_its_class_says(kind, called):
    drawn = (cases._case(f"hidden-{kind}", kind, seed) for seed in range(30))
    case = next(case for case in drawn if case.parameters["class"] == called)
    module, inputs = building.build(case).eval(), observing.inputs(case)

    def agrees(make):
        try:
            made = make(module)
            for values in inputs.values():
                torch.testing.assert_close(made(*values), module(*values), rtol=1e-4, atol=1e-5)
        except Exception:
            return False
        return True

    with torch.no_grad():
        way = {
            "script": agrees(torch.jit.script),
            "trace": agrees(lambda module: torch.jit.trace(module, inputs["example"])),
        }
    scripted = {"choice", "halving", "recurrence", "small-batch", "pooling"}
    neither = {"router", "report", "chain"}
    assert way == {"script": kind in scripted, "trace": kind not in scripted | neither}


def test_the_random_numbers_of_the_student_are_left_alone():
    torch.manual_seed(5)
    expected = torch.get_rng_state()
    running.answer(reference_functions("torchscript")["compile_module"], CASES[0])
    building.build(replace(CASES[0], parameters={**CASES[0].parameters, "weights": 1}))
    torch.manual_seed(5)
    assert torch.equal(torch.get_rng_state(), expected)
    first, second = (building.build(CASES[0]).state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize(
    "mutant", [pytest.param(mutant, id=name) for name, mutant in STORED.items() if mutant.rung]
)
def test_a_hidden_case_gives_no_number_and_no_text_of_the_student_away(mutant):
    for rung in grade_hidden("torchscript", mutant.functions).rungs:
        if rung.passed is False:
            assert rung.case.startswith("hidden-")
            assert not re.search(r"\d|refuses it:|literal|Error:", rung.found), rung


def changed(**edits):
    """The right answers with fields of each report replaced."""

    def edit(answer):
        report = {**json.loads(answer.files[REPORT]), **edits}
        return Answer("returned", {**answer.files, REPORT: json.dumps(report).encode()})

    return {name: edit(answer) for name, answer in right().items()}


@pytest.mark.parametrize(
    "edits",
    [
        {"kept": {}},
        {"kept": None},
        {"saved": None},
        {"runs": ["", ""]},
        {"runs": [1] * 6},
        {"random": "no"},
    ],
    ids=lambda edits: f"{edits}",
)
def test_a_forged_report_scores_nothing(edits):
    verdict = climbed(changed(**edits))
    assert (verdict.broken.name, verdict.score) == ("type", 0)


@pytest.mark.parametrize(
    "data", [b"", b"noise" * 9, b"\xff" * 64], ids=["nothing", "noise", "header"]
)
@pytest.mark.parametrize("name", [OUTPUTS, STATE, REPORT])
def test_bytes_that_are_no_answer_score_nothing(name, data):
    verdict = climbed(
        {case: Answer("returned", {**answer.files, name: data}) for case, answer in right().items()}
    )
    assert (verdict.broken.name, verdict.score) == ("type", 0)


def test_outputs_of_another_type_or_shape_break_numerics():
    def edit(answer):
        outputs = {
            key: value.astype(np.float64)[None]
            for key, value in load(answer.files[OUTPUTS]).items()
        }
        return Answer("returned", {**answer.files, OUTPUTS: save(outputs)})

    verdict = climbed({name: edit(answer) for name, answer in right().items()})
    assert (verdict.broken.name, verdict.score) == ("numerics", 0)


def test_the_report_of_a_result_that_warns_is_that_of_one_that_does_not():
    def warns(module, example):
        warnings.warn("`torch.jit.script` is deprecated", DeprecationWarning, stacklevel=1)
        return reference_functions("torchscript")["compile_module"](module, example)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert running.answer(warns, CASES[1]).keys() == {MODULE, REPORT}


@pytest.mark.slow
def test_the_page_says_so_where_there_is_no_compiler(tmp_path):
    """The page runs to its end with nothing on the path; only what needs a compiler is another
    text.
    """
    page = NOTEBOOKS / "lab-7-01" / "05-torchscript.ipynb"
    with patch.dict(os.environ, {"PATH": str(tmp_path)}):
        found = [outputs_of(cell) for cell in execute(read(page)).cells]
    assert str(found).count("No C++ compiler here") == 2
    tagged = {number for number, cell in enumerate(read(page).cells) if is_machine_dependent(cell)}
    committed = [outputs_of(cell) for cell in read(page).cells]
    assert {
        number for number, (was, now) in enumerate(zip(committed, found, strict=True)) if was != now
    } <= tagged


def test_what_was_not_saved_is_not_believed():
    """A report and outputs that the notebook wrote itself stand for no module."""
    forged = {name: answer.files for name, answer in right().items()}
    found = {
        case.name: EXERCISE.judge.observe(case, Answer("returned", forged[case.name]))
        for case in CASES
    }
    assert climbed(found).score <= 0.1 * EXERCISE.points


def test_the_inputs_on_which_a_result_is_run_stay_out_of_the_box():
    from nbjudge.grading.execution.anonymous import AnonymousCases

    for case in AnonymousCases({"torchscript": CASES}).cases["torchscript"]:
        assert case.files.keys() == {SOURCE, EXAMPLE}
        assert INPUTS not in case.files and set(load(case.files[EXAMPLE])) <= {
            "example/0",
            "example/1",
        }


def test_words_in_a_string_are_no_choice():
    class Talks(torch.nn.Module):
        def forward(self, x):
            print("prim::If prim::Loop")
            return x

    case = next(case for case in CASES if case.parameters["kind"] == "choice")
    buffer = io.BytesIO()
    torch.jit.save(torch.jit.script(Talks()), buffer)
    with contextlib.redirect_stdout(io.StringIO()):
        seen = observing.observe(
            case,
            Answer("returned", {MODULE: buffer.getvalue(), REPORT: b'{"kept": {}, "saved": ""}'}),
        )
    assert seen.files["graph.txt"] == b""


def test_a_hook_that_is_left_on_a_copy_is_named_as_the_cause():
    def note(part, given):
        pass

    def compile_module(module, example):
        copied = copy.deepcopy(module).eval()
        next(copied.children()).register_forward_pre_hook(note)
        return torch.jit.script(copied)

    case = next(case for case in CASES if case.public)
    [answer] = answers(EXERCISE, {"compile_module": compile_module}, [case]).values()
    finding = rungs.is_script_module(EXERCISE.view(case, answer, {}))
    assert "handle.remove()" in finding.cause and "The case" not in finding.cause
