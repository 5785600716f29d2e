"""The exercise `cache`: its files compute what they promise in every form, its cases tell mistakes
apart on every seed, and its rungs survive any answer.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

import nbformat
import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx.reference import ReferenceEvaluator

from formatlab.models import one_step
from formatlab.models.one_step import Form
from formatlab_exercises.cache.ask import ANSWER, EXERCISE, GENERATE, MODEL, WIRING
from formatlab_exercises.cache.judge import cases as cache_cases
from formatlab_exercises.cache.judge import decoding
from formatlab_exercises.cache.judge.cases import ALL, KINDS
from formatlab_exercises.cache.judge.misconceptions import BY_NAME
from formatlab_exercises.cache.session import CountingSession
from nbjudge.contract import Answer
from nbjudge.rungs.ladder import climb
from tests.mutants import SEED, grade, grade_hidden, mutants, reference_functions, references
from tests.seeds import each_seed, seeds

# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-cache")
ROOT = Path(__file__).parents[1]
CASES = EXERCISE.graded_cases(SEED)
GENERATING = [case for case in CASES if case.parameters["function"] == GENERATE]
WRONG = [pytest.param(mutant, id=mutant.name) for mutant in mutants("cache") if mutant.rung]
FORMS = st.builds(
    Form,
    layers=st.integers(1, 3),
    heads=st.integers(1, 4),
    size=st.sampled_from([2, 4, 6]),
    opset=st.sampled_from([20, 23]),
    one_token=st.booleans(),
    positions=st.booleans(),
    mask=st.booleans(),
    tokens_first=st.booleans(),
    half=st.booleans(),
    mixed=st.booleans(),
    shuffled=st.booleans(),
)


def prompt_of(case):
    return np.array(case.parameters["prompt"], np.int64)


def without_a_cache(form, seed, prompt, steps):
    """The tokens that come out when the whole text is read again for each of them, by the same
    network in a file that takes any number of tokens.
    """
    plain = replace(form, one_token=False, shuffled=False)
    session = decoding.open_session(
        one_step.model(plain, np.random.default_rng(seed)).SerializeToString()
    )
    inputs = {each.name: each for each in session.get_inputs()}
    text = prompt
    for _ in range(steps):
        rows, length = text.shape
        feeds = {"input_ids": text}
        if form.positions:
            feeds["position_ids"] = np.tile(np.arange(length), (rows, 1))
        if form.mask:
            feeds["attention_mask"] = np.ones((rows, length), np.int64)
        for name, asked in inputs.items():
            if name.startswith("past"):
                shape = [{"batch": rows}.get(dim, dim) for dim in asked.shape]
                sizes = [dim if isinstance(dim, int) else 0 for dim in shape]
                feeds[name] = np.zeros(sizes, decoding.TYPES[asked.type])
        [logits] = session.run(["logits"], feeds)
        text = np.concatenate([text, logits[:, -1:].argmax(axis=-1)], axis=1)
    return text[:, prompt.shape[1] :]


@settings(max_examples=25)
@given(FORMS, st.integers(0, 1000), st.integers(1, 3), st.integers(1, 4))
def test_a_step_with_its_cache_gives_what_the_network_gives_without(form, seed, rows, length):
    data = one_step.model(form, np.random.default_rng(seed)).SerializeToString()
    onnx.checker.check_model(data, full_check=True)
    prompt = np.random.default_rng(seed).integers(0, form.vocabulary, (rows, length))
    found = decoding.generate(data, prompt, 4)
    if found.lead > cache_cases.LEAD:  # a choice that is close may fall either way
        assert np.array_equal(found.tokens, without_a_cache(form, seed, prompt, 4))


@pytest.mark.parametrize("opset", [20, 23])
def test_the_reference_evaluator_agrees_with_a_step(opset):
    model = one_step.model(Form(opset=opset), np.random.default_rng(3))
    session = decoding.open_session(model.SerializeToString())
    rng = np.random.default_rng(4)
    feeds = {"input_ids": np.array([[3, 1, 4]])}
    for each in session.get_inputs()[1:]:
        feeds[each.name] = rng.normal(size=(1, *each.shape[1:2], 5, each.shape[3])).astype("f")
    for have, want in zip(
        ReferenceEvaluator(model).run(None, feeds), session.run(None, feeds), strict=True
    ):
        assert np.allclose(have, want, atol=1e-4)


@each_seed(6, 2)
def test_every_mistake_shows_in_every_case_that_it_concerns(seed):
    for case in EXERCISE.graded_cases(seed):
        if case.parameters["function"] == WIRING or case.parameters["steps"] == 1:
            continue  # the first token alone shows little
        prompt, steps = prompt_of(case), case.parameters["steps"]
        right = decoding.generate(case.files[MODEL], prompt, steps)
        assert right.lead >= cache_cases.LEAD
        wrong = decoding.mistakes(case.files[MODEL], prompt, steps)
        shown = [right.tokens.tobytes(), *(tokens.tobytes() for tokens in wrong.values())]
        assert len(set(shown)) == len(shown), case.name
        assert {"cache_forgotten", "first_cache_kept", "first_token_lost"} <= wrong.keys()


def test_every_mistake_concerns_a_public_case_and_a_hidden_one():
    for public in (True, False):
        concerned = {
            name
            for case in GENERATING
            if case.public is public
            for name in decoding.applying(case.files[MODEL], prompt_of(case))
        }
        assert concerned == set(decoding.MISTAKES) == set(BY_NAME)


def test_the_solution_gives_the_tokens_of_the_network():
    for case in GENERATING:
        found = references("cache", SEED)[case.name]["tokens"]
        right = decoding.generate(case.files[MODEL], prompt_of(case), case.parameters["steps"])
        assert np.array_equal(found, right.tokens)


def test_the_lab_says_what_is_in_each_public_case():
    cells = nbformat.read(ROOT / "solutions" / "day-50" / "cache.ipynb", as_version=4).cells
    text = next(cell.source for cell in cells if "| case | what is in it |" in cell.source)
    table = text.partition("| case | what is in it |")[2].partition("\n\n")[0]
    named = re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)
    assert named == [*KINDS, "wires-..."]
    public = [case.name for case in EXERCISE.public_cases()]
    assert sorted(public) == sorted([*KINDS, *(f"wires-{kind}" for kind in cache_cases.WIRED)])


@seeds(4, 1)
@pytest.mark.parametrize("mutant", WRONG)
def test_a_wrong_answer_loses_the_same_items_on_every_seed(mutant, seeds):
    for seed in seeds:
        verdict = grade("cache", mutant.functions, seed)
        assert {item.name for item in verdict.lost} == mutant.loses, seed


def test_each_mistake_of_the_loop_is_told_apart_in_every_case():
    """Whoever makes it reads its own cause, whichever case is shown."""
    functions = {mutant.name: mutant for mutant in mutants("cache")}
    for name in ("positions_restart", "first_row_for_all", "layers_shifted", "last_token_again"):
        broken = grade("cache", functions[name].functions).broken
        assert broken.misconception == name.replace("_", "-")


@pytest.mark.parametrize("mutant", WRONG)
def test_a_hidden_case_gives_no_token_and_no_name_away(mutant):
    for rung in grade_hidden("cache", mutant.functions).rungs:
        if rung.passed is False:
            assert "[" not in rung.expected + rung.found
            assert "present" not in rung.expected + rung.found


def test_a_list_of_the_public_answers_earns_nothing():
    known = {
        json.dumps([prompt_of(case).tolist(), case.parameters["steps"]]): case
        for case in GENERATING
        if case.public
    }

    def generate(session, prompt_ids, steps):
        case = known[json.dumps([prompt_ids.tolist(), steps])]
        return references("cache", SEED)[case.name]["tokens"]

    def cache_wiring(session):
        return {}

    assert grade("cache", {WIRING: cache_wiring, GENERATE: generate}).score == 0


def test_the_session_counts_the_tokens_of_all_rows():
    session = CountingSession(next(case for case in CASES if case.name == "two-rows").files[MODEL])
    feeds = {"input_ids": np.array([[1, 2, 3], [4, 5, 6]])}
    for each in session.get_inputs():
        if each.name != "input_ids":
            feeds[each.name] = np.zeros((2, each.shape[1], 0, each.shape[3]), np.float32)
    session.run(None, feeds)
    session.run(None, feeds)
    assert session.fed == 12


def test_a_loop_that_feeds_its_last_token_too_is_as_right():
    functions = dict(reference_functions("cache"))
    generate = functions[GENERATE]
    functions[GENERATE] = lambda session, ids, steps: generate(session, ids, steps + 1)[:, :steps]
    assert grade("cache", functions).score == EXERCISE.points


def climbed(answer: bytes):
    given = {case.name: Answer("returned", {ANSWER: answer}) for case in CASES}
    return climb(EXERCISE, CASES, given, references("cache", SEED))


@given(
    st.fixed_dictionaries(
        {
            "wiring": st.dictionaries(st.text(max_size=4), st.text(max_size=4) | st.none()),
            "tokens": st.lists(st.integers() | st.none() | st.text(max_size=2), max_size=20),
            "shape": st.lists(st.integers(-2, 30) | st.none(), max_size=3),
            "fed": st.integers() | st.none(),
        }
    )
)
def test_no_answer_upsets_the_rungs(answer):
    assert climbed(json.dumps(answer).encode()).score <= 0.1 * EXERCISE.points


@given(st.binary(max_size=50))
def test_bytes_that_are_no_answer_score_nothing(noise):
    verdict = climbed(noise)
    assert (verdict.score, verdict.broken.name) == (0, "type")


def test_there_is_a_hidden_case_of_every_kind():
    names = {case.name.removesuffix("-new") for case in CASES if not case.public}
    assert set(ALL) <= names


@pytest.mark.parametrize("name", ["position_ids", "attention_mask"])
def test_the_session_refuses_what_a_graph_would_stretch(name):
    form = Form(positions=True, mask=True)
    session = CountingSession(one_step.model(form, np.random.default_rng(1)).SerializeToString())
    ids = np.array([[3, 1], [4, 1]])
    feeds = {
        each.name: np.zeros([2, form.heads, 0, form.size], np.float32)
        for each in session.get_inputs()
        if each.name.startswith("past")
    }
    feeds |= {"input_ids": ids, "position_ids": ids, "attention_mask": np.ones((2, 2), np.int64)}
    assert session.run(["logits"], feeds)[0].shape[:2] == (2, 2)
    with pytest.raises(ValueError, match=f"{name} has the shape"):
        session.run(["logits"], {**feeds, name: feeds[name][:1]})
    past = next(each for each in feeds if each.startswith("past"))
    wider = np.zeros([2, form.heads, 0, form.size + 1], np.float32)
    with pytest.raises(ValueError, match=f"{past} has the shape"):
        session.run(["logits"], {**feeds, past: wider})
    assert session.fed == 4
