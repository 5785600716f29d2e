"""The exercise `diagnose`: its cases have the fault that they are made with, nothing gives it away,
and its rungs survive any answer.
"""

import json
import re
from collections import Counter

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import ModelProto, helper, numpy_helper, parser

from formatlab import graphs
from formatlab.models import make_model, museum
from formatlab.models.museum import healthy
from formatlab.models.museum import runs as museum_runs
from formatlab_exercises.diagnose.ask import ANSWER
from formatlab_exercises.diagnose.judge.cases import (
    EXHIBITS,
    HIDDEN,
    KINDS_OF,
    PUBLIC,
    files_of,
    kind_of,
)
from formatlab_exercises.diagnose.judge.misconceptions import NEEDED, OVERLOOKED, PLACES, missed
from nbjudge.contract import Answer
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import SEED, grade, grade_hidden, mutants, reference_functions, references
from tests.seeds import seeds

EXERCISE = get("diagnose")
# On the worker that grades the stored answers.
pytestmark = pytest.mark.xdist_group("mutants-diagnose")
CASES = EXERCISE.graded_cases(SEED)
KINDS = [*EXHIBITS, *KINDS_OF["healthy"]]
WRONG = [pytest.param(mutant, id=mutant.name) for mutant in mutants("diagnose") if mutant.rung]


def digests():
    return references("diagnose", SEED)


def diagnosis_of(kind):
    return EXHIBITS[kind].diagnosis if kind in EXHIBITS else "healthy"


@pytest.mark.parametrize("field", ["ir_version", "opset"], ids=["newer IR version", "newer opset"])
def test_versions_that_no_library_knows_are_versions(field, tmp_path):
    """The checker refuses such an IR version before ONNX Runtime sees it."""
    model = make_model(parser.parse_graph("g (float[N] x) => (float[N] y) { y = Relu(x) }"))
    if field == "opset":
        model.opset_import[0].version = 1000
    else:
        model.ir_version = 1000
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    assert reference_functions("diagnose")["diagnose"](path) == "bad-versions"


@seeds(20, 2)
@pytest.mark.parametrize("kind", KINDS)
def test_the_reference_finds_what_the_case_was_made_with(kind, tmp_path, seeds):
    for seed in seeds:
        main, files = files_of(kind, np.random.default_rng(seed))
        museum.put(files, tmp_path / f"{seed}")
        assert reference_functions("diagnose")["diagnose"](
            tmp_path / f"{seed}" / main
        ) == diagnosis_of(kind), seed


def made_sparse(model, indices):
    """Each matrix of the model's initializers, in the branches of an If too, becomes a sparse one: its
    places are counted through all of it (`flat`), or in rows and columns.
    """
    for graph, _ in graphs.walk(model.graph):
        for tensor in list(graph.initializer):
            array = numpy_helper.to_array(tensor)
            if array.ndim != 2:
                continue
            places = np.flatnonzero(array) if indices == "flat" else np.argwhere(array)
            values = numpy_helper.from_array(array[array != 0], tensor.name)
            graph.sparse_initializer.append(
                helper.make_sparse_tensor(
                    values, numpy_helper.from_array(places, "places"), array.shape
                )
            )
            graph.initializer.remove(tensor)


@pytest.mark.parametrize("indices", ["flat", "rows and columns"])
@pytest.mark.parametrize("kind", ["healthy-tabular", "healthy-branches", "inner-dimensions"])
def test_a_sparse_initializer_is_no_fault(kind, indices, tmp_path):
    """Shape inference takes it for a number without dimensions."""
    main, files = files_of(kind, np.random.default_rng(5))
    model = ModelProto.FromString(files[main])
    made_sparse(model, indices)
    assert any(graph.sparse_initializer for graph, _ in graphs.walk(model.graph))
    museum.put({**files, main: model.SerializeToString()}, tmp_path)
    found = reference_functions("diagnose")["diagnose"](tmp_path / main)
    assert found == diagnosis_of(kind)


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


def test_every_diagnosis_has_its_words():
    assert PLACES.keys() == NEEDED.keys() == museum.DIAGNOSES.keys()
    assert OVERLOOKED.keys() == museum.RUNGS.keys()


def test_what_the_function_is_given_does_not_tell_the_diagnosis():
    for case in CASES:
        assert case.parameters.keys() == {"path"} and re.fullmatch(
            r"export/model\.(onnx|safetensors)", case.parameters["path"]
        )
    order = [
        [kind_of(case) for case in EXERCISE.judge.calling_order(EXERCISE.cases(seed))]
        for seed in (SEED, 1)
    ]
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
    assert by_heart.score == 0


@pytest.mark.parametrize("diagnosis", museum.DIAGNOSES)
def test_one_diagnosis_for_everything_earns_nothing(diagnosis):
    assert grade("diagnose", {"diagnose": lambda path: diagnosis}).score == 0


def test_the_notebook_lists_the_diagnoses(request):
    text = (request.config.rootpath / "solutions" / "day-50" / "diagnose.ipynb").read_text()
    cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
    [task] = [cell for cell in cells if "| diagnosis | applies when |" in cell]
    table = task.partition("| diagnosis | applies when |")[2].partition("\n\n")[0]
    listed = re.findall(r"^\| `([\w-]+)` \| ", table, re.MULTILINE)
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


def placed(folder, model: bytes, runs: bytes = b""):
    """A model file of no case, with its runs beside it."""
    (folder / "model.onnx").write_bytes(model)
    (folder / "model.io.safetensors").write_bytes(runs)
    return folder / "model.onnx"


def solution(path):
    return reference_functions("diagnose")["diagnose"](path)


def _attribute_without_type(model):
    model.graph.node[0].attribute.add(name="axis")


FAULTS_OF_NO_LINE = {
    "no-ir-version": lambda model: model.ClearField("ir_version"),
    "no-graph-name": lambda model: model.graph.ClearField("name"),
    "attribute-without-type": _attribute_without_type,
    "unknown-attribute": lambda model: model.graph.node[0].attribute.append(
        helper.make_attribute("unheard-of", 1)
    ),
    "too-few-inputs": lambda model: model.graph.node[0].ClearField("input"),
    "output-without-type": lambda model: model.graph.output[0].ClearField("type"),
    "short-initializer": lambda model: setattr(model.graph.initializer[0], "raw_data", b"1234"),
    "initializer-stored-in-two-fields": lambda model: model.graph.initializer[0].float_data.extend(
        [1.0]
    ),
}


@pytest.mark.parametrize("fault", FAULTS_OF_NO_LINE)
@pytest.mark.parametrize("seed", range(2))
def test_where_no_line_of_the_table_fits_the_librarys_own_words_come_back(fault, seed, tmp_path):
    subject = healthy.tabular(np.random.default_rng(seed))
    FAULTS_OF_NO_LINE[fault](subject.model)
    path = placed(tmp_path, subject.model.SerializeToString())
    with pytest.raises(Exception) as refused:
        onnx.checker.check_model(path)
    assert solution(path) == str(refused.value)


@given(cut=st.floats(0, 1))
def test_no_prefix_of_a_model_is_diagnosed_as_anything_but_unreadable_or_refused(
    cut, tmp_path_factory
):
    """Also where the cut is between two fields, so that what is left parses."""
    subject = healthy.tabular(np.random.default_rng(3))
    whole = subject.model.SerializeToString()
    data = whole[: int(cut * (len(whole) - 1))]
    found = solution(placed(tmp_path_factory.mktemp("cut"), data))
    try:
        is_graph = ModelProto.FromString(data).HasField("graph")
    except Exception:
        is_graph = False
    # Behind the graph only the opsets are missing.
    assert found == ("bad-versions" if is_graph else "unreadable")


def test_the_name_of_the_folder_is_no_symptom(tmp_path):
    subject = healthy.tabular(np.random.default_rng(1))
    subject.model.graph.ClearField("name")
    folder = tmp_path / "No Op registered, opset external"
    folder.mkdir()
    assert "name" in solution(placed(folder, subject.model.SerializeToString()))


def test_a_level_that_breaks_a_model_fixes_no_batch_size(tmp_path):
    """The default level fuses a LayerNorm whose scale makes the value wider, and the fused operator
    refuses every batch of it. The file as it stands takes any.
    """
    model = make_model(
        parser.parse_graph("""g (float[N, 3] x) => (float[N, 2] y)
        <int64[1] start = {0}, int64[1] end = {1}, int64[1] axis = {1}, float two = {2},
         float tiny = {0.00001}, float[2] scale = {1, 2}, float[2] shift = {1, 2}> {
            column = Slice(x, start, end, axis)
            mean = ReduceMean(column, axis)
            centred = Sub(column, mean)
            squares = Pow(centred, two)
            variance = ReduceMean(squares, axis)
            above = Add(variance, tiny)
            deviation = Sqrt(above)
            normal = Div(centred, deviation)
            scaled = Mul(normal, scale)
            y = Add(scaled, shift)
        }"""),
        20,
    )
    rng = np.random.default_rng(0)
    runs = [
        museum_runs.Run(
            {"x": x}, {"y": np.tile(np.float32([1, 2]), (len(x), 1))}, np.ones(len(x), np.int64)
        )
        for x in (rng.normal(size=(size, 3)).astype(np.float32) for size in (2, 3, 5))
    ]
    path = placed(tmp_path, model.SerializeToString(), museum_runs.write_runs(runs))
    assert solution(path) not in museum.DIAGNOSES.keys() - {"healthy"}


def test_an_operator_that_the_reference_evaluator_does_not_know_is_no_fault(tmp_path):
    model = make_model(
        parser.parse_graph(
            "g (float[N, 3] x) => (float[N, 3] y) { y = com.microsoft.QuickGelu <alpha = 1.0> (x) }"
        ),
        20,
        domains={"com.microsoft": 1},
    )
    rng = np.random.default_rng(0)
    runs = []
    for size in (2, 3, 5):
        x = rng.normal(size=(size, 3)).astype(np.float32)
        y = (x / (1 + np.exp(-x))).astype(np.float32)
        runs.append(museum_runs.Run({"x": x}, {"y": y}, y.argmax(-1).astype(np.int64)))
    path = placed(tmp_path, model.SerializeToString(), museum_runs.write_runs(runs))
    assert solution(path) == "healthy"
