"""The modules that `mend_export` hands to students, and the call that serves as the example, built in
the runner from a recipe of plain numbers.

The first eight have a right file. Each of the others has none, for the reason that its docstring
gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from formatlab_exercises.mend_export.weights import draw, weights

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]


class Stored(nn.Module):
    """A module with a recipe's weights as buffers."""

    inner: Tensor
    square: Tensor
    table: Tensor
    mask: Tensor

    def __init__(self, recipe: Mapping):
        super().__init__()
        for name, values in weights(recipe).items():
            self.register_buffer(name, torch.from_numpy(values))
        self.parts = recipe["parts"]
        self.eval()


class Head(Stored):
    def forward(self, features: Tensor) -> Tensor:
        return torch.tanh(features @ self.inner)


class Frames(Stored):
    def forward(self, frames: Tensor) -> Tensor:
        hidden = torch.tanh(frames @ self.inner)
        return hidden - hidden.mean(dim=1, keepdim=True)


class Scores(Stored):
    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        return torch.tanh(query @ self.square) @ key.T


class Bag(Stored):
    """Embeddings of whole numbers, added up by weight. It is called with its keywords in another
    order than that of `forward`.
    """

    def forward(self, batch: dict[str, Tensor], scale: Tensor, shift: Tensor) -> Tensor:
        words = self.table[batch["ids"]] * batch["weight"].unsqueeze(-1)
        return words.sum(dim=1) * scale + shift


class Past(Stored):
    """Reads the pairs of a list, and a dict of options."""

    def forward(
        self, states: Tensor, past: list[tuple[Tensor, Tensor]], options: dict[str, Tensor]
    ) -> Tensor:
        for key, value in past:
            share = torch.softmax((states.unsqueeze(1) * key).sum(dim=-1), dim=1)
            states = torch.tanh(states + (share.unsqueeze(-1) * value).sum(dim=1))
        return states * options["gain"]


class Positions(Stored):
    """Has a position for so many steps, and no more."""

    def forward(self, states: Tensor) -> Tensor:
        return torch.tanh(states + self.table[: states.shape[1]])


class Checked(Positions):
    """Refuses too few steps as well."""

    def forward(self, states: Tensor) -> Tensor:
        if states.shape[1] < self.parts:
            raise ValueError(f"{states.shape[1]} steps are too few")
        return super().forward(states)


class Grouped(Stored):
    """Adds up groups of samples, which have to come out even."""

    def forward(self, samples: Tensor) -> Tensor:
        groups = samples.reshape(samples.shape[0], -1, self.parts, samples.shape[2])
        return torch.tanh(groups.sum(dim=2))


class Centred(Stored):
    """Turns the number of rows into a number of Python."""

    def forward(self, features: Tensor) -> Tensor:
        return features - features.sum(dim=0) / int(features.shape[0])


class Masked(Stored):
    """Has a mask for one number of steps."""

    def forward(self, states: Tensor) -> Tensor:
        scores = states @ states.transpose(1, 2) + self.mask
        return torch.softmax(scores, dim=-1) @ states


class Sum(Stored):
    """Needs as many rows of one input as of the other."""

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        return torch.tanh(left) + right


class Short(Stored):
    """Does something else with few rows."""

    def forward(self, features: Tensor) -> Tensor:
        return torch.tanh(features) if features.shape[0] > self.parts else features - 1


class Choice(Stored):
    """Chooses by a value."""

    def forward(self, features: Tensor) -> Tensor:
        return torch.tanh(features) if features.sum() > 0 else features - 1


MODULES: dict[str, type[Stored]] = {
    each.__name__.lower(): each
    for each in (
        Head,
        Frames,
        Scores,
        Bag,
        Past,
        Positions,
        Checked,
        Grouped,
        Centred,
        Masked,
        Sum,
        Short,
        Choice,
    )
}


def called(recipe: Mapping) -> tuple[Stored, Arguments, Keywords]:
    """The module, and the arguments and keywords of the example."""
    rng = np.random.default_rng(recipe["weights"] + 1)
    drawn = draw(recipe, recipe["example"], rng)
    if recipe["kind"] == "choice":  # with a sum above zero
        drawn = {name: np.abs(values) for name, values in drawn.items()}
    tensors = {name: torch.from_numpy(values) for name, values in drawn.items()}
    return MODULES[recipe["kind"]](recipe), *nested(recipe["kind"], tensors)


def nested(kind: str, tensors: dict[str, Tensor]) -> tuple[Arguments, Keywords]:
    """The arguments and keywords in which the module takes tensors by the names of `wanted`."""
    if kind == "bag":
        batch = {"ids": tensors["batch_ids"], "weight": tensors["batch_weight"]}
        return (batch,), {"shift": tensors["shift"], "scale": tensors["scale"]}
    if kind == "past":
        past = [(tensors[f"past_{layer}_0"], tensors[f"past_{layer}_1"]) for layer in range(2)]
        return (tensors["states"], past), {"options": {"gain": tensors["options_gain"]}}
    return tuple(tensors.values()), {}
