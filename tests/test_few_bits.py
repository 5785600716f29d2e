"""What notebook 04b of Lab 7-01 and the evening import: the texts of the task, and a transformer's forms."""

import ast
import inspect

import numpy as np
import pytest
from onnx import numpy_helper, parser

from formatlab import few_bits, numerics, retrieval
from formatlab.models import make_model
from tests.notebook_tools import NOTEBOOKS, read

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


def test_what_calibrates_is_neither_asked_nor_searched():
    """Otherwise the files that it calibrates have seen the examination."""
    documents, queries = retrieval.operators()
    texts = [*queries.values(), *documents.values()]
    asked = {
        tuple(row[row > 0]) for _, each in retrieval.batches(texts) for row in each["input_ids"]
    }
    samples = retrieval.held_out()
    assert len(samples) == retrieval.HELD_OUT
    for sample in samples:
        assert sample["attention_mask"].all()
        assert tuple(sample["input_ids"][0]) not in asked
    lengths = {sample["input_ids"].shape[1] for sample in samples}
    assert len(lengths) > 3 and max(lengths) <= retrieval.LENGTH


def test_a_text_for_times_has_the_length_that_was_asked_for():
    for tokens in (1, 16, 128):
        feeds = retrieval.of_length(tokens)
        assert feeds["input_ids"].shape == feeds["attention_mask"].shape == (1, tokens)
        assert feeds["attention_mask"].all() and feeds["input_ids"].all()
    assert len(np.unique(feeds["input_ids"])) > 30


def test_documents_are_whole_where_that_is_asked():
    documents = list(retrieval.operators()[0].values())
    longest = max(
        each["input_ids"].shape[1]
        for _, each in retrieval.batches(documents, longest=retrieval.WHOLE)
    )
    assert retrieval.LENGTH < 100 < longest <= retrieval.WHOLE


def test_a_reciprocal_rank_counts_the_place_and_a_margin_the_distance():
    """By hand: three documents on a circle; a document that is exactly as near counts as nearer."""
    documents = np.array([[1, 0], [0, 1], [0.6, 0.8]])
    queries = np.array([[1, 0], [1, 0], [1, 0], [0, 1]])
    right = np.array([0, 2, 1, 1])
    np.testing.assert_allclose(
        retrieval.reciprocal_ranks(queries, documents, right), [1, 1 / 2, 1 / 3, 1]
    )
    np.testing.assert_allclose(retrieval.margins(queries, documents, right), [0.4, -0.4, -1, 0.2])
    twins = np.array([[1, 0], [1, 0]])
    np.testing.assert_allclose(retrieval.reciprocal_ranks(twins[:1], twins, np.array([0])), [1 / 2])


def test_intervals_of_several_variants_hold_together():
    """Twenty variants that lose nothing on average: in few tables one of them seems to."""
    rng = np.random.default_rng(0)
    places = rng.integers(60, size=(2000, 60))
    seemed, alone = 0, 0
    for _ in range(40):
        scores = {f"v{number}": rng.normal(size=60) for number in range(20)}
        base = np.zeros(60)
        found = retrieval.changes(scores, base, places)
        seemed += any(high < 0 or low > 0 for _, low, high in found.values())
        one_by_one = [
            retrieval.changes({name: scores[name]}, base, places)[name] for name in scores
        ]
        alone += any(high < 0 or low > 0 for _, low, high in one_by_one)
        for name, (mean, low, high) in found.items():
            assert low <= mean <= high and mean == pytest.approx(scores[name].mean())
    assert seemed <= 10 < 15 < alone
