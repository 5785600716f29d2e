"""The exercise `diagnose`: its cases have the fault that they are made with, nothing gives it away,
and its rungs survive any answer.
"""

import json
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutants import SEED, grade, grade_hidden, mutants, reference_functions, references
from seeds import seeds

from formatlab.models import museum
from formatlab_exercises.diagnose.ask import ANSWER
from formatlab_exercises.diagnose.judge.cases import (
    EXHIBITS,
    HEALTHY,
    HIDDEN,
    PUBLIC,
    files_of,
    kind_of,
)
from formatlab_exercises.diagnose.judge.misconceptions import NEEDED, OVERLOOKED, PLACES, missed
from nbjudge.contract import Answer
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb

EXERCISE = get("diagnose")
# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-diagnose")
CASES = EXERCISE.graded_cases(SEED)
KINDS = [*EXHIBITS, *HEALTHY, "healthy-external", "healthy-tensors"]
WRONG = [pytest.param(mutant, id=mutant.name) for mutant in mutants("diagnose") if mutant.rung]


def digests():
    return references("diagnose", SEED)


def diagnosis_of(kind):
    return EXHIBITS[kind].diagnosis if kind in EXHIBITS else "healthy"


@seeds(20, 2)
@pytest.mark.parametrize("kind", KINDS)
def test_the_reference_finds_what_the_case_was_made_with(kind, tmp_path, seeds):
    for seed in seeds:
        main, files = files_of(kind, np.random.default_rng(seed))
        museum.put(files, tmp_path / f"{seed}")
        assert reference_functions("diagnose")["diagnose"](
            tmp_path / f"{seed}" / main
        ) == diagnosis_of(kind), seed


def test_public_cases_are_what_they_are_listed_as():
    found = [
        digests()[case.name]["diagnosis"].tobytes().decode() for case in EXERCISE.public_cases()
    ]
    assert found == [diagnosis_of(kind) for kind in PUBLIC]
    assert set(found) == museum.DIAGNOSES.keys()


def test_hidden_cases_show_every_kind_once():
    found = Counter(
        digests()[case.name]["diagnosis"].tobytes().decode() for case in EXERCISE.cases(SEED)
    )
    assert found == Counter(map(diagnosis_of, KINDS))


def test_no_single_part_of_the_ladder_holds_half_of_the_cases():
    """So that one diagnosis for everything never reaches the rungs behind `loads`."""
    places = Counter(
        PLACES[reference["diagnosis"].tobytes().decode()] for reference in digests().values()
    )
    assert 2 * max(places.values()) < len(CASES)


def test_every_diagnosis_has_its_words():
    assert PLACES.keys() == NEEDED.keys() == museum.DIAGNOSES.keys()
    assert OVERLOOKED.keys() == museum.RUNGS.keys()


def test_cases_follow_their_seed_and_only_that():
    again = EXERCISE.graded_cases(SEED)
    assert [(case.name, case.files, case.parameters) for case in again] == [
        (case.name, case.files, case.parameters) for case in CASES
    ]
    other = {data for case in EXERCISE.cases(SEED + 1) for data in case.files.values()}
    assert not other & {case.files[case.parameters["path"]] for case in EXERCISE.cases(SEED)}


def test_what_the_function_is_given_does_not_tell_the_diagnosis():
    for case in CASES:
        assert case.parameters.keys() == {"path"} and re.fullmatch(
            r"export/model\.(onnx|safetensors)", case.parameters["path"]
        )
    order = [[kind_of(case) for case in EXERCISE.cases(seed)] for seed in (SEED, 1)]
    assert order[0] != order[1]


def test_a_case_is_called_what_it_is():
    assert [case.name for case in EXERCISE.public_cases()] == list(PUBLIC)
    assert sorted(case.name for case in EXERCISE.cases(SEED)) == sorted(
        HIDDEN + kind for kind in KINDS
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_cause_follows_from_what_is_wrong(kind):
    """Whatever was answered: an opset that is not imported is never explained by operators that fit
    together.
    """
    for found in museum.DIAGNOSES.keys() - {diagnosis_of(kind)}:
        cause = missed(kind, diagnosis_of(kind), found).sentence
        assert EXHIBITS[kind].story in cause if kind in EXHIBITS else cause
        assert diagnosis_of(kind) not in cause.split()


@pytest.mark.parametrize("mutant", WRONG)
def test_a_hidden_case_does_not_tell_its_diagnosis(mutant):
    for rung in grade_hidden("diagnose", mutant.functions).rungs:
        if rung.passed is False and rung.name in ("loads", "structure", "numerics"):
            expected = digests()[rung.case]["diagnosis"].tobytes().decode()
            assert rung.found in museum.DIAGNOSES and expected != rung.found
            assert expected not in rung.expected and expected not in rung.cause


def test_an_answer_that_knows_the_public_cases_by_heart_earns_nothing():
    known = {
        case.files[case.parameters["path"]]: diagnosis_of(kind)
        for case, kind in zip(EXERCISE.public_cases(), PUBLIC, strict=True)
    }
    assert grade("diagnose", {"diagnose": lambda path: known[path.read_bytes()]}).score == 0
    by_heart = grade("diagnose", {"diagnose": lambda path: known.get(path.read_bytes(), "healthy")})
    assert by_heart.score <= 0.4 * by_heart.max_score


@pytest.mark.parametrize("diagnosis", museum.DIAGNOSES)
def test_one_diagnosis_for_everything_earns_nothing(diagnosis):
    assert grade("diagnose", {"diagnose": lambda path: diagnosis}).score == 0


def test_the_notebook_lists_the_diagnoses(request):
    text = (request.config.rootpath / "solutions" / "day-50" / "diagnose.ipynb").read_text()
    listed = re.findall(
        r"\| `([\w-]+)` \| ",
        "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"]),
    )
    assert listed == list(museum.DIAGNOSES)


def climbed(answer: bytes):
    return climb(
        EXERCISE,
        CASES,
        {case.name: Answer("returned", {ANSWER: answer}) for case in CASES},
        digests(),
    )


ODD = (
    st.text(max_size=5)
    | st.sampled_from(sorted(museum.DIAGNOSES))
    | st.none()
    | st.integers()
    | st.lists(st.integers(), max_size=2)
)


@given(st.fixed_dictionaries({"diagnosis": ODD, "changed": st.booleans() | st.none()}) | ODD)
def test_no_answer_upsets_the_rungs(answer):
    assert climbed(json.dumps(answer).encode()).score == 0


@given(st.binary(max_size=50))
def test_bytes_that_are_no_answer_score_nothing(noise):
    verdict = climbed(noise)
    assert (verdict.score, verdict.broken.name) == (0, "type")
