"""The models that the proofs share, each built once in a process."""

from __future__ import annotations

import contextlib
import functools
import io
import logging
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import ModelProto

from formatlab.models import fixtures
from formatlab_exercises.shared import exporting

from .running import new_path, opset

MLP_INPUT = torch.linspace(-1, 1, 784).reshape(1, 784)
CNN_INPUT = torch.linspace(-1, 1, 768).reshape(1, 3, 16, 16)
IMAGE_AXES = {"image": {0: "batch_size"}, "logits": {0: "batch_size"}}
NAMES = {"input_names": ["image"], "output_names": ["logits"]}


@dataclass(frozen=True)
class Exported:
    """What one call of the exporter left behind."""

    path: Path
    model: ModelProto
    said: str
    warned: tuple[str, ...]

    @property
    def opset(self) -> int:
        return opset(self.model)

    @property
    def bytes(self) -> int:
        """The .onnx file and what lies beside it."""
        return sum(file.stat().st_size for file in self.path.parent.iterdir())


def export(module: torch.nn.Module, *arguments, file: bool = True, **options) -> Exported:
    """`torch.onnx.export` with what it prints and warns about caught. Without `file` the model is
    not written, only returned.
    """
    exporting.learn_once()
    path = new_path("model.onnx")
    said = io.StringIO()
    logger = logging.getLogger("torch.onnx")
    with (
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        level = logger.level
        logger.setLevel(logging.CRITICAL)
        try:
            program = torch.onnx.export(module, arguments, str(path) if file else None, **options)
        finally:
            logger.setLevel(level)
    model = onnx.load(path) if file else program.model_proto
    return Exported(
        path,
        model,
        said.getvalue(),
        tuple(f"{each.category.__name__}: {each.message}" for each in caught),
    )


class Function(torch.nn.Module):
    """A function as a module, so that it can be exported."""

    def __init__(self, function: Callable):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def seeded(build: Callable[[], torch.nn.Module]) -> torch.nn.Module:
    """What `build` builds, in evaluation mode, with the same weights each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return build().eval()


def mlp() -> torch.nn.Module:
    """784 -> 128 -> 10, as in source 003."""
    return seeded(
        lambda: torch.nn.Sequential(
            torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)
        )
    )


def cnn() -> torch.nn.Module:
    """Two convolutions with batch normalisation, and a linear layer: (batch, 3, 16, 16) -> (batch,
    10).
    """

    def build():
        layers = [
            torch.nn.Conv2d(3, 8, 3, padding=1),
            torch.nn.BatchNorm2d(8),
            torch.nn.ReLU(),
            torch.nn.MaxPool2d(2),
        ]
        layers += [
            torch.nn.Conv2d(8, 16, 3, padding=1),
            torch.nn.BatchNorm2d(16),
            torch.nn.ReLU(),
            torch.nn.AdaptiveAvgPool2d(1),
        ]
        net = torch.nn.Sequential(*layers, torch.nn.Flatten(), torch.nn.Linear(16, 10))
        for layer in net:  # statistics that are not 0 and 1, or folding them shows nothing
            if isinstance(layer, torch.nn.BatchNorm2d):
                layer.running_mean.uniform_(-1, 1)
                layer.running_var.uniform_(0.5, 2)
        return net

    return seeded(build)


@functools.cache
def mlp_default() -> Exported:
    """The MLP as source 003 exports it, but without an opset."""
    return export(mlp(), MLP_INPUT, input_names=["input"], output_names=["output"])


@functools.cache
def mlp_torchscript() -> Exported:
    return export(mlp(), MLP_INPUT, dynamo=False, input_names=["input"], output_names=["output"])


@functools.cache
def cnn_default() -> Exported:
    """The CNN exported with a dynamic batch, as the texts ask for it: `dynamic_axes`, the default
    exporter.
    """
    return export(cnn(), CNN_INPUT, **NAMES, dynamic_axes=IMAGE_AXES, external_data=False)


@functools.cache
def cnn_torchscript() -> Exported:
    return export(
        cnn(), CNN_INPUT, **NAMES, dynamic_axes=IMAGE_AXES, dynamo=False, opset_version=17
    )


@functools.cache
def resnet() -> torch.nn.Module:
    import torchvision

    return seeded(lambda: torchvision.models.resnet50(weights=None))


@functools.cache
def resnet_opset_17() -> Exported:
    """ResNet-50 with random weights, exported as the Day 50 text does."""
    return export(
        resnet(),
        torch.zeros(1, 3, 224, 224),
        **NAMES,
        opset_version=17,
        dynamic_axes=IMAGE_AXES,
        external_data=False,
    )


def bert() -> torch.nn.Module:
    from formatlab.models.build import small_bert

    return small_bert().eval()


def bert_inputs(batch: int = 2, length: int = 7) -> dict[str, np.ndarray]:
    ids = (np.arange(batch * length, dtype=np.int64) * 7 % 97).reshape(batch, length)
    mask = np.ones_like(ids)
    mask[0, length - 2 :] = 0
    return {"input_ids": ids, "attention_mask": mask}


def _bert_arguments() -> tuple[torch.Tensor, ...]:
    return tuple(torch.from_numpy(value) for value in bert_inputs().values())


@functools.cache
def bert_default() -> Exported:
    """The two-layer BERT in evaluation mode, default exporter, opset 18."""
    return export(
        bert(),
        *_bert_arguments(),
        input_names=list(bert_inputs()),
        output_names=["state"],
        opset_version=18,
        file=False,
    )


@functools.cache
def bert_torchscript(opset_version: int = 17, training: bool = False) -> Exported:
    axes = {name: {0: "batch", 1: "sequence"} for name in bert_inputs()}
    mode = torch.onnx.TrainingMode.TRAINING if training else torch.onnx.TrainingMode.EVAL
    options = {
        "opset_version": opset_version,
        "dynamic_axes": axes,
        "training": mode,
        "dynamo": False,
    }
    return export(
        bert(),
        *_bert_arguments(),
        input_names=list(bert_inputs()),
        output_names=["state"],
        **options,
    )


def bert_training() -> ModelProto:
    """The course's fixture: the two-layer BERT exported in training mode, 7 Dropouts in, dynamic
    batch and sequence.
    """
    return onnx.load_from_string(fixtures.read("bert-dropout"))
