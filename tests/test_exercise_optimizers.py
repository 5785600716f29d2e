"""The exercise `optimizers`: its cases change at the levels that they claim, and no mark depends on
the processor.
"""

import json
import re
from itertools import pairwise, permutations

import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formatlab_exercises.optimizers.ask import LEVELS, MODEL, REPORT
from formatlab_exercises.optimizers.judge import rungs
from formatlab_exercises.optimizers.judge.cases import HIDDEN, PUBLIC
from formatlab_exercises.optimizers.judge.rungs import COUNTS
from nbjudge.contract import Answer, View
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import (
    SEED,
    asked_once,
    grade,
    grade_hidden,
    mutants,
    reference_functions,
    references,
)

EXERCISE = get("optimizers")
# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-optimizers")
CASES = EXERCISE.graded_cases(SEED)
WRONG = [pytest.param(mutant, id=mutant.name) for mutant in mutants("optimizers") if mutant.rung]
# Between which neighbouring levels each model changes, on every processor.
CHANGES = {
    "cnn": ["basic", "extended"],
    "transformer": ["basic", "extended"],
    "constants": ["basic"],
    "branches": ["basic"],
    "quantized": ["layout"],
    "half": ["all"],
    "nested": ["basic"],
    "functions": ["extended"],
}


def reference_answers():
    return asked_once(EXERCISE, reference_functions("optimizers"), CASES)


def digests():
    return references("optimizers", SEED)


def levels_of(reference):
    return json.loads(reference[COUNTS].tobytes())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_models_are_valid(case):
    onnx.checker.check_model(case.files[MODEL], full_check=True)


@pytest.mark.parametrize("seed", [SEED, 1])
@pytest.mark.parametrize("name", [*PUBLIC, *(f"hidden-{model}" for model in HIDDEN)])
def test_a_model_changes_at_its_levels(name, seed):
    model = name.removeprefix("hidden-")
    counts = levels_of(references("optimizers", seed)[name])
    levels = ["disable", "basic", "extended", *([] if model == "cnn" else ["layout", "all"])]
    assert [
        after for before, after in pairwise(levels) if counts[before] != counts[after]
    ] == CHANGES[model]


def test_every_level_is_told_from_every_other_on_every_processor():
    assert not any(case.parameters["differs"] for case in CASES if not case.public)
    portable = [levels_of(digests()[case.name]) for case in CASES if not case.public]
    for level, other in permutations(LEVELS, 2):
        assert any(counts[level] != counts[other] for counts in portable), (level, other)


def test_the_reference_holds_nothing_that_differs_between_processors():
    assert list(levels_of(digests()["cnn"])) == ["basic", "disable", "extended"]


def made_elsewhere(answer, block, rewrite):
    """The answer as a processor with another block size would have made it: `rewrite` changes the
    counts of layout and all.
    """
    report = json.loads(answer.files[REPORT])
    report["block"] = block
    for level in ("layout", "all"):
        report["levels"][level]["counts"] = rewrite(report["levels"])
    files = {
        name: data for name, data in answer.files.items() if name not in ("layout.onnx", "all.onnx")
    }
    return Answer("returned", {**files, REPORT: json.dumps(report).encode()})


CNN = next(case for case in CASES if case.name == "cnn")


@pytest.mark.parametrize(
    ("block", "rewrite", "right"),
    [
        (0, lambda levels: levels["extended"]["counts"], True),
        (0, lambda levels: levels["basic"]["counts"], False),
        (0, lambda levels: {"com.microsoft.nchwc::Conv": 3}, False),
        (
            4,
            lambda levels: {
                "com.microsoft.nchwc::Conv": 2,
                "com.microsoft.nchwc::ReorderInput": 1,
                "Gemm": 1,
            },
            True,
        ),
        (4, lambda levels: levels["extended"]["counts"], False),
        (4, lambda levels: {**levels["basic"]["counts"], "com.microsoft.nchwc::Conv": 1}, False),
    ],
)
def test_another_processor_is_judged_by_what_holds_there(block, rewrite, right):
    answer = made_elsewhere(reference_answers()[CNN.name], block, rewrite)
    assert (rungs.counts_the_levels(View(CNN, answer, digests()[CNN.name])) is None) is right


def test_blocked_weights_of_another_processor_are_not_run():
    answer = reference_answers()[CNN.name]
    model = onnx.ModelProto.FromString(answer.files["layout.onnx"])
    for tensor in model.graph.initializer:
        tensor.raw_data = bytes(len(tensor.raw_data))
    report = json.loads(answer.files[REPORT])
    spoiled = {**answer.files, "layout.onnx": model.SerializeToString()}
    blocked = any(node.domain == "com.microsoft.nchwc" for node in model.graph.node)
    assert (
        rungs.files_agree(View(CNN, Answer("returned", spoiled), digests()[CNN.name])) is not None
    )
    elsewhere = {**spoiled, REPORT: json.dumps({**report, "block": 4}).encode()}
    found = rungs.files_agree(View(CNN, Answer("returned", elsewhere), digests()[CNN.name]))
    assert (found is None) is blocked


@pytest.mark.parametrize("mutant", WRONG)
def test_a_hidden_case_shows_no_counts_and_no_operators(mutant):
    for rung in grade_hidden("optimizers", mutant.functions).rungs:
        if rung.passed is False:
            assert rung.case.startswith("hidden-")
            assert not re.search(r"\(\d+\)|Conv|MatMul|Gemm", rung.expected + rung.found), rung


def test_an_answer_that_remembers_the_public_cases_earns_nothing():
    known = {case.files[MODEL] for case in EXERCISE.public_cases()}

    def remembers(path, directory):
        if path.read_bytes() not in known:
            raise ValueError
        return reference_functions("optimizers")["optimize_levels"](path, directory)

    assert grade("optimizers", {"optimize_levels": remembers}).score <= 0.1 * EXERCISE.points


def climbed(files):
    return climb(
        EXERCISE, CASES, {case.name: Answer("returned", files) for case in CASES}, digests()
    )


ODD = (
    st.none()
    | st.integers()
    | st.text(max_size=4)
    | st.dictionaries(st.text(max_size=4), st.integers() | st.none(), max_size=2)
)
ENTRY = (
    st.fixed_dictionaries({"counts": ODD, "plain": st.booleans()})
    | st.fixed_dictionaries({"type": ODD})
    | ODD
)
LEVELS_FOUND = st.dictionaries(st.sampled_from([*LEVELS, "other"]), ENTRY, max_size=5)


@given(
    st.fixed_dictionaries(
        {
            "levels": LEVELS_FOUND | ODD,
            "others": st.just([]) | ODD,
            "changed": st.booleans(),
            "block": st.integers(),
        }
    )
)
def test_no_report_upsets_the_rungs(report):
    assert climbed({REPORT: json.dumps(report).encode()}).score <= 0.1 * EXERCISE.points


@given(st.binary(max_size=60))
def test_files_that_are_no_models_do_not_load(noise):
    report = reference_answers()[CASES[0].name].files[REPORT]
    verdict = climbed({REPORT: report, "basic.onnx": noise})
    assert verdict.score == 0
