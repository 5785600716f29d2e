"""The models that `record.py` measures, and a module of torch as something that can be called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.utils.benchmark

from formatlab.models import build, digits, fixtures, minilm

TOKENS = 128


@dataclass(frozen=True)
class Subject:
    """A model: its module in eval mode, inputs by name at a batch, what writes its ONNX file,
    {batch: rounds}, inputs to calibrate on.
    """

    name: str
    module: torch.nn.Module
    feeds: Callable[[int], dict[str, np.ndarray]]
    write: Callable[[Path], object]
    rounds: dict[int, int]
    calibration: Callable[[], dict[str, np.ndarray]]


def resnet50() -> Subject:
    # After formatlab, which repairs it where its build does not match torch's.
    from torchvision import models

    torch.manual_seed(0)
    module = models.resnet50(weights=None).eval()
    rng = np.random.default_rng(0)

    def write(path: Path) -> None:
        example, batch = torch.zeros(2, 3, 224, 224), {0: torch.export.Dim("batch")}
        program = torch.onnx.export(
            module,
            (example,),
            input_names=["image"],
            dynamic_shapes=(batch,),
            dynamo=True,
            verbose=False,
        )
        program.save(path, external_data=False)

    def feeds(batch: int) -> dict[str, np.ndarray]:
        return {"image": rng.standard_normal((batch, 3, 224, 224)).astype(np.float32)}

    return Subject("ResNet-50", module, feeds, write, {1: 20, 32: 6}, lambda: feeds(8))


def digits_cnn() -> Subject:
    data = digits.load()
    return Subject(
        "Digits CNN",
        digits.trained(),
        lambda batch: {"image": data.test_images[:batch]},
        lambda path: path.write_bytes(fixtures.read("digits-cnn")),
        {1: 40, 32: 40},
        lambda: {"image": data.train_images[:256]},
    )


def mini_lm() -> Subject:
    module = build.minilm(minilm.installed() / minilm.WEIGHTS).eval()
    rng = np.random.default_rng(0)

    def feeds(batch: int) -> dict[str, np.ndarray]:
        ids = rng.integers(0, 30522, (batch, TOKENS))
        return {"input_ids": ids, "attention_mask": np.ones_like(ids)}

    def write(path: Path) -> None:
        path.write_bytes(minilm.evaluation_mode_onnx())

    return Subject(
        f"MiniLM, {TOKENS} tokens", module, feeds, write, {1: 20, 32: 12}, lambda: feeds(8)
    )


class InTorch:
    """A module as a call that is done when it returns, without gradients."""

    def __init__(
        self,
        module: torch.nn.Module,
        feeds: dict[str, np.ndarray],
        device: str,
        dtype: torch.dtype = torch.float32,
    ):
        self.module = module.to(device, dtype)
        self.inputs = [
            torch.from_numpy(value).to(device, dtype if value.dtype == np.float32 else None)
            for value in feeds.values()
        ]
        self.device = device

    @torch.inference_mode()
    def __call__(self) -> torch.Tensor:
        output = self.module(*self.inputs)
        if self.device == "cuda":
            torch.cuda.synchronize()
        return output

    def outputs(self) -> list[np.ndarray]:
        return [self().float().cpu().numpy()]
