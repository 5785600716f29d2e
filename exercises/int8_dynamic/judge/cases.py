"""The cases of the exercise `int8_dynamic`: the first layer of the pretrained MiniLM, and small BERTs
drawn anew for every seed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from onnx import ModelProto, numpy_helper

from formatlab.models import minilm, texts, to_bytes
from formatlab.models.perturb import perturbed
from formatlab.numerics import Feeds
from formatlab_exercises.int8_dynamic.judge.case_models import (
    HIDDEN,
    IDS,
    LONGEST,
    MASK,
    PUBLIC,
    WORDS,
)
from formatlab_exercises.shared.judge.descriptions import descriptions
from nbjudge.contract import Case, case_seed

DESCRIPTIONS = descriptions({**PUBLIC, **HIDDEN})
DESCRIPTIONS |= {
    "minilm": "the first layer of the pretrained MiniLM, with a fifth of its words.",
    "minilm-new-weights": "the first layer of MiniLM with other weights.",
}
WORD_TABLE = "bert.embeddings.word_embeddings.weight"
# The words that MiniLM's table keeps: those of the sentences, and every fifth. It is still more
# than half of the file, and what the exporter writes around a layer is all there.
TOKENS = {token for part in (texts.PUBLIC, texts.HIDDEN) for row in part.values() for token in row}
KEPT = np.array(sorted(TOKENS | set(range(0, 30522, 5))))
# Decades by which the channels of MiniLM's queries and keys are made to differ.
SPREAD = 1.0


def public_cases() -> list[Case]:
    """Raises WeightsMissing or WeightsRefused when MiniLM's weights are not there, or not those."""
    whole = Case("minilm", {"model.onnx": _minilm()}, {"again": False}, public=True, seed=0)
    return [*(_case(name, 0, public=True) for name in PUBLIC), whole]


def cases(seed: int) -> list[Case]:
    """Raises WeightsMissing, WeightsRefused."""
    number = case_seed(seed, "int8_dynamic", "minilm-new-weights")
    drawn = [_case(name, case_seed(seed, "int8_dynamic", name)) for name in HIDDEN]
    return [
        *drawn,
        Case(
            "minilm-new-weights", {"model.onnx": _new_minilm(number)}, {"again": False}, seed=number
        ),
    ]


@lru_cache(maxsize=1)
def _minilm() -> bytes:
    return to_bytes(first_layer(minilm.evaluation_mode()))


def first_layer(model: ModelProto) -> ModelProto:
    """MiniLM, cut after the end of its first layer, with the words in `KEPT` alone.

    To quantize the whole takes several times as long, for five more layers like the first and more
    rows of the table.
    """
    graph = model.graph
    end = "bert.encoder.layer.0.output.LayerNorm.weight"
    last = next(place for place, node in enumerate(graph.node) if end in node.input)
    del graph.node[last + 1 :]
    graph.node[last].output[0] = graph.output[0].name
    used = {name for node in graph.node for name in (*node.input, *node.output)}
    for field in (graph.initializer, graph.value_info):
        kept = [one for one in field if one.name in used]
        del field[:]
        field.extend(kept)
    table = next(tensor for tensor in graph.initializer if tensor.name == WORD_TABLE)
    table.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(table)[KEPT], WORD_TABLE))
    for described in (value for value in graph.value_info if value.name == WORD_TABLE):
        described.type.tensor_type.shape.dim[0].dim_value = len(KEPT)
    return model


@lru_cache(maxsize=1)
def _new_minilm(seed: int) -> bytes:
    return rescaled(perturbed(_minilm(), seed), seed)


def rescaled(data: bytes, seed: int) -> bytes:
    """The same function: each channel of MiniLM's queries multiplied by a number, and that of the
    keys divided by it.

    A query and a key meet in a product that sums over their channels, so the numbers cancel there.
    """
    model = ModelProto.FromString(data)
    rng = np.random.default_rng([seed, 1])
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    writers = {node.output[0]: node for node in model.graph.node}
    biased = {
        name: node for node in model.graph.node if node.op_type == "Add" for name in node.input
    }
    for query in [name for name in tensors if name.endswith(".query.bias")]:
        factors = (10.0 ** rng.uniform(-SPREAD, SPREAD, tensors[query].dims[0])).astype(np.float32)
        for bias, factor in ((query, factors), (query.replace("query", "key"), 1 / factors)):
            weight = next(writers[name].input[1] for name in biased[bias].input if name in writers)
            for name in (bias, weight):
                tensors[name].CopyFrom(
                    numpy_helper.from_array(numpy_helper.to_array(tensors[name]) * factor, name)
                )
    return to_bytes(model)


def feeds(case: Case) -> list[Feeds]:
    """Token ids and masks, int64 of shape (batch, sequence): a batch with padding, and one short
    sentence alone.
    """
    if case.name.startswith("minilm"):
        part = texts.PUBLIC if case.name == "minilm" else texts.HIDDEN
        tokens = [np.searchsorted(KEPT, row).tolist() for row in part.values()]
    else:
        rng = np.random.default_rng([case.seed, 2])
        lengths = [LONGEST, *rng.integers(4, 20, 11)]
        tokens = [rng.integers(1, WORDS[0], length).tolist() for length in lengths]
    return [_batch(tokens), _batch(tokens[1:2])]


def _batch(tokens: Iterable[list[int]]) -> Feeds:
    rows = list(tokens)
    ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
    mask = np.zeros_like(ids)
    for row, numbers in enumerate(rows):
        ids[row, : len(numbers)], mask[row, : len(numbers)] = numbers, 1
    return {IDS: ids, MASK: mask}


def _case(name: str, seed: int, public: bool = False) -> Case:
    model = {**PUBLIC, **HIDDEN}[name](np.random.default_rng([seed, sum(name.encode())]))
    return Case(name, {"model.onnx": to_bytes(model)}, {"again": False}, public=public, seed=seed)
