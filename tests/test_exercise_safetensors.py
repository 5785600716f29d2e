"""The exercise `safetensors`: its files are what they claim to be, its rungs give nothing away and
survive any answer.
"""

import builtins
import contextlib
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import SafetensorError, deserialize

from formatlab_exercises.safetensors.ask import MARKER
from formatlab_exercises.safetensors.judge import cases as safetensors_cases
from formatlab_exercises.safetensors.judge.case_faults import FAULTS, GROUPS
from formatlab_exercises.safetensors.judge.case_files import NUMPY, SIZES, VALID, tensor
from formatlab_exercises.safetensors.judge.rungs import MOST_BYTES, array
from nbjudge.contract import Answer
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import SEED, grade, grade_hidden, mutants, reference_functions, references
from tests.seeds import seeds

EXERCISE = get("safetensors")
# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-safetensors")
CASES = EXERCISE.graded_cases(SEED)
REFERENCE = reference_functions("safetensors")
WRONG = [pytest.param(mutant, id=mutant.name) for mutant in mutants("safetensors") if mutant.rung]
# What the library takes although the description of the format does not allow it.
LENIENT = {
    "leading_space",
    "unpadded",
    "name_twice",
    "text_twice",
    "more_fields",
    "list_entry",
    "metadata_null",
}


def digests():
    return references("safetensors", SEED)


def library_accepts(data):
    try:
        deserialize(data)
    except SafetensorError:
        return False
    return True


@seeds(20, 5)
@pytest.mark.parametrize("name", VALID)
def test_valid_files_are_valid_to_the_library(name, seeds):
    for seed in seeds:
        data = VALID[name](np.random.default_rng(seed))
        assert library_accepts(data)
        assert (8 + int.from_bytes(data[:8], "little")) % 8 == 0


def test_a_file_that_ends_inside_its_header_ends_inside_its_json():
    """Not among the spaces behind it, where whoever looks at no length reads all that he needs."""
    for seed in range(400):
        data = FAULTS["cut_header"].build(np.random.default_rng(seed))
        with pytest.raises(json.JSONDecodeError):
            json.loads(data[8:])


@seeds(20, 5)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_refused_by_the_library_unless_it_is_known_to_be_lenient(name, seeds):
    for seed in seeds:
        assert library_accepts(FAULTS[name].build(np.random.default_rng(seed))) == (name in LENIENT)


def test_there_is_a_corpus_of_every_kind():
    assert len(FAULTS) + len(VALID) >= 40
    asked = {
        file.fault
        for case in CASES
        if case.parameters["ask"] == "files"
        for file in safetensors_cases.corpus(case).values()
    }
    assert asked == {None, *FAULTS}


@pytest.mark.parametrize("dtype", NUMPY)
def test_a_stored_tensor_is_the_one_that_the_library_loads(dtype):
    made = tensor(np.random.default_rng(0), dtype, (3, 5))
    assert len(made.data) == 15 * SIZES[dtype]
    assert np.frombuffer(made.data, NUMPY[dtype]).dtype.itemsize == SIZES[dtype]


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.parameters["ask"] == "files"],
    ids=lambda case: case.name,
)
def test_the_reference_tells_valid_files_from_the_others(case):
    corpus = safetensors_cases.corpus(case)
    assert {name: file.data for name, file in corpus.items()} == {
        name: case.files[name] for name in corpus
    }
    assert digests()[case.name]["valid"].tolist() == [
        file.fault is None for file in corpus.values()
    ]


def test_a_runner_is_not_told_what_is_wrong_with_a_file():
    for case in EXERCISE.cases(SEED):
        told = json.dumps([list(case.files), case.parameters])
        assert not any(re.search(rf"\b{name}\b", told) for name in (*FAULTS, *GROUPS))


@pytest.mark.parametrize(
    ("written", "share"),
    [(1, 1.6 / 5), (2, (1.6 + 1.55) / 5)],
)
def test_each_function_has_marks_of_its_own(written, share):
    def stub(*arguments):
        raise NotImplementedError

    functions = {
        name: REFERENCE[name] if place < written else stub
        for place, name in enumerate(EXERCISE.functions)
    }
    verdict = grade("safetensors", functions)
    assert verdict.score / verdict.max_score == pytest.approx(share)


def test_a_function_that_is_not_written_passes_no_rung():
    def stub(*arguments):
        raise NotImplementedError

    header = {"read_header": REFERENCE["read_header"]}
    for functions in ({}, header):
        verdict = grade("safetensors", dict.fromkeys(EXERCISE.functions, stub) | functions)
        assert verdict.broken.name == "exists"
        passed = {rung.name: rung.cases for rung in verdict.rungs if rung.passed}
        headers = sum(case.parameters["ask"] == "header" for case in CASES)
        wanted = {"type": headers, "loads": headers} if functions else {}
        assert {name: passed[name] for name in passed if name in ("type", "loads")} == wanted
        assert not {"structure", "numerics"} & passed.keys()


@pytest.mark.parametrize(
    "answer",
    [lambda *a: None, lambda *a: {}, lambda *a: np.zeros(3), lambda *a: 1 / 0],
    ids=["None", "{}", "array", "error"],
)
def test_one_answer_for_everything_earns_nothing(answer):
    assert grade("safetensors", dict.fromkeys(EXERCISE.functions, answer)).score == 0


def test_refusing_everything_earns_nothing():
    def refuse(*arguments):
        raise ValueError

    assert grade("safetensors", dict.fromkeys(EXERCISE.functions, refuse)).score == 0


def test_a_cached_copy_of_the_whole_file_is_noticed():
    """The small file is asked about first, so that imports are not counted; it must not hide what
    the large one costs.
    """
    cache = {}

    def load_tensor(path, name):
        data = cache.setdefault(path, path.read_bytes())
        assert data
        return REFERENCE["load_tensor"](path, name)

    verdict = grade("safetensors", {**REFERENCE, "load_tensor": load_tensor})
    assert verdict.broken.name == "quality"


def test_reading_in_small_pieces_is_noticed():
    def load_tensor(path, name):
        with open(path, "rb") as file:
            while file.read(1 << 16):
                pass
        return REFERENCE["load_tensor"](path, name)

    assert grade("safetensors", {**REFERENCE, "load_tensor": load_tensor}).broken.name == "quality"


def test_what_the_first_call_costs_is_not_counted():
    """It may import a large library."""

    def load_tensor(path, name):
        if path.name == safetensors_cases.WARM:
            bytearray(2 * MOST_BYTES)
        return REFERENCE["load_tensor"](path, name)

    assert grade("safetensors", {**REFERENCE, "load_tensor": load_tensor}).broken is None


def test_the_payload_leaves_nothing_behind():
    verdict = grade("safetensors", {**REFERENCE, "read_header": lambda data: eval(data[8:])})
    assert verdict.score == 0
    assert not hasattr(builtins, MARKER)


@pytest.mark.parametrize("mutant", WRONG)
def test_a_hidden_case_gives_nothing_away(mutant):
    secrets = {name for case in EXERCISE.cases(SEED) for name in case.files} - {"data"}
    for rung in grade_hidden("safetensors", mutant.functions).rungs:
        if rung.passed is False:
            assert rung.case.startswith("hidden-")
            assert not any(name in rung.expected + rung.found for name in secrets), rung
            assert "layer." not in rung.expected + rung.found, rung


def leak(name, kind):
    """A function that puts a word of its input where it might be shown: an exception's name or
    text, or a type's name.
    """

    def function(*arguments):
        if kind == "type":
            return type("Secret", (), {})()
        if kind == "exception instead of refusal":
            with contextlib.suppress(ValueError, KeyError):
                return REFERENCE[name](*arguments)
        raise type("Secret", (ValueError if kind == "refusal" else Exception,), {})("Secret")

    return function


@pytest.mark.parametrize("name", EXERCISE.functions)
@pytest.mark.parametrize("kind", ["exception", "exception instead of refusal", "refusal", "type"])
def test_a_student_s_words_are_not_shown_of_a_hidden_case(name, kind):
    verdict = grade_hidden("safetensors", {**REFERENCE, name: leak(name, kind)})
    assert verdict.broken is not None
    for rung in verdict.rungs:
        assert "Secret" not in rung.expected + rung.found + rung.cause, rung


def climbed(answers):
    return climb(EXERCISE, CASES, answers, digests())


VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=2)
    | st.dictionaries(st.text(max_size=3), st.integers(), max_size=2)
)
KEYS = st.sampled_from(
    ["outcome", "type", "text", "header", "array", "dtype", "shape", "held", "read"]
)
ENTRIES = st.dictionaries(
    KEYS,
    VALUES
    | st.sampled_from(
        ["returned", "refused", "raised", "no_key", "NoneType", "float32", "bfloat16"]
    ),
    max_size=6,
)


@given(
    st.fixed_dictionaries({"executed": VALUES, "entries": st.lists(ENTRIES, max_size=3) | VALUES}),
    st.binary(max_size=30),
)
def test_no_answer_upsets_the_rungs(report, noise):
    files = {"report.json": json.dumps(report).encode(), "0.bin": noise, "1.bin": noise}
    assert (
        climbed({case.name: Answer("returned", files) for case in CASES}).score
        <= 0.2 * EXERCISE.points
    )


ODD_DTYPES = (
    "i4,(2",
    {"names": ["a"], "formats": ["i4"], "offsets": [10**30]},
    [["a", "i4"]],
    "O",
    "U0",
    None,
    10**30,
)


@pytest.mark.parametrize("dtype", ODD_DTYPES, ids=repr)
def test_a_dtype_that_describes_no_array_of_numbers_is_none(dtype):
    """NumPy reads it as a description, and may raise what its parser or a conversion raises."""
    entry = {"outcome": "returned", "array": True, "dtype": dtype, "shape": [2]}
    report = {"executed": False, "entries": [entry]}
    files = {"report.json": json.dumps(report).encode(), "0.bin": bytes(8)}
    assert array(Answer("returned", files), 0) is None


@given(st.binary(max_size=50))
def test_bytes_that_are_no_answer_score_nothing(noise):
    verdict = climbed({case.name: Answer("returned", {"report.json": noise}) for case in CASES})
    assert (verdict.score, verdict.broken.name) == (0, "type")


def test_a_lost_process_is_no_answer():
    answers = {
        case.name: Answer("killed" if case.parameters["ask"] == "files" else "timeout")
        for case in CASES
    }
    assert climbed(answers).score == 0
