"""The exercise `capstone`: budgets decide the same for every right answer, the audit makes every
line again, and no answer upsets it.
"""

import json
import re

import numpy as np
import onnx
import pytest
import torch
from onnx import helper, numpy_helper

from formatlab import quantized
from formatlab.models import digits, fixtures
from formatlab.show import passport as shown
from formatlab_exercises.capstone import modules, passport
from formatlab_exercises.capstone.ask import EXERCISE, PASSPORT, REPORT, weights
from formatlab_exercises.capstone.judge import artefacts, cases, rungs, schema
from nbjudge.contract import Answer
from nbjudge.rungs.ladder import climb
from tests.mutants import (
    SEED,
    answers,
    asked_once,
    grade_hidden,
    mutants,
    reference_functions,
    references,
)
from tests.seeds import seeds

CASES = EXERCISE.graded_cases(SEED)
DIGITS = next(case for case in CASES if case.name == "digits")
STORED = {mutant.name: mutant for mutant in mutants("capstone")}
# Where answers are asked once for all tests.
pytestmark = pytest.mark.xdist_group("mutants-capstone")
KINDS = {
    "digits": "fp16.onnx",
    "mlp": None,
    "hidden-roomy": "fp32.onnx",
    "hidden-half": "fp16.onnx",
    "hidden-tight": "int8.onnx",
}


def given(name="valid_by_hand"):
    return asked_once(
        EXERCISE,
        STORED[name].functions if name in STORED else reference_functions("capstone"),
        CASES,
    )


def climbed(found):
    return climb(EXERCISE, CASES, found, references("capstone", SEED))


def message(rung):
    return f"{rung.expected} | {rung.found} | {rung.cause}"


def read(answer):
    return json.loads(answer.files[PASSPORT])


def edited(edit):
    """The answers of a valid mutant, with `edit(passport, files)` applied to each."""

    def changed(answer):
        found, data = read(answer), dict(answer.files)
        edit(found, data)
        return Answer("returned", {**data, PASSPORT: json.dumps(found).encode()})

    return {name: changed(answer) for name, answer in given().items()}


def entry(found, name):
    return next(entry for entry in found["artefacts"] if entry["file"] == name)


def rewritten(edit, name="fp32.onnx"):
    """The answers with one of the models edited, and a passport that is right about it but for its
    SQNR.
    """

    def change(found, data):
        model = onnx.load_from_string(data[name])
        edit(model)
        data[name] = model.SerializeToString()
        entry(found, name).update(artefacts.describe(data[name]))

    return edited(change)


def module_of(case):
    given = case.parameters
    return modules.build(given["architecture"], given["sizes"], weights(case), given["training"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_references_are_what_the_module_computes_in_evaluation_mode(case):
    module = module_of(case).eval()
    with torch.no_grad():
        for key, rows in (("example", cases.example(case)), ("fresh", cases.fresh(case))):
            expected = module(torch.from_numpy(rows)).numpy()
            assert (
                artefacts.sqnr(expected, references("capstone", SEED)[case.name][key])
                == artefacts.BEST
            )


@pytest.mark.parametrize(
    "name", ["reference", "valid_by_hand", "valid_torchscript", "valid_half_module"]
)
def test_every_right_answer_chooses_the_same(name):
    chosen = {case: read(answer)["chosen"] for case, answer in given(name).items()}
    assert chosen.pop("hidden-block") in passport.MODELS
    assert chosen == {**KINDS, "hidden-too-small": None, "hidden-too-exact": None}


def test_budgets_keep_away_from_what_the_files_can_be():
    """Sizes in bytes a parameter and SQNRs as the valid answers have them stay between the ranges
    that budgets are drawn from.
    """
    assert (
        cases.BUDGETS["roomy"][0][0]
        > 5
        > 4
        > cases.BUDGETS["half"][0][1]
        > cases.BUDGETS["half"][0][0]
        > 2.5
    )
    assert 2 > cases.BUDGETS["tight"][0][1] > cases.BUDGETS["tight"][0][0] > 1.6
    for name in ("reference", "valid_by_hand", "valid_torchscript", "valid_half_module"):
        for case in CASES:
            found = read(given(name)[case.name])
            count = cases.parameters(weights(case))
            sizes = [entry(found, file)["bytes"] / count for file in passport.MODELS]
            decibels = [entry(found, file)["sqnr_db"] for file in passport.MODELS]
            assert 4 <= sizes[0] < 5 and 2 <= sizes[1] < 2.5 and 1 <= sizes[2] < 1.6, (
                name,
                case.name,
                sizes,
            )
            assert decibels[0] == 100 and 52 < decibels[1] < 90 and 23 < decibels[2] < 58, (
                name,
                case.name,
                decibels,
            )


@seeds(100, 10)
def test_each_possible_budget_has_another_of_the_usual_modules(seeds):
    plans = set()
    for seed in seeds:
        drawn = EXERCISE.cases(seed)
        possible = [case for case in drawn if case.name in KINDS]
        assert {case.parameters["architecture"] for case in possible} == set(cases.USUAL)
        assert {case.parameters["architecture"] for case in drawn} == set(modules.ARCHITECTURES)
        assert {case.parameters["training"] for case in drawn} == {True, False}
        plans.add(tuple(case.parameters["architecture"] for case in drawn))
        for case in drawn:
            assert (
                len(cases.example(case)) == cases.ROWS and cases.example(case).dtype == np.float32
            )
            per_parameter = case.parameters["budget"]["bytes"] / cases.parameters(weights(case))
            assert case.name != "hidden-tight" or 1.7 < per_parameter < 2
            assert case.name != "hidden-too-small" or per_parameter < 1
    assert len(plans) > min(20, len(seeds) / 2)


def test_fresh_rows_are_others_within_the_range_of_the_example():
    for case in CASES:
        rows, fresh = cases.example(case), cases.fresh(case)
        assert (
            len(fresh) == cases.FRESH_ROWS
            and fresh.min() >= rows.min()
            and fresh.max() <= rows.max()
        )
        assert not any(np.array_equal(one, other) for one in fresh for other in rows)


LIES = {
    "sha256": lambda one: {"sha256": "0" * 64},
    "bytes": lambda one: {"bytes": one["bytes"] + 1},
    "elements": lambda one: {
        "elements": {**one["elements"], "float32": one["elements"].get("float32", 0) + 1}
    },
    "producer": lambda one: {"producer": {**one["producer"], "version": "0"}},
    "ir_version": lambda one: {"ir_version": one["ir_version"] + 1},
    "opset_imports": lambda one: {"opset_imports": {"": 30}},
    "inputs": lambda one: {"inputs": one["outputs"]},
    "outputs": lambda one: {"outputs": [{**one["outputs"][0], "dtype": "float16"}]},
    "sqnr_db": lambda one: {"sqnr_db": one["sqnr_db"] - 1.5},
}


@pytest.mark.parametrize("name", passport.FILES)
@pytest.mark.parametrize("key", LIES)
def test_every_line_of_every_entry_is_audited(key, name):
    if name == passport.WEIGHTS and key not in ("sha256", "bytes", "elements"):
        return

    def lie(found, data):
        entry(found, name).update(LIES[key](entry(found, name)))

    broken = climbed(edited(lie)).broken
    assert broken.name.startswith("quality: ") and broken.expected.startswith(f"{name}: {key}")


@pytest.mark.parametrize("key", ["chosen", "met", "budget"])
def test_the_verdict_is_audited(key):
    wrong = {"chosen": "int8.onnx", "met": True, "budget": {"bytes": 1, "sqnr_db": 1}}
    broken = climbed(edited(lambda found, data: found.update({key: wrong[key]}))).broken
    assert broken.name == "quality: choice" and broken.expected.startswith(key)


def test_the_schema_is_json_schema():
    for properties in (schema.PASSPORT, schema.ENTRY, schema.MODEL, schema.FILE):
        schema.Validator.check_schema({"properties": properties})


def test_what_a_schema_does_not_ask_for_is_welcome():
    def decorate(found, data):
        found["artefacts"].reverse()
        found["who"] = ["me"]
        for one in found["artefacts"]:
            one["sha256"] = one["sha256"].upper()
            one["elements"]["bool"] = 0
            one["when"] = None
            if "sqnr_db" in one:
                one["native_sqnr_db"] = 3.0  # whatever the machine computes
                one["sqnr_db"] = round(one["sqnr_db"]) + 0.2 * (one["sqnr_db"] < 99)
                one["opset_imports"] = {
                    key or "ai.onnx": version for key, version in one["opset_imports"].items()
                }

    assert climbed(edited(decorate)).score == EXERCISE.points


@pytest.mark.parametrize(
    "edit",
    [
        lambda found: found.pop("met"),
        lambda found: found.update(met=1),
        lambda found: found.update(met="true"),
        lambda found: found.update(chosen="best.onnx"),
        lambda found: found.update(artefacts={}),
        lambda found: found.update(budget=None),
        lambda found: found["artefacts"].append(found["artefacts"][0]),
        lambda found: found["artefacts"][0].update(file="model.onnx"),
        lambda found: found["artefacts"][0].update(file=["fp32.onnx"]),
        lambda found: found["artefacts"][0].update(bytes=True),
        lambda found: found["artefacts"][0].update(bytes=1.5),
        lambda found: found["artefacts"][0].update(sha256="none"),
        lambda found: found["artefacts"][0].update(elements=[]),
        lambda found: entry(found, "fp32.onnx").update(
            inputs=[{"name": "input", "dtype": "float32"}]
        ),
        lambda found: entry(found, "fp32.onnx").update(opset_imports=[20]),
        lambda found: entry(found, "fp32.onnx").update(sqnr_db=None),
        lambda found: found.clear(),
    ],
)
def test_a_passport_of_another_shape_costs_what_it_does_not_say(edit):
    verdict = climbed(edited(lambda found, data: edit(found)))
    assert verdict.broken.misconception == "no-imports"
    assert all(item.rung.startswith("quality: ") for item in verdict.lost)


@pytest.mark.parametrize(
    "value",
    [
        {1: 2},
        {"a": {1, 2}},
        {"a": b"x"},
        {"a": np.float32(1)},
        {"a": float("nan")},
        {"a": 1 << 70},
        {"a": object()},
        [],
        "{}",
        None,
    ],
)
def test_what_json_cannot_hold_is_a_wrong_type(value):
    [answer] = answers(EXERCISE, {"convert": lambda *arguments: value}, [DIGITS]).values()
    assert answer.outcome == "wrong_type"


def test_a_passport_that_holds_itself_is_a_wrong_type():
    endless: dict = {}
    endless["again"] = endless
    [answer] = answers(EXERCISE, {"convert": lambda *arguments: endless}, [DIGITS]).values()
    assert answer.outcome == "wrong_type"


@pytest.mark.parametrize("name", passport.FILES)
@pytest.mark.parametrize(
    "data",
    [b"", b"noise" * 9, onnx.ModelProto(ir_version=10).SerializeToString()],
    ids=["nothing", "noise", "header"],
)
def test_bytes_that_are_no_artefact_are_refused(data, name):
    verdict = climbed(edited(lambda found, stored: stored.update({name: data})))
    if name == "fp32.onnx":  # of which the others are made
        assert (verdict.broken.name, verdict.score) == ("loads", 0)
    else:
        kind = "weights" if name == passport.WEIGHTS else name
        assert verdict.broken.name == f"numerics: {kind}"


@pytest.mark.parametrize(
    "files", [{}, {PASSPORT: b"{"}, {PASSPORT: b"{}", REPORT: b"[]"}, {REPORT: b"\xff"}]
)
def test_a_runner_that_answers_with_anything_else_breaks_type(files):
    verdict = climbed({case.name: Answer("returned", files) for case in CASES})
    assert (verdict.broken.name, verdict.score) == ("type", 0)


def test_an_output_that_is_stored_in_the_file_is_refused():
    def freeze(model):
        del model.graph.node[:]
        value = numpy_helper.from_array(
            np.zeros(
                (64, model.graph.output[0].type.tensor_type.shape.dim[1].dim_value), np.float32
            )
        )
        model.graph.node.append(helper.make_node("Constant", [], ["output"], value=value))

    verdict = climbed(rewritten(freeze, "int8.onnx"))
    assert verdict.broken.name == "numerics: int8.onnx"
    assert "depends on the input" in verdict.broken.expected
    assert climbed(rewritten(freeze)).score == 0


def test_floats_behind_constant_nodes_are_no_int8():
    def hide(model):
        large = helper.make_node("Constant", [], ["unused"], value_floats=np.zeros(60_000).tolist())
        model.graph.node.insert(0, large)

    assert climbed(rewritten(hide, "int8.onnx")).broken.name == "numerics: int8.onnx"


def test_two_outputs_and_no_inputs_are_answered_with_a_finding():
    def second(model):
        model.graph.output.add().CopyFrom(helper.make_tensor_value_info("input", 1, None))

    for edit in (second, lambda model: model.graph.ClearField("input")):
        verdict = climbed(rewritten(edit))
        assert verdict.broken.name in ("loads", "numerics: fp32.onnx")


def test_a_choice_that_follows_from_false_numbers_is_no_choice():
    """Whoever lowers the SQNR of a file so that another one wins has lied about the file."""

    def lower(found, data):
        one = entry(found, "fp16.onnx")
        one["sqnr_db"] = 10.0
        found["chosen"] = found["chosen"] if found["chosen"] != "fp16.onnx" else "int8.onnx"

    assert climbed(edited(lower)).broken.expected.startswith("fp16.onnx: sqnr_db")


@pytest.mark.parametrize("more", [-3, 3])
def test_a_file_that_gives_other_numbers_on_each_run_is_not_held_to_those_of_one(more):
    """A Dropout in training mode draws them: what the passport says of them would decide by chance."""
    found = {}
    for name, answer in given("training_export").items():
        entries = read(answer)
        for entry in entries["artefacts"]:
            if entry.get("sqnr_db", 100) < rungs.LEAST.get(entry["file"], 0):
                entry["sqnr_db"] += more
        found[name] = Answer("returned", {**answer.files, PASSPORT: json.dumps(entries).encode()})
    verdict = climbed(found)
    assert verdict.broken.name == "numerics: fp32.onnx"
    assert "training mode" in verdict.broken.found
    assert verdict.score / verdict.max_score == pytest.approx(STORED["training_export"].score)


def test_float16_is_measured_in_both_right_ways():
    """A claim between rounding after every node and rounding where the runtime casts is true; one
    beyond either is not.
    """
    case, data = DIGITS, given("reference")["digits"].files["fp16.onnx"]
    expected = references("capstone", SEED)["digits"]["example"]
    found = [
        artefacts.sqnr(expected, outputs)
        for outputs in artefacts.evaluations(data, cases.example(case))
    ]
    assert len(found) == 4 and max(found) - min(found) > 3

    def graded(claim):
        text = read(given("reference")["digits"])
        entry(text, "fp16.onnx")["sqnr_db"] = claim
        answer = Answer(
            "returned", {**given("reference")["digits"].files, PASSPORT: json.dumps(text).encode()}
        )
        verdict = climb(EXERCISE, [case], {"digits": answer}, references("capstone", SEED))
        return verdict.broken is None

    low, high = min(found), max(found)
    assert [graded(claim) for claim in (low - 1.5, low, (low + high) / 2, high + 1.5)] == [
        False,
        True,
        True,
        False,
    ]


def test_the_mark_does_not_depend_on_native_integer_kernels(monkeypatch):
    """Kernels that saturate give other numbers; what was claimed by exact evaluation stays true."""
    case = next(case for case in CASES if case.name == "hidden-tight")
    answer = given("valid_torchscript")[case.name]

    def saturating(data, feeds, level="ORT_DISABLE_ALL", repeat=1):
        raise AssertionError("a native run decided")

    verdict = climb(EXERCISE, [case], {case.name: answer}, references("capstone", SEED))
    artefacts._evaluated(
        answer.files["int8.onnx"], cases.example(case).tobytes(), cases.example(case).shape, 1
    )
    monkeypatch.setattr(artefacts.numerics, "run", saturating)
    again = climb(EXERCISE, [case], {case.name: answer}, references("capstone", SEED))
    assert verdict == again and verdict.broken is None


def test_the_report_tells_what_was_changed():
    def convert(module, example, budget, directory):
        module.train(not module.training)
        example.zero_()
        for parameter in module.parameters():
            parameter.data.mul_(2)
        (directory / "fp32.onnx.data").write_bytes(b"1")
        return {}

    [answer] = answers(EXERCISE, {"convert": convert}, [DIGITS]).values()
    assert json.loads(answer.files[REPORT]) == {
        "changed": ["mode", "parts", "weights", "example"],
        "data": True,
    }


def test_only_the_four_files_leave_the_runner():
    def convert(module, example, budget, directory):
        for name in ("fp32.onnx", "notes.txt", "model.pkl"):
            (directory / name).write_bytes(b"x")
        (directory / "int8.onnx").mkdir()
        (directory / "fp16.onnx").symlink_to("/etc/hostname")
        return {}

    [answer] = answers(EXERCISE, {"convert": convert}, [DIGITS]).values()
    assert set(answer.files) == {PASSPORT, REPORT, "fp32.onnx"}


def test_the_budget_that_the_student_edits_is_their_own():
    def convert(module, example, budget, directory):
        budget["bytes"] = 10**9
        return {"budget": budget}

    before = json.dumps(DIGITS.parameters)
    answers(EXERCISE, {"convert": convert}, [DIGITS])
    assert json.dumps(DIGITS.parameters) == before


@pytest.mark.parametrize(
    "mutant", [pytest.param(mutant, id=name) for name, mutant in STORED.items() if mutant.rung]
)
def test_a_hidden_case_gives_no_number_away(mutant):
    for rung in grade_hidden("capstone", mutant.functions).rungs:
        if rung.passed is False:
            assert rung.case.startswith("hidden-")
            assert not re.search(r"\d\.\d|\d{3}", rung.found.replace("opset 17", "")), rung


def test_the_passport_is_shown_as_a_table_and_as_a_picture():
    found = read(given()["digits"])
    grid, picture = shown.table(found), shown.picture(found)
    assert all(name in grid.text and name in picture.description for name in passport.MODELS)
    assert "Chosen: fp16.onnx" in picture.description and "fp32.onnx 2" in picture.description
    assert shown.picture(found).svg == picture.svg and b"<svg" in picture.svg
    tight = shown.picture({**found, "budget": {"bytes": 1, "sqnr_db": 99}, "chosen": None})
    assert tight.description.count("outside") == 3 and "Chosen: None" in tight.description
    assert (
        "no passport yet" in shown.table(None).text
        and "no passport yet" in shown.picture(None).description
    )


def test_a_native_number_stands_beside_the_exact_one_with_the_machine_it_is_of(tmp_path):
    entry = {"file": "fp32.onnx", "bytes": 1, "elements": {}, "sha256": "0" * 64, "sqnr_db": 105.0}
    weights = {"file": "weights.safetensors", "bytes": 1, "elements": {}, "sha256": "0" * 64}
    passport = {
        "artefacts": [entry, weights],
        "budget": {"bytes": 2, "sqnr_db": 30.0},
        "chosen": "fp32.onnx",
    }
    (tmp_path / "fp32.onnx").write_bytes(fixtures.read("digits-cnn"))
    images = digits.load().test_images[:4]
    [[right]] = quantized.evaluate(fixtures.read("digits-cnn"), [{"image": images}])
    found = shown.with_native(passport, tmp_path, images, right)
    exact, other = found["artefacts"]
    assert exact["sqnr_db"] == 105.0 and 80 < exact["native_sqnr_db"] <= 100 and other == weights
    assert found["native_on"]["products_saturate"] in (True, False)
    assert "onnxruntime" in found["native_on"]["machine"] and json.dumps(found)
    wrong = shown.with_native(passport, tmp_path, images, right + 1)["artefacts"][0]
    assert wrong["native_sqnr_db"] < 60 and "native_sqnr_db" not in entry
    table = shown.table(found).text
    assert "SQNR on this processor" in table and f"{exact['native_sqnr_db']:.1f}" in table
    assert "this processor" not in shown.table(passport).text


def test_weights_that_stayed_behind_are_named_whichever_library_misses_them():
    """The lab's own `output_of` opens the file before any rung does, so the cause has to be found in
    what the session says.
    """
    said = (
        "External data path validation failed for initializer: w. External data path does not exist"
    )
    error = {"type": "Fail", "text": said, "line": "session = ort.InferenceSession(path)"}
    broken = climbed({case.name: Answer("raised", {}, error) for case in CASES}).broken
    assert (broken.name, broken.misconception) == ("type", "data-beside")
    assert "external_data=False" in broken.cause
