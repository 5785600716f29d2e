"""Search by meaning: MiniLM in FP32 and INT8, the embeddings of all sections, and how often it
finds what a question asks for.

All of it is made from the verified weights. It takes a minute, so it is kept in build/cache until
what it depends on changes.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from filelock import FileLock
from onnxruntime.quantization import quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
from retrieval import recall
from safetensors.numpy import save_file
from sections import Section, collect
from tokenizers import Tokenizer

from formatlab.models import minilm, to_bytes

ROOT = Path(__file__).resolve().parents[2]
MODELS = {"fp32": "meaning-fp32.onnx", "int8": "meaning-int8.onnx"}
WORDS = 100
MOST_TOKENS = 128


def write(folder: Path) -> None:
    """Write the models, `meaning-vocab.txt`, `meaning.safetensors` and `meaning.json` into
    `folder`.
    """
    kept = ROOT / "build" / "cache" / f"meaning-{key()}"
    kept.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{kept}.lock"):
        if not kept.is_dir():
            make_whole(kept)
    for path in kept.iterdir():
        shutil.copyfile(path, Path(folder) / path.name)


def key() -> str:
    """What the files depend on: the weights, the sections, the questions, this module and the
    runtime's version.
    """
    parts = [
        minilm.WEIGHTS_SHA256,
        ort.__version__,
        *(section.text(WORDS) + section.address for section in found_sections()),
    ]
    parts += [
        path.read_text(encoding="utf-8")
        for path in (
            ROOT / "site" / "questions.json",
            Path(__file__),
            Path(__file__).with_name("retrieval.py"),
        )
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def make_whole(folder: Path) -> None:
    """The folder is there once all of its files are."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        unfinished = Path(name) / folder.name
        unfinished.mkdir()
        make(unfinished)
        unfinished.rename(folder)


def make(folder: Path) -> None:
    source = minilm.installed()
    shutil.copyfile(source / "vocab.txt", folder / "meaning-vocab.txt")
    (folder / MODELS["fp32"]).write_bytes(minilm.evaluation_mode_onnx())
    (folder / MODELS["int8"]).write_bytes(quantized(folder / MODELS["fp32"]))
    sections = found_sections()
    texts, asked = [section.text(WORDS) for section in sections], questions()
    embedders = {name: Embedder(folder / file) for name, file in MODELS.items()}
    embedded = {name: embed(texts) for name, embed in embedders.items()}
    save_file(embedded, folder / "meaning.safetensors")
    wanted = [question for question, _ in asked]
    scores = {name: embed(wanted) @ embedded[name].T for name, embed in embedders.items()} | {
        "words": by_words(wanted, texts)
    }
    rankings = {name: ranks(found, asked, sections) for name, found in scores.items()}
    facts = {
        "sections": [[section.page, section.title, section.address] for section in sections],
        "recall": {
            name: {str(most): recall(found, most) for most in (1, 5)}
            for name, found in rankings.items()
        },
        "alone": alone(rankings["int8"], rankings["words"], 5),
        "bytes": {name: (folder / file).stat().st_size for name, file in MODELS.items()},
    }
    (folder / "meaning.json").write_text(json.dumps(facts, separators=(",", ":")), encoding="utf-8")


def quantized(path: Path) -> bytes:
    """Dynamic INT8 with a scale for each channel, as in the exercise `int8_dynamic`."""
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
        prepared, target = Path(name) / "prepared.onnx", Path(name) / "int8.onnx"
        quant_pre_process(path, prepared, auto_merge=True)
        quantize_dynamic(prepared, target, per_channel=True)
        return to_bytes(onnx.load(target))


class Embedder:
    """Texts to unit vectors, float32 (count, 384): the mean over a text's tokens."""

    def __init__(self, path: Path):
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        # Exact integer sums on processors whose fast kernels saturate, so that every machine builds
        # the same site.
        options.add_session_config_entry("session.x64quantprecision", "1")
        self.session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.tokenizer = tokenizer()

    def __call__(self, texts: list[str]) -> np.ndarray:
        return np.stack([self.one(text) for text in texts])

    def one(self, text: str) -> np.ndarray:
        ids = np.array([self.tokenizer.encode(text).ids], np.int64)
        [states] = self.session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        mean = states[0].mean(axis=0)
        return mean / np.linalg.norm(mean)


def tokenizer() -> Tokenizer:
    found = Tokenizer.from_file(str(minilm.installed() / "tokenizer.json"))
    found.no_padding()
    found.enable_truncation(MOST_TOKENS)
    return found


def found_sections() -> list[Section]:
    return collect(ROOT / "notebooks")


def questions() -> list[tuple[str, list[str]]]:
    """Each question with the addresses of the sections that answer it."""
    return [
        (question, right)
        for question, right in json.loads(
            (ROOT / "site" / "questions.json").read_text(encoding="utf-8")
        )
    ]


def ranks(
    scores: np.ndarray, asked: list[tuple[str, list[str]]], sections: list[Section]
) -> list[int]:
    """For each question the place of the first section that answers it, from 0."""
    addresses = np.array([section.address for section in sections])
    orders = np.argsort(-scores, axis=1, kind="stable")
    return [
        int(np.isin(addresses[order], right).argmax())
        for order, (_, right) in zip(orders, asked, strict=True)
    ]


def alone(one: list[int], other: list[int], most: int) -> list[int]:
    """How many questions only the first search answers among its first `most`, and how many only
    the second one.
    """
    pairs = [(a < most, b < most) for a, b in zip(one, other, strict=True)]
    return [pairs.count((True, False)), pairs.count((False, True))]


def by_words(asked: list[str], texts: list[str]) -> np.ndarray:
    """For comparison, an ordinary search: words in common, rare ones weigh more (BM25)."""
    documents = [Counter(_words(text)) for text in texts]
    lengths = np.array([sum(document.values()) for document in documents])
    scores = np.zeros((len(asked), len(texts)))
    for row, question in enumerate(asked):
        for word in set(_words(question)):
            counts = np.array([document[word] for document in documents])
            holders = int((counts > 0).sum())
            weight = np.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
            scores[row] += (
                weight * counts * 2.2 / (counts + 1.2 * (0.25 + 0.75 * lengths / lengths.mean()))
            )
    return scores


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())
