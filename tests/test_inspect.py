"""The exercise `inspect`: its cases are what they claim to be, and its rungs give no hidden number
away and survive any answer.
"""

import json
import re
from collections import Counter

import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formatlab_exercises.inspect.ask import ANSWER, MODEL
from formatlab_exercises.inspect.judge.rungs import DEFINITIONS
from nbjudge.contract import Answer
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import SEED, grade, grade_hidden, mutants, reference_functions, references
from tests.seeds import seeds

EXERCISE = get("inspect")
# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-inspect")
CASES = EXERCISE.graded_cases(SEED)
WRONG = [pytest.param(mutant, id=mutant.name) for mutant in mutants("inspect") if mutant.rung]


def digests():
    return references("inspect", SEED)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.parameters["directory"]], ids=lambda case: case.name
)
def test_external_data_is_where_the_model_says(case, tmp_path):
    for name, data in case.files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    onnx.checker.check_model(onnx.load(tmp_path / MODEL))


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if not case.parameters["directory"] and "alias" not in case.name],
    ids=lambda case: case.name,
)
def test_the_other_models_are_valid(case):
    """Without that of ai.onnx on nodes: ONNX Runtime takes it, the checker does not know it."""
    onnx.checker.check_model(case.files[MODEL])


def test_a_digest_is_the_description():
    case = next(case for case in CASES if case.name == "hidden-vendor_first")
    model = onnx.ModelProto.FromString(case.files[MODEL])
    digest = digests()[case.name]
    names = digest["operator_names"].tobytes().decode().split("\n")
    counted = Counter(
        f"{node.domain}::{node.op_type}" if node.domain else node.op_type
        for node in model.graph.node
    )
    assert dict(zip(names, digest["operator_counts"].tolist(), strict=True)) == counted
    assert digest["bytes"].tolist() == [len(case.files[MODEL])]


@seeds(20, 2)
@pytest.mark.parametrize("mutant", WRONG)
def test_a_wrong_answer_loses_the_same_items_on_every_seed(mutant, seeds):
    for seed in seeds:
        verdict = grade("inspect", mutant.functions, seed)
        assert {item.name for item in verdict.lost} == mutant.loses, seed


@pytest.mark.parametrize("mutant", WRONG)
def test_a_hidden_case_gives_no_number_away(mutant):
    for rung in grade_hidden("inspect", mutant.functions).rungs:
        if rung.passed is False:
            assert rung.case.startswith("hidden-")
            assert not re.search(r"\d", rung.expected + rung.found), rung


def test_an_answer_that_fails_wherever_it_is_ignorant_earns_nothing():
    known = {case.files[MODEL]: case for case in EXERCISE.public_cases()}

    def remembers(model, directory=None):
        case = known[model.SerializeToString(deterministic=True)]
        return reference_functions("inspect")["describe"](
            onnx.ModelProto.FromString(case.files[MODEL]), directory
        )

    assert grade("inspect", {"describe": remembers}).score == 0


def climbed(answer: bytes):
    return climb(
        EXERCISE,
        CASES,
        {case.name: Answer("returned", {ANSWER: answer}) for case in CASES},
        digests(),
    )


NUMBERS = (
    st.integers()
    | st.builds(lambda n: {"float": n}, st.integers() | st.text())
    | st.builds(lambda n: {"type": n}, st.text() | st.none())
)
COUNTS = st.builds(
    lambda counts: {"counts": counts},
    st.dictionaries(st.text(max_size=5), NUMBERS, max_size=3) | st.integers() | st.none(),
)
ODD = (
    NUMBERS
    | COUNTS
    | st.none()
    | st.booleans()
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=2)
    | st.just({"counts": {}, "float": 1})
)
DESCRIPTIONS = st.dictionaries(
    st.sampled_from(sorted(DEFINITIONS)) | st.text(max_size=4), ODD, max_size=6
)


@given(
    st.fixed_dictionaries(
        {"description": DESCRIPTIONS | st.none(), "changed": st.booleans() | st.none()}
    )
)
def test_no_answer_upsets_the_rungs(answer):
    assert climbed(json.dumps(answer).encode()).score <= 0.1 * EXERCISE.points


@given(st.binary(max_size=50))
def test_bytes_that_are_no_answer_score_nothing(noise):
    verdict = climbed(noise)
    assert (verdict.score, verdict.broken.name) == (0, "type")


def test_the_entries_of_external_data_have_no_order():
    case = next(case for case in EXERCISE.public_cases() if case.name == "external")
    tensors = onnx.ModelProto.FromString(case.files[MODEL]).graph.initializer
    orders = [[entry.key for entry in tensor.external_data] for tensor in tensors]
    places = {order.index("location") for order in orders if order}
    assert len(places) > 1 and 0 not in places
