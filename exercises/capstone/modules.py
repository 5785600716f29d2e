"""The modules that the exercise `capstone` hands to students, built from sizes and weights."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from formatlab.models.digits import DigitsCNN


class CNN(nn.Module):
    """Two convolutions with batch norm, two linear layers: (N, channels, height, width) -> (N,
    classes).
    """

    def __init__(
        self, channels: int, height: int, width: int, filters: int, hidden: int, classes: int
    ):
        super().__init__()
        self.first = nn.Conv2d(channels, filters, 3, padding=1)
        self.first_norm = nn.BatchNorm2d(filters)
        self.second = nn.Conv2d(filters, 2 * filters, 3, padding=1)
        self.second_norm = nn.BatchNorm2d(2 * filters)
        self.dropout = nn.Dropout(0.3)
        self.hidden = nn.Linear(2 * filters * (height // 2) * (width // 2), hidden)
        self.out = nn.Linear(hidden, classes)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.first_norm(self.first(image)))
        x = functional.max_pool2d(functional.relu(self.second_norm(self.second(x))), 2)
        return self.out(functional.relu(self.hidden(self.dropout(x.flatten(1)))))


class MLP(nn.Module):
    """Three linear layers with dropout: (N, features) -> (N, classes)."""

    def __init__(self, features: int, wide: int, narrow: int, classes: int):
        super().__init__()
        self.first = nn.Linear(features, wide)
        self.dropout = nn.Dropout(0.2)
        self.second = nn.Linear(wide, narrow)
        self.out = nn.Linear(narrow, classes)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        x = self.dropout(functional.gelu(self.first(features)))
        return self.out(torch.tanh(self.second(x)))


class Block(nn.Module):
    """A transformer's block with pooling and a head: (N, steps, width) -> (N, classes)."""

    def __init__(self, steps: int, width: int, heads: int, classes: int):
        super().__init__()
        self.heads = heads
        self.first_norm = nn.LayerNorm(width)
        self.attend = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.second_norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 3 * width)
        self.down = nn.Linear(3 * width, width)
        self.dropout = nn.Dropout(0.2)
        self.out = nn.Linear(width, classes)

    def forward(self, sequence: torch.Tensor) -> torch.Tensor:
        parts = self.attend(self.first_norm(sequence)).chunk(3, dim=2)
        query, key, value = (part.unflatten(2, (self.heads, -1)).transpose(1, 2) for part in parts)
        weights = torch.softmax(query @ key.transpose(2, 3) * query.shape[-1] ** -0.5, dim=-1)
        x = sequence + self.dropout(self.project((weights @ value).transpose(1, 2).flatten(2)))
        x = x + self.dropout(self.down(functional.gelu(self.up(self.second_norm(x)))))
        return self.out(x.mean(dim=1))


ARCHITECTURES = {"digits": DigitsCNN, "cnn": CNN, "mlp": MLP, "block": Block}


def build(
    architecture: str, sizes: Mapping[str, int], weights: Mapping[str, np.ndarray], training: bool
) -> nn.Module:
    """The module with these weights, in training or in evaluation mode. Its last layer is in
    evaluation mode, as one that is not trained any more.
    """
    module = ARCHITECTURES[architecture](**sizes)
    module.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    module.train(training)
    module.get_submodule("out").eval()
    return module
