"""The exercise `mend_export`: what the judge computes is what torch computes, sizes reach what a case
is about, and no answer upsets the rungs.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from formatlab_exercises.mend_export import building
from formatlab_exercises.mend_export.ask import EXERCISE, MODEL, REPORT
from formatlab_exercises.mend_export.judge import cases, exact, rungs
from formatlab_exercises.mend_export.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge import torch_errors
from nbjudge.contract import Answer, Finding
from nbjudge.rungs.ladder import climb
from tests.mutants import SEED, asked_once, grade_hidden, mutants, reference_functions, references
from tests.seeds import each_seed

# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-mend_export")
CASES = EXERCISE.graded_cases(SEED)
named = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
KEPT = [case for case in CASES if not case.parameters["refused"]]
REFUSALS = [case for case in CASES if case.parameters["refused"]]
STORED = {mutant.name: mutant for mutant in mutants("mend_export")}
EXCEPTION = json.dumps(
    {"outcome": "raised", "error": {"type": "ValueError", "text": "no"}}
).encode()


def by_torch(case, values):
    arguments, keywords = building.nested(case, values)
    with torch.no_grad():
        return building.module(case)(*arguments, **keywords).numpy()


@named
def test_a_file_is_held_against_what_torch_computes(case):
    if not cases.has_an_output(case):
        return
    truths = rungs.truths(case)
    for run, values in enumerate(cases.inputs(case)):
        right, allowed = truths[f"{run}/exact"], truths[f"{run}/allowed"]
        found = by_torch(case, values)
        assert found.shape == right.shape
        assert np.abs(found - right).max() <= allowed / 2


OTHER_KERNELS = """
import numpy as np
from formatlab_exercises.mend_export.ask import EXERCISE
from formatlab_exercises.mend_export.judge import rungs
for case in EXERCISE.public_cases():
    for name, array in rungs.truths(case).items():
        if name.endswith("allowed"):
            print(f"{float(array):.6e}")
"""


def test_what_is_allowed_depends_on_no_processor():
    """OpenBLAS takes the kernels of another processor where it is told to, which sum in another order."""

    def allowed(processor):
        told = {"OPENBLAS_CORETYPE": processor, "PATH": os.environ["PATH"]}
        command = [sys.executable, "-c", OTHER_KERNELS]
        return subprocess.run(command, env=told, capture_output=True, text=True, check=True).stdout

    assert allowed("Haswell") == allowed("Prescott") != ""


@each_seed(20)
def test_the_sizes_of_the_runs_keep_the_limits_and_reach_them(seed):
    for case in EXERCISE.graded_cases(seed):
        recipe = case.parameters
        runs = cases.sizes_of(case, np.random.default_rng(case.seed))
        assert runs[0] == recipe["example"]
        for name in recipe["example"]:
            limit = recipe["limits"].get(name, {})
            step = limit.get("multiple", 1)
            sizes = {run[name] for run in runs}
            assert min(sizes) == max(limit.get("min", 1), step)
            assert max(sizes) == limit["max"] if "max" in limit else max(sizes) > 20
            assert all(size % step == 0 for size in sizes - {recipe["example"][name]})
        for run in runs[2:]:
            assert len(set(run.values())) == len(run), (case.name, run)


@each_seed(20)
def test_a_module_that_shall_be_refused_fails_at_a_size_or_gives_what_no_example_shows(seed):
    for case in EXERCISE.graded_cases(seed):
        recipe = case.parameters
        if recipe["refused"] and not cases.has_an_output(case):
            assert recipe["kind"] not in exact.FUNCTIONS
            with pytest.raises(RuntimeError):
                for values in cases.inputs(case):
                    by_torch(case, values)


@each_seed(20)
def test_both_branches_are_taken_where_a_module_chooses(seed):
    for case in EXERCISE.graded_cases(seed):
        recipe = case.parameters
        if recipe["kind"] in (*cases.CHOICE, *cases.FEW):
            taken = {
                bool(np.allclose(by_torch(case, values), np.tanh(*values.values()), atol=1e-5))
                for values in cases.inputs(case)
            }
            assert taken == {True, False}


def test_every_kind_of_module_has_a_case():
    drawn = [case.parameters for seed in range(30) for case in EXERCISE.graded_cases(seed)]
    assert {recipe["kind"] for recipe in drawn} == set(cases.CLASSES) - {"stored"}
    assert {recipe["kind"] for recipe in drawn if recipe["refused"]} == set(rungs.WHY)


def test_the_solution_refuses_what_shall_be_refused_and_nothing_else():
    given = asked_once(EXERCISE, reference_functions("mend_export"), CASES)
    refused = {name for name, answer in given.items() if MODEL not in answer.files}
    assert refused == {case.name for case in REFUSALS}


@pytest.mark.parametrize(
    "mutant", [each for each in STORED.values() if each.rung], ids=lambda each: each.name
)
def test_a_hidden_case_gives_no_size_away(mutant):
    for rung in grade_hidden("mend_export", mutant.functions).rungs:
        if rung.passed is False:
            assert "=" not in rung.found and "[" not in rung.found


def test_a_name_of_digits_is_a_number():
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["3", 8, "rows"])
    assert rungs.axes(value) == [3, 8, "rows"]


def climbed(answers):
    return climb(EXERCISE, CASES, answers, references("mend_export", SEED))


def test_an_exception_is_a_refusal_only_where_there_is_no_right_file():
    verdict = climbed({case.name: Answer("returned", {REPORT: EXCEPTION}) for case in CASES})
    assert (verdict.score, verdict.broken.name) == (0, "type")
    assert verdict.broken.wrong == len(KEPT)


def test_one_file_for_all_cases_earns_a_tenth_at_most():
    data = asked_once(EXERCISE, reference_functions("mend_export"), CASES)["one-row"].files
    verdict = climbed({case.name: Answer("returned", dict(data)) for case in CASES})
    assert verdict.score <= 0.1 * EXERCISE.points


@settings(max_examples=30)
@given(st.sampled_from([MODEL, REPORT]), st.binary(max_size=60) | st.just(b"{}") | st.just(b"[]"))
def test_no_bytes_upset_the_rungs(name, noise):
    verdict = climbed({case.name: Answer("returned", {name: noise}) for case in CASES})
    assert verdict.score == 0 or verdict.score <= 0.1 * EXERCISE.points


@settings(max_examples=30)
@given(
    st.dictionaries(
        st.sampled_from(["outcome", "error", "x"]), st.none() | st.sampled_from(["raised", {}, []])
    )
)
def test_no_report_upsets_the_rungs(report):
    answer = Answer("returned", {REPORT: json.dumps(report).encode()})
    assert climbed({case.name: answer for case in CASES}).score == 0


def test_a_link_in_what_torch_says_is_no_division():
    said = (
        "see https://docs.pytorch.org/export.html, or specify it as a list/tuple matching `inputs`."
    )
    answer = Answer("raised", {}, {"type": "TorchExportError", "text": said})
    finding = torch_errors.explained(Finding("", "", ""), answer, rungs.TORCH_CAUSES)
    assert finding.misconception == Mistakes.other_structure.id
