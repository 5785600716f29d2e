"""What notebooks 04b and 04c of Lab 7-01 import: the texts of the task, and a transformer's forms."""

import ast
import inspect

import numpy as np
import pytest
from notebook_tools import NOTEBOOKS, read
from onnx import numpy_helper, parser

from formatlab import few_bits, numerics, retrieval
from formatlab.models import make_model

RNG = np.random.default_rng(0)
X = (RNG.normal(size=(7, 4)) * [1, 30, 2, 1]).astype(np.float32)
WEIGHTS = {"left": RNG.normal(size=(4, 3)), "right": RNG.normal(size=(4, 2)), "last": np.eye(3)}


@pytest.fixture
def model():
    """Two products read one value; another reads what the first wrote, and one has no weight."""
    graph = parser.parse_graph("""
        g (float[N, 4] x) => (float[N, 3] y, float[N, 2] z, float[N, N] w) {
            a = MatMul(x, left)
            z = MatMul(x, right)
            b = Relu(a)
            y = MatMul(b, last)
            turned = Transpose <perm = [1, 0]> (y)
            w = MatMul(y, turned)
        }""")
    graph.initializer.extend(
        numpy_helper.from_array(each.astype(np.float32), name) for name, each in WEIGHTS.items()
    )
    return make_model(graph)


def functions(source):
    """Each function of a text by its name, without what it says of types."""
    found = {
        each.name: each for each in ast.parse(source).body if isinstance(each, ast.FunctionDef)
    }
    for function in found.values():
        function.returns = None
        for argument in function.args.args:
            argument.annotation = None
    return {name: ast.unparse(function) for name, function in found.items()}


def test_the_page_shows_the_function_that_the_next_page_imports():
    cells = read(NOTEBOOKS / "lab-7-01" / "04b-transformers.ipynb").cells
    [shown] = [cell.source for cell in cells if cell.source.startswith("def smoothed(")]
    assert functions(shown) == functions(inspect.getsource(few_bits.smoothed))


def test_what_enters_a_product_with_a_weight_is_watched(model):
    watched, names = few_bits.watched(model)
    assert names == ["x", "b"]
    assert [output.name for output in watched.graph.output] == ["y", "z", "w", "x", "b"]
    assert len(model.graph.output) == 3


def test_smoothing_keeps_the_function_and_makes_channels_more_alike(model):
    largest = {"x": few_bits.peaks(X), "b": np.ones(3, np.float32)}
    smooth = few_bits.smoothed(model, largest, 0.7)
    [[before]], [[after]] = (
        numerics.run(each.SerializeToString(), [{"x": X}], "ORT_DISABLE_ALL")
        for each in (model, smooth)
    )
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-3)
    [f] = [numpy_helper.to_array(each) for each in smooth.graph.initializer if each.name == "x_f"]
    channels = few_bits.peaks(X * f)
    assert channels.max() / np.median(channels) < largest["x"].max() / np.median(largest["x"]) / 2
    assert "x_f" not in [tensor.name for tensor in model.graph.initializer]


def test_a_query_does_not_hold_the_name_that_it_asks_for():
    documents, queries = retrieval.operators()
    assert set(queries) < set(documents) and list(documents) == sorted(documents)
    for name, query in queries.items():
        assert name.lower() not in query.lower()
    assert documents["ReduceMax"].startswith("Reduce Max. data: ")


def test_a_query_has_one_right_answer():
    """Without their names Ceil and Floor are said to do the same."""
    documents, queries = retrieval.operators()
    assert {"Ceil", "Floor"} <= set(documents) and not {"Ceil", "Floor"} & set(queries)
    rows = [
        row for _, feeds in retrieval.batches(list(queries.values())) for row in feeds["input_ids"]
    ]
    assert len({tuple(row[row > 0]) for row in rows}) == len(rows) == len(queries) > 150


def test_batches_hold_every_text_once_and_mark_its_padding():
    texts = ["add", "the mean of a tensor's elements along the axes that are given", "a sum"] * 3
    places, feeds = zip(*retrieval.batches(texts, size=4), strict=True)
    assert sorted(np.concatenate(places)) == list(range(9))
    assert [each["input_ids"].shape[0] for each in feeds] == [4, 4, 1]
    for each in feeds:
        assert each["input_ids"].shape[1] <= retrieval.LENGTH
        assert ((each["input_ids"] == 0) == (each["attention_mask"] == 0)).all()


def test_no_query_judges_and_calibrates():
    judges, samples = retrieval.judges_and_samples(list(retrieval.operators()[1].values()))
    judging = {tuple(row[row > 0]) for row in judges["input_ids"]}
    assert len(judges["input_ids"]) == 32 and len(samples) > 15
    for sample in samples:
        assert sample["attention_mask"].all()
        assert tuple(sample["input_ids"][0]) not in judging


def test_padding_counts_in_no_vector_and_in_no_agreement():
    states, mask = RNG.normal(size=(2, 3, 5)), np.array([[1, 1, 1], [1, 0, 0]])
    other = states.copy()
    other[1, 1:] = 99
    vectors = retrieval.pooled(states, mask)
    np.testing.assert_allclose(vectors, retrieval.pooled(other, mask))
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1)
    assert retrieval.agreement(states, other, mask) == (np.inf, pytest.approx(1))
    other[0, 0] += 1
    sqnr, cosine = retrieval.agreement(states, other, mask)
    assert sqnr < 20 and cosine < 1
