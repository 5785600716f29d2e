"""Solution and judge of the exercises that read a file or a graph, on inputs that no case draws: what
a value is counted as does not depend on how it is written.
"""

import copy
import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, numpy_helper, parser
from safetensors import SafetensorError, deserialize

from formatlab.models import make_model
from formatlab_exercises.inspect.judge import counting as describing
from formatlab_exercises.safetensors.judge.case_files import VALID
from formatlab_exercises.shapes.judge import counting
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.exercises import get
from tests.fuzz.graph_edits import of_graph
from tests.mutants import group_of, reference_functions

GRAPHS = ("shapes", "inspect", "dropout", "gemm", "layernorm", "fp16", "optimizers")
NUMBERS = st.integers(0, 1 << 16)
EDITS = st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), max_size=6)


def grouped(exercise):
    return pytest.mark.xdist_group(group_of(exercise))


def bent_models():
    """Models of the exercises' cases, bent in a few places."""
    small = [
        case.files[MODEL]
        for exercise in GRAPHS
        for case in get(exercise).public_cases()
        if len(case.files.get(MODEL, b"")) in range(1, 1 << 16) and case.name != "external"
    ]
    return st.builds(of_graph, st.sampled_from(small), EDITS)


def redeclared(model, choices):
    """Other dimensions: no number and no name, an empty name, 0, and values that are no tensors."""
    values = [*model.graph.value_info, *model.graph.output]
    for which, how in choices:
        if not values:
            return
        kind = values[which % len(values)].type
        if how % 5 == 4:
            kind.sequence_type.elem_type.tensor_type.elem_type = TensorProto.FLOAT
            continue
        dim = kind.tensor_type.shape.dim.add()
        if how % 5 == 1:
            dim.dim_param = ""
        elif how % 5 == 2:
            dim.dim_value = 0
        elif how % 5 == 3:
            dim.dim_param = "unk__3"


@grouped("shapes")
@given(bent_models(), st.lists(st.tuples(NUMBERS, NUMBERS), max_size=4))
def test_shapes_are_counted_alike(data, choices):
    model = ModelProto.FromString(data)
    redeclared(model, choices)
    before = copy.deepcopy(model)
    found = reference_functions("shapes")["shape_coverage"](model)
    assert found == dict(
        zip(counting.CLASSES, counting.count(model, counting.Reading()), strict=True)
    )
    assert model == before


@grouped("inspect")
@given(bent_models())
def test_models_are_described_alike(data):
    model = ModelProto.FromString(data)
    if not any(entry.domain in describing.DEFAULT_DOMAINS for entry in model.opset_import):
        model.opset_import.add(domain="", version=20)
    del model.graph.sparse_initializer[:]
    found = reference_functions("inspect")["describe"](model)
    facts = describing.CaseFacts(model, {})
    assert found["operators"] == describing.histogram(describing.nodes_of(model))
    assert found["parameters"] == describing.elements(describing.all_initializers(facts))
    assert found["bytes"] == describing.total_size(facts, ())


@grouped("overflow")
def test_a_default_that_is_fed_is_what_was_fed():
    """An initializer that is an input is its default, and no number of the model's own."""
    model = make_model(
        parser.parse_graph("g (float16[N] x, float16[1] w) => (float16[N] y) { y = Mul(x, w) }")
    )
    model.graph.initializer.append(numpy_helper.from_array(np.float16([2]), "w"))
    find = reference_functions("overflow")["find_overflow"]
    x = np.float16([60000])
    assert find(model, {"x": x}) == ["y"]
    assert find(model, {"x": x, "w": np.float16([1])}) == []
    assert find(model, {"x": x, "w": np.float16([np.inf])}) == []


# Spellings that one reader of JSON takes and another refuses, and some that both take.
TEXTS = (
    "a",
    "",
    "π",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\\ud800",
    "\\udc00x",
    "\\ud800\\u0041",
    "\\u0000",
)
INTEGERS = ("{}", "-{}", "0{}", "{}.0", "{}e0", "+{}", "1{}", '"{}"', "[{}]", "{}" + "0" * 20)
SPACES = ("", " ", "\n", "\t", "\r\n", "\x0b", "\0", "\u00a0", "\ufeff")


@st.composite
def files(draw):
    """A file of one tensor, each part of whose header is spelled in one of several ways."""
    space = st.sampled_from(SPACES[:2] * 5 + SPACES)
    name, key, value = (draw(st.sampled_from(TEXTS)) for _ in range(3))
    rows = draw(st.sampled_from((0, 1, 3)))
    number = st.sampled_from(INTEGERS[:1] * 30 + INTEGERS)
    begin, end, size = (draw(number).format(at) for at in (0, 4 * rows, rows))
    metadata = draw(
        st.sampled_from(('"__metadata__":{},', f'"__metadata__":{{"{key}":"{value}"}},', ""))
    )
    entry = f'{{"dtype":"F32","shape":[{size}],"data_offsets":[{begin},{end}]}}'
    text = f'{draw(space)}{{{metadata}{draw(space)}"{name}":{entry}}}{draw(space)}'
    header = text.encode()
    header += draw(st.sampled_from((b" ", b"\n", b"\t"))) * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + bytes(4 * rows)


def accepted(data, path):
    path.write_bytes(data)
    try:
        reference_functions("safetensors")["validate"](path)
    except ValueError:
        return False
    return True


@grouped("safetensors")
@given(data=files())
def test_what_is_valid_is_valid_to_every_reader(data, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "drawn.safetensors"
    try:
        deserialize(data)
        library = True
    except SafetensorError:
        library = False
    if accepted(data, path):
        assert library
        length = int.from_bytes(data[:8], "little")
        header = reference_functions("safetensors")["read_header"](data)
        assert header == json.loads(data[8 : 8 + length])


@grouped("safetensors")
@pytest.mark.parametrize("kind", VALID)
def test_each_kind_of_valid_file_is_valid(kind, tmp_path):
    data = VALID[kind](np.random.default_rng(3))
    assert accepted(data, tmp_path / "kind.safetensors")
    deserialize(data)
