"""Build the fixtures from their recipes: `python -m formatlab.models.build [FOLDER]`. Needs torch
and transformers.
"""

from __future__ import annotations

import logging
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from onnx import ModelProto
from safetensors.torch import load_file
from transformers import BertConfig, BertModel

from formatlab.models import digits, minilm_files, save
from formatlab.models.fixtures import FOLDER

OPSET = 18


class Encoder(torch.nn.Module):
    """A BERT that returns its last hidden state alone, with attention spelt out, so that every
    Dropout is a node of its own.
    """

    def __init__(self, bert: BertModel):
        super().__init__()
        self.bert = bert

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        return self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state


def small_bert(seed: int = 0) -> Encoder:
    """A two-layer BERT whose weights come from numpy's generator, so that they are the same on
    every machine.
    """
    config = BertConfig(
        vocab_size=97,
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=80,
        max_position_embeddings=40,
        attn_implementation="eager",
    )
    bert = BertModel(config, add_pooling_layer=False)
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for name, weight in sorted(bert.named_parameters()):
            # Uniform, because it is made of exactly rounded steps; a normal distribution calls the
            # platform's logarithm.
            values = (
                rng.random(tuple(weight.shape), dtype=np.float32) - np.float32(0.5)
            ) / np.float32(2)
            scale = name.endswith("LayerNorm.weight")
            weight.copy_(torch.from_numpy(values + np.float32(1) if scale else values))
    return Encoder(bert)


def minilm(weights: Path) -> Encoder:
    """all-MiniLM-L6-v2 from its `model.safetensors`, without its pooling layer."""
    config = BertConfig(
        vocab_size=30522,
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
        max_position_embeddings=512,
        attn_implementation="eager",
    )
    bert = BertModel(config, add_pooling_layer=False)
    unused = ("pooler.dense.weight", "pooler.dense.bias", "embeddings.position_ids")
    bert.load_state_dict(
        {name: value for name, value in load_file(weights).items() if name not in unused}
    )
    return Encoder(bert)


def export_training_mode(encoder: Encoder) -> ModelProto:
    """Export with the Dropouts in. The module has to be in training mode: the exporter ignores its
    own `training` argument.
    """
    return _encoder(encoder.train())


def export_evaluation_mode(encoder: Encoder) -> ModelProto:
    """Export as one should, without Dropout."""
    return _encoder(encoder.eval())


def minilm_skeleton() -> ModelProto:
    """MiniLM in evaluation mode without its weights: in their place each tensor says which of
    `model.safetensors` it is.

    Raises WeightsMissing, WeightsRefused.
    """
    weights = minilm_files.installed() / minilm_files.WEIGHTS
    stored = load_file(weights)
    named = {tensor.numpy().tobytes(): name for name, tensor in stored.items()}
    named |= {
        tensor.T.contiguous().numpy().tobytes(): f"{name}{minilm_files.TRANSPOSED}"
        for name, tensor in stored.items()
        if tensor.ndim == 2
    }
    model = export_evaluation_mode(minilm(weights))
    for tensor in model.graph.initializer:
        if tensor.raw_data in named:
            tensor.doc_string = named[tensor.raw_data]
            tensor.ClearField("raw_data")
    return model


def export_digits_cnn() -> ModelProto:
    """The trained digits CNN: `image` (batch, 1, 8, 8) -> `logits` (batch, 10)."""
    return _export(
        digits.trained(),
        {"image": torch.zeros(2, 1, 8, 8)},
        {"image": {0: torch.export.Dim("batch", min=1, max=4096)}},
        "logits",
    )


def _encoder(encoder: Encoder) -> ModelProto:
    ids = torch.arange(14).reshape(2, 7)
    longest = encoder.bert.config.max_position_embeddings
    axes = {
        0: torch.export.Dim("batch", min=1, max=512),
        1: torch.export.Dim("sequence", min=2, max=longest),
    }
    arguments = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    return _export(encoder, arguments, dict.fromkeys(arguments, axes), "last_hidden_state")


def _export(
    module: torch.nn.Module,
    arguments: dict[str, torch.Tensor],
    axes: dict[str, dict[int, Any]],
    output: str,
) -> ModelProto:
    """Opset 18, weights inside, the dimensions of `axes` dynamic."""
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            module,
            tuple(arguments.values()),
            dynamo=True,
            opset_version=OPSET,
            external_data=False,
            verbose=False,
            input_names=list(arguments),
            output_names=[output],
            dynamic_shapes=axes,
        )
    model = program.model_proto
    version = next(entry.version for entry in model.opset_import if entry.domain == "")
    if version != OPSET:
        raise RuntimeError(f"asked the exporter for opset {OPSET}, got {version}")
    # Torch's version without the part that names the build (`+cpu`), so that every build writes the
    # same bytes.
    model.producer_version = torch.__version__.partition("+")[0]
    return model


def build(folder: str | Path = FOLDER) -> list[Path]:
    """Write every fixture into `folder`; the paths written."""
    recipes = {
        "bert": lambda: export_evaluation_mode(small_bert()),
        "bert-dropout": lambda: export_training_mode(small_bert()),
        "digits-cnn": export_digits_cnn,
        minilm_files.SKELETON: minilm_skeleton,
    }
    paths = [Path(folder) / f"{name}.onnx" for name in recipes]
    for path, export in zip(paths, recipes.values(), strict=True):
        save(export(), path)
    return paths


if __name__ == "__main__":
    for written in build(*sys.argv[1:2]):
        print(written)
