"""A search whose right answers are known: find the ONNX operator that a sentence describes.

The texts are the operators' documentation in the installed package. A document is an operator's
name with the descriptions of its inputs and outputs. A query is the first sentence of its
description, without the name. MiniLM turns both into vectors. Operators whose queries begin alike
have no query: such a query has no single right answer. Texts that are neither, the descriptions
of attributes, are there to calibrate on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import onnx

from formatlab.models import minilm
from formatlab.numerics import Feeds
from formatlab.sqnr import sqnr

LENGTH = 16  # tokens: where queries are cut off
WHOLE = 256  # tokens: where documents are, because the model's authors cut there
HELD_OUT = 28  # texts to calibrate on
JUDGES = 4  # the number of the batch of queries that judges
EVERY = 6  # of the other queries, one in so many calibrates


def operators() -> tuple[dict[str, str], dict[str, str]]:
    """The document of each operator, and the query of each that has one, by their names."""
    schemas = {
        schema.name: schema
        for schema in sorted(onnx.defs.get_all_schemas(), key=lambda schema: schema.name)
        if not schema.domain and not schema.deprecated and schema.doc
    }
    queries = {name: _query(schema) for name, schema in schemas.items()}
    tokens = {name: tuple(_tokenizer(LENGTH).encode(query).ids) for name, query in queries.items()}
    count = Counter(tokens.values())
    documents = {name: _document(schema) for name, schema in schemas.items()}
    return documents, {name: queries[name] for name in queries if count[tokens[name]] == 1}


def _query(schema: onnx.defs.OpSchema) -> str:
    sentence = _plain(schema.doc or "").partition(". ")[0]
    return re.sub(schema.name, "this", sentence, flags=re.IGNORECASE)


def _document(schema: onnx.defs.OpSchema) -> str:
    words = " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|\d+", schema.name))
    sides = [f"{side.name}: {side.description}" for side in (*schema.inputs, *schema.outputs)]
    return _plain(f"{words}. {' '.join(sides)}")


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def held_out(count: int = HELD_OUT, size: int = 1) -> list[Feeds]:
    """Texts of the same kind that the task neither asks nor searches, in batches of `size`: the first
    sentences of descriptions of attributes, spread over the alphabet. Each is alone and unpadded
    unless `size` says otherwise.

    Who calibrates on the queries of the task has seen the examination.
    """
    asked = set(operators()[1].values())
    sentences = {
        _plain(attribute.description).partition(". ")[0]
        for schema in onnx.defs.get_all_schemas()
        if not schema.domain and not schema.deprecated
        for attribute in schema.attributes.values()
    }
    texts = sorted(text for text in sentences - asked if len(text.split()) > 3)
    chosen = [texts[place] for place in np.linspace(0, len(texts) - 1, count).astype(int)]
    return [feeds for _, feeds in batches(chosen, size=size)]


def of_length(tokens: int) -> Feeds:
    """One text of exactly so many tokens, drawn from the documents: for times."""
    ids = [each for text in operators()[0].values() for each in _tokenizer(WHOLE).encode(text).ids]
    chosen = np.array([[each for each in ids if each][:tokens]])
    return {"input_ids": chosen, "attention_mask": np.ones_like(chosen)}


@cache
def _tokenizer(longest: int) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(minilm.installed() / "tokenizer.json"))
    tokenizer.enable_truncation(longest)
    tokenizer.enable_padding()
    return tokenizer


def batches(
    texts: Sequence[str], size: int = 32, longest: int = LENGTH
) -> Iterator[tuple[np.ndarray, Feeds]]:
    """The places of texts of about equal length, and their token ids with the mask of what is not
    padding: a batch is padded to its longest text. Texts are cut off at `longest` tokens.
    """
    order = np.argsort([len(text) for text in texts], kind="stable")
    for part in np.split(order, range(size, len(order), size)):
        encoded = _tokenizer(longest).encode_batch([texts[i] for i in part])
        pairs = np.array([[each.ids, each.attention_mask] for each in encoded])
        yield part, {"input_ids": pairs[:, 0], "attention_mask": pairs[:, 1]}


def judges_and_samples(queries: Sequence[str]) -> tuple[Feeds, list[Feeds]]:
    """A batch of queries that judges, and other queries that calibrate, each alone and unpadded."""
    places, judges = list(batches(queries))[JUDGES]
    alone = [each for [place], each in batches(queries, size=1) if place not in set(places)]
    return judges, alone[::EVERY]


def pooled(states: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """One vector of length 1 for each text: the mean over the tokens that the mask keeps."""
    mean = (states * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def embedded(session: Any, feeds: Iterable[tuple[np.ndarray, Feeds]]) -> np.ndarray:
    """One vector of length 1 for each of the texts that `batches` was given, in their order.

    `session` is one of ONNX Runtime whose first output has a state for each token.
    """
    found = [
        (places, pooled(session.run(None, each)[0], each["attention_mask"]))
        for places, each in feeds
    ]
    order = np.argsort(np.concatenate([places for places, _ in found]))
    return np.concatenate([vectors for _, vectors in found])[order]


def reciprocal_ranks(queries: np.ndarray, documents: np.ndarray, right: np.ndarray) -> np.ndarray:
    """For each query 1 over the rank of its right document: 1 if it is the nearest, 1/2 if one is
    nearer, and so on. Their mean is the MRR.

    `queries` and `documents` have vectors of length 1 as rows, `right` the number of each query's
    document. A document that is exactly as near counts as nearer.
    """
    cosines = queries @ documents.T
    own = cosines[np.arange(len(right)), right]
    return 1 / (cosines >= own[:, None]).sum(axis=1)


def margins(queries: np.ndarray, documents: np.ndarray, right: np.ndarray) -> np.ndarray:
    """For each query by how much the cosine of its right document exceeds the best other one."""
    cosines = queries @ documents.T
    rows = np.arange(len(right))
    own = cosines[rows, right]
    cosines[rows, right] = -np.inf
    return own - cosines.max(axis=1)


def changes(
    scores: Mapping[str, np.ndarray], base: np.ndarray, places: np.ndarray, level: float = 0.95
) -> dict[str, tuple[float, float, float]]:
    """The mean change of each variant against `base` over the same queries, with the low and the
    high end of its bootstrap interval.

    Each row of `places` is one draw of queries. All the intervals together hold with `level`
    (Bonferroni): among twenty variants that lose nothing, one would otherwise seem to.
    """
    outside = (1 - level) / len(scores) / 2
    found = {}
    for name, score in scores.items():
        pairs = np.asarray(score, float) - base
        low, high = np.quantile(pairs[places].mean(axis=1), [outside, 1 - outside])
        found[name] = float(pairs.mean()), float(low), float(high)
    return found


def agreement(expected: np.ndarray, states: np.ndarray, mask: np.ndarray) -> tuple[float, float]:
    """The SQNR of the tokens that the mask keeps, and the mean cosine of the texts' vectors."""
    kept = mask.astype(bool)
    cosines = (pooled(expected, mask) * pooled(states, mask)).sum(axis=1)
    return sqnr(expected[kept], states[kept]), float(cosines.mean())
