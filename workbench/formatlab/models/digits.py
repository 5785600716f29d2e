"""The digits that scikit-learn ships (8 by 8 pixels), a small CNN for them, and the trained weights
of the course.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional

from formatlab.models.fixtures import FOLDER

WEIGHTS = FOLDER / "digits-cnn.safetensors"
TRAIN_IMAGES = 1257


class Digits(NamedTuple):
    """float32 images of shape (N, 1, 8, 8) from 0 to 1, and int64 labels of shape (N,): 1257 to
    train on, 540 to test on.
    """

    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray


def load() -> Digits:
    """The digits, shuffled once and for all, so that both parts hold every writer's hand."""
    images, labels = (each.copy() for each in _shuffled())
    return Digits(
        images[:TRAIN_IMAGES], labels[:TRAIN_IMAGES], images[TRAIN_IMAGES:], labels[TRAIN_IMAGES:]
    )


@cache  # compressed text
def _shuffled() -> tuple[np.ndarray, np.ndarray]:
    """The images and labels of scikit-learn's `load_digits`. The library itself is not imported: that
    would take far longer than to read its file.
    """
    spec = find_spec("sklearn")
    if spec is None or spec.submodule_search_locations is None:
        raise ModuleNotFoundError("scikit-learn brings the digits: type `pip install scikit-learn`")
    table = np.loadtxt(
        Path(spec.submodule_search_locations[0], "datasets", "data", "digits.csv.gz"), delimiter=","
    )
    pixels = table[:, :-1]
    labels = table[:, -1]
    order = np.random.default_rng(0).permutation(len(labels))
    images = (pixels[order].reshape(-1, 1, 8, 8) / 16).astype(np.float32)
    return images, labels[order].astype(np.int64)


class DigitsCNN(nn.Module):
    """Two convolutions, a pooling, two linear layers: (N, 1, 8, 8) -> (N, 10), 57 110 parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.hidden = nn.Linear(32 * 4 * 4, 100)
        self.out = nn.Linear(100, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.conv1(image))
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        return self.out(functional.relu(self.hidden(x.flatten(1))))


def train(seed: int = 0, epochs: int = 15) -> DigitsCNN:
    """A CNN trained on the training images with Adam, in eval mode.

    It takes seconds on one thread. The weights differ between processors in their last bits.
    """
    digits = load()
    images = torch.from_numpy(digits.train_images)
    labels = torch.from_numpy(digits.train_labels)
    torch.manual_seed(seed)
    model = DigitsCNN()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(labels)).split(64):
            optimizer.zero_grad()
            functional.cross_entropy(model(images[batch]), labels[batch]).backward()
            optimizer.step()
    return model.eval()


def trained() -> DigitsCNN:
    """The CNN with the course's committed weights, in eval mode: the same on every machine."""
    model = DigitsCNN()
    model.load_state_dict(load_file(WEIGHTS))
    return model.eval()


def accuracy(logits: np.ndarray, labels: np.ndarray) -> float:
    """The share of rows whose largest logit is the label's; `logits` of shape (N, 10), `labels` of
    shape (N,).
    """
    return float((np.asarray(logits).argmax(axis=1) == labels).mean())
