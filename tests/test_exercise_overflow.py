"""The exercise overflow: its cases, what it accepts, and that the rest of its lab gives it nothing."""

import json

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx.reference import ReferenceEvaluator
from safetensors.numpy import load

from formatlab import loading, numerics
from formatlab_exercises.overflow.judge import case_models, case_sketch
from nbjudge.contract import Answer
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import answers, cases_of, grade, grade_few, mutants, reference_functions
from tests.seeds import seeds

EXERCISE = get("overflow")
# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-overflow")
STORED = {mutant.name: mutant for mutant in mutants("overflow")}
VALID = [name for name, mutant in STORED.items() if mutant.rung is None]
# For each difficulty, a stored answer that breaks on it.
KILLERS = {
    "scores": "lists_downstream",
    "at-the-end": "inner_values_only",
    "calm-mask-new": "blames_masks",
    "two-overflows-new": "first_only",
    "two-in-a-row-new": "sorts_names",
    "infinite-feed": "feeds_forgotten",
    "through-zero": "positive_only",
    "island": "half_limit_everywhere",
    "lost-epsilon": "nan_forgotten",
    "no-epsilon": "first_output_only",
    "one-of-many": "all_of_it",
    "wide-zero": "half_only",
}
CALM = ("calm-mask", "calm-feeds")
TWICE = ("two-overflows", "two-in-a-row", "through-zero", "past-a-zero", "no-epsilon")


def search():
    return reference_functions("overflow")["find_overflow"]


def verdict(find_overflow, cases):
    """The ladder on some cases only."""
    return grade_few("overflow", {"find_overflow": find_overflow}, cases)


def case(name, seed=3):
    return next(case for case in cases_of("overflow", seed) if case.name == name)


def values(one):
    """All values of a case, in float16."""
    model = onnx.ModelProto.FromString(one.files["model.onnx"])
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(model).run(
            None, load(one.files["feeds.safetensors"]), intermediate=True
        )


@seeds(200, 20)
def test_the_reference_is_right_on_two_hundred_seeds(seeds):
    for seed in seeds:
        found = verdict(search(), EXERCISE.cases(seed))
        assert found.score == found.max_score == EXERCISE.points, (seed, found.broken)


@seeds(10, 2)
@pytest.mark.parametrize("name", VALID)
def test_other_right_answers_are_right_on_many_seeds(name, seeds):
    for seed in seeds:
        stored = STORED[name].functions["find_overflow"]
        assert verdict(stored, EXERCISE.cases(seed)).broken is None, seed


@seeds(10, 2)
def test_cases_are_valid_models_that_run(seeds):
    for seed in seeds:
        for one in EXERCISE.graded_cases(seed):
            loading.validate(one.files["model.onnx"])
            numerics.run(one.files["model.onnx"], [load(one.files["feeds.safetensors"])])


@seeds(20)
def test_overflows_keep_clear_of_the_limit(seeds):
    """No finite value lies within 5 % of 65520, so that the order of a sum decides nothing."""
    for seed in seeds:
        for one in EXERCISE.graded_cases(seed):
            halves = [
                value
                for value in values(one).values()
                if getattr(value, "dtype", None) == np.float16
            ]
            largest = max(
                float(np.abs(value[np.isfinite(value)]).max(initial=0)) for value in halves
            )
            assert largest < 0.95 * 65520, (one.name, largest)


@pytest.mark.parametrize("name", [*case_models.PUBLIC, *case_models.HIDDEN])
def test_a_search_finds_what_its_case_hides(name):
    found = answers(EXERCISE, {"find_overflow": search()}, [case(name)])[name]
    expected = json.loads(found.files["names.json"])
    assert len(expected) == (0 if name.startswith(CALM) else 2 if name.startswith(TWICE) else 1)


@pytest.mark.parametrize(("name", "killer"), KILLERS.items())
def test_each_difficulty_has_an_answer_that_fails_at_it(name, killer):
    stored = {each: mutant.functions["find_overflow"] for each, mutant in STORED.items()}
    assert verdict(stored[killer], [case(name)]).broken is not None
    assert all(verdict(stored[valid], [case(name)]).broken is None for valid in VALID)


def test_no_alphabet_has_the_order_of_the_nodes():
    """Else it depends on the draw what an answer is worth that sorts the names."""
    several = (case_models.two_branches, case_models.twice, case_models.through_zero)
    for seed in range(8):
        for build in several:
            sketch = case_sketch.Float16Sketch(np.random.default_rng(seed))
            build(sketch)
            names = search()(sketch.model(), sketch.feeds)
            assert len(names) == 2 and names == sorted(names, reverse=True), (build, seed)


def test_the_cpu_provider_hides_what_the_reference_evaluator_shows():
    one = case("there-and-back")
    session = ort.InferenceSession(one.files["model.onnx"], providers=["CPUExecutionProvider"])
    [native] = session.run(None, load(one.files["feeds.safetensors"]))
    [output] = [value.name for value in session.get_outputs()]
    assert np.isfinite(native.astype(np.float32)).all()
    assert not np.isfinite(values(one)[output].astype(np.float32)).all()


def test_silent_zeros_are_finite():
    one = case("silent-zero")
    [output] = [
        value.name for value in onnx.ModelProto.FromString(one.files["model.onnx"]).graph.output
    ]
    assert np.isfinite(values(one)[output].astype(np.float32)).all()


@pytest.mark.parametrize("name", ["nan_forgotten", "blames_masks", "half_only"])
def test_a_mistake_costs_the_same_for_every_seed(name):
    """What is drawn of a case does not decide whether it asks for what it is about."""
    stored = {"find_overflow": STORED[name].functions["find_overflow"]}
    assert {grade("overflow", stored, seed).score for seed in range(6)} == {
        STORED[name].score * EXERCISE.points
    }


def test_a_cause_is_what_the_values_say():
    """Infinities of one sign alone: what is listed instead lies behind the other sign's."""

    def positive_only(model, feeds):
        return [name.replace(*swap) for name in search()(model, feeds)]

    one = case("through-zero")
    model = onnx.ModelProto.FromString(one.files["model.onnx"])
    [logarithm] = [node.output[0] for node in model.graph.node if node.op_type == "Log"]
    [negated] = [node.output[0] for node in model.graph.node if node.op_type == "Neg"]
    swap = (logarithm, negated)
    assert verdict(positive_only, [one]).broken.misconception == "lists-downstream"


def test_a_tuple_of_names_is_a_list_of_names():
    def as_tuple(model, feeds):
        return tuple(search()(model, feeds))

    assert verdict(as_tuple, EXERCISE.cases(2)).broken is None


def test_feeds_may_be_changed():
    """They are the call's own: only the model is asked to stay as it is."""

    def spoils_feeds(model, feeds):
        found = search()(model, feeds)
        for array in feeds.values():
            array[:] = 0
        return found

    assert verdict(spoils_feeds, EXERCISE.cases(2)).broken is None


def test_a_hidden_case_gives_nothing_of_the_model_away():
    def tell(model, feeds):
        raise ValueError(model.graph.input[0].name)

    secret = case("scores")
    name = onnx.ModelProto.FromString(secret.files["model.onnx"]).graph.input[0].name
    found = verdict(tell, [secret]).broken
    assert name not in str(found) and "ValueError" in found.found
    assert "secret" not in str(verdict(lambda model, feeds: ["secret"], [secret]).broken)


@pytest.mark.parametrize(
    "files",
    [{}, {"names.json": b"[1]"}, {"names.json": b"[" * 99}, {"report.json": b"{}"}],
)
def test_a_forged_answer_is_no_answer(files):
    found = climb(EXERCISE, [case("scores")], {"scores": Answer("returned", files)}, {"scores": {}})
    assert (found.broken.name, found.score) == ("type", 0)
