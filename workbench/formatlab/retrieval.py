"""A search whose right answers are known: find the ONNX operator that a sentence describes.

The texts are the operators' documentation in the installed package. A document is an operator's
name with the descriptions of its inputs and outputs. A query is the first sentence of its
description, without the name. MiniLM turns both into vectors. Operators whose queries begin alike
have no query: such a query has no single right answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import onnx

from formatlab.models import minilm
from formatlab.numerics import Feeds
from formatlab.sqnr import sqnr

LENGTH = 16  # tokens: where texts are cut off
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
    tokens = {name: tuple(_tokenizer().encode(query).ids) for name, query in queries.items()}
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


@cache
def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(minilm.installed() / "tokenizer.json"))
    tokenizer.enable_truncation(LENGTH)
    tokenizer.enable_padding()
    return tokenizer


def batches(texts: Sequence[str], size: int = 32) -> Iterator[tuple[np.ndarray, Feeds]]:
    """The places of texts of about equal length, and their token ids with the mask of what is not
    padding: a batch is padded to its longest text.
    """
    order = np.argsort([len(text) for text in texts], kind="stable")
    for part in np.split(order, range(size, len(order), size)):
        encoded = _tokenizer().encode_batch([texts[i] for i in part])
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


def agreement(expected: np.ndarray, states: np.ndarray, mask: np.ndarray) -> tuple[float, float]:
    """The SQNR of the tokens that the mask keeps, and the mean cosine of the texts' vectors."""
    kept = mask.astype(bool)
    cosines = (pooled(expected, mask) * pooled(states, mask)).sum(axis=1)
    return sqnr(expected[kept], states[kept]), float(cosines.mean())
