"""A small Llama that was trained on this course's own prose, one byte a token: its trained weights,
and the prose that it has not seen.

`tools/train_decoder.py` made both. The weights are stored as float16, and everything that is
measured with them begins from these rounded numbers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from formatlab.models.fixtures import FOLDER

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM

WEIGHTS = FOLDER / "decoder.safetensors"
DOCUMENTS = FOLDER / "decoder-documents.json"
# As many bytes as each training window had. The model has seen no position behind that.
CONTEXT = 256
# What every document begins with, for the model: something has to stand before the first byte.
START = b"\n"
# Rows of the weights have an even number of blocks of 32, which some quantizers need.
SIZES: dict[str, Any] = {
    "vocab_size": 256,
    "hidden_size": 128,
    "intermediate_size": 384,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": CONTEXT,
    "tie_word_embeddings": False,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}


def untrained(seed: int = 0) -> LlamaForCausalLM:
    """The network with random weights, in training mode."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    return LlamaForCausalLM(LlamaConfig(**SIZES))


def trained(weights: Path = WEIGHTS) -> LlamaForCausalLM:
    """The network with its trained weights, as float32, in evaluation mode."""
    from safetensors.torch import load_file

    model = untrained()
    model.load_state_dict({name: value.float() for name, value in load_file(weights).items()})
    return model.eval()


def documents() -> np.ndarray:
    """Prose that was kept out of the training: token ids, int64, a row of `CONTEXT` + 1 for each of
    the documents. The first token of a row is `START`.
    """
    texts = json.loads(DOCUMENTS.read_text(encoding="utf-8"))
    return np.stack([encode(START.decode() + text)[: CONTEXT + 1] for text in texts])


def encode(text: str) -> np.ndarray:
    """Token ids of a text: its UTF-8 bytes, int64."""
    return np.frombuffer(text.encode(), np.uint8).astype(np.int64)


def decode(ids: np.ndarray) -> str:
    """The text of token ids. Bytes that are no UTF-8, which the model may write, become �."""
    return bytes(np.asarray(ids, np.uint8)).decode(errors="replace")
