"""The modules that the exercise `export` hands to students, built in the runner from a recipe of
plain numbers.

Every module keeps the first axis of its inputs as the first axis of its output, by code that both
exporters follow: it asks for `size(0)` where it needs the number of rows. What a module holds is
drawn from the recipe's seed, statistics of normalizations too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor, nn

from formatlab_exercises.export.tensors import draw


class Perceptron(nn.Module):
    def __init__(self, recipe: Mapping):
        super().__init__()
        [width] = recipe["inputs"]["features"]["shape"]
        self.hidden = nn.Linear(width, recipe["hidden"])
        self.norm = nn.BatchNorm1d(recipe["hidden"])
        self.drop = nn.Dropout(0.4)
        self.out = nn.Linear(recipe["hidden"], 2 * recipe["outputs"])
        self.activation = activation(recipe)

    def forward(self, features: Tensor) -> Tensor:
        x = self.drop(self.activation(self.norm(self.hidden(features))))
        return self.out(x).view(features.size(0), 2, -1)


class Convolutions(nn.Module):
    """Ends in a global average, which the default exporter writes with an operator that its
    converter cannot bring down to opset 17.
    """

    def __init__(self, recipe: Mapping):
        super().__init__()
        channels = recipe["inputs"]["image"]["shape"][0]
        self.first = nn.Conv2d(channels, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.second = nn.Conv2d(4, recipe["hidden"], 3, bias=False)
        self.last_norm = nn.BatchNorm2d(recipe["hidden"])
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(recipe["hidden"], recipe["outputs"])
        self.activation = activation(recipe)

    def forward(self, image: Tensor) -> Tensor:
        x = self.activation(self.norm(self.first(image)))
        x = self.pool(self.activation(self.last_norm(self.second(x))))
        return self.out(self.drop(x.view(image.size(0), -1)))


class Pair(nn.Module):
    """Two inputs of one shape, that cannot change places, and a state that begins with zeros for
    each row.
    """

    def __init__(self, recipe: Mapping):
        super().__init__()
        [width] = recipe["inputs"]["query"]["shape"]
        self.left = nn.Linear(width, recipe["hidden"])
        self.right = nn.Linear(width, recipe["hidden"], bias=False)
        self.norm = nn.BatchNorm1d(recipe["hidden"])
        self.drop = nn.Dropout(0.5)
        self.out = nn.Linear(recipe["hidden"] + 3, recipe["outputs"])
        self.activation = activation(recipe)

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        x = self.norm(self.activation(self.left(query)) * self.right(key))
        start = torch.zeros(query.size(0), 3)
        return self.out(torch.cat([start, self.drop(x)], dim=1))


class Tokens(nn.Module):
    """Embeddings of whole numbers, added up by importance."""

    def __init__(self, recipe: Mapping):
        super().__init__()
        self.embedding = nn.Embedding(recipe["inputs"]["tokens"]["below"], recipe["hidden"])
        self.drop = nn.Dropout(0.2)
        self.norm = nn.LayerNorm(recipe["hidden"])
        self.out = nn.Linear(recipe["hidden"], recipe["outputs"])
        self.activation = activation(recipe)

    def forward(self, tokens: Tensor, importance: Tensor) -> Tensor:
        words = self.drop(self.embedding(tokens))
        x = (words * importance.unsqueeze(-1)).sum(dim=1)
        return self.out(self.activation(self.norm(x)).reshape(tokens.size(0), -1))


class Encoder(nn.Module):
    """A layer of torch's own: with one row in the example, the default exporter fixes its rows."""

    def __init__(self, recipe: Mapping):
        super().__init__()
        size = recipe["inputs"]["states"]["shape"][-1]
        self.layer = nn.TransformerEncoderLayer(size, 2, recipe["hidden"], batch_first=True)
        self.out = nn.Linear(size, recipe["outputs"])
        self.activation = activation(recipe)

    def forward(self, states: Tensor) -> Tensor:
        return self.out(self.activation(self.layer(states)))


class Frozen(nn.Module):
    """A trunk whose statistics are fixed stays in evaluation mode while the head is trained."""

    def __init__(self, recipe: Mapping):
        super().__init__()
        [width] = recipe["inputs"]["signal"]["shape"]
        self.trunk = nn.Sequential(
            nn.Linear(width, recipe["hidden"]), nn.BatchNorm1d(recipe["hidden"]), nn.Dropout(0.5)
        )
        self.head = nn.Sequential(
            nn.Dropout(0.5), nn.Linear(recipe["hidden"], 2 * recipe["outputs"])
        )
        self.activation = activation(recipe)

    def forward(self, signal: Tensor) -> Tensor:
        return self.head(self.activation(self.trunk(signal))).view(signal.size(0), -1, 2)


class Attention(nn.Module):
    """Names the operator Attention, which ONNX has from opset 23 on. Both exporters write it into a
    file of any opset.
    """

    def __init__(self, recipe: Mapping):
        super().__init__()
        size = recipe["inputs"]["states"]["shape"][-1]
        self.inner = nn.Linear(size, size)
        self.drop = nn.Dropout(0.1)

    def forward(self, states: Tensor) -> Tensor:
        x = self.inner(states)
        return self.drop(torch.onnx.ops.attention(x, x, states)[0])


class Rotary(nn.Module):
    """Names the operator RotaryEmbedding, which ONNX has from opset 23 on."""

    def __init__(self, recipe: Mapping):
        super().__init__()
        _, self.length, size = recipe["inputs"]["states"]["shape"]
        self.inner = nn.Linear(size, size)
        angles = torch.outer(torch.arange(self.length), 0.1 ** torch.arange(size // 2)).float()
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, states: Tensor) -> Tensor:
        positions = torch.arange(self.length).expand(states.size(0), -1)
        return torch.onnx.ops.rotary_embedding(self.inner(states), self.cos, self.sin, positions)


MODULES: dict[str, type[nn.Module]] = {
    "mlp": Perceptron,
    "cnn": Convolutions,
    "pair": Pair,
    "tokens": Tokens,
    "encoder": Encoder,
    "frozen": Frozen,
    "attention": Attention,
    "rotary": Rotary,
}


def activation(recipe: Mapping) -> Callable[[Tensor], Tensor]:
    return getattr(torch, recipe["activation"])


def module_of(recipe: Mapping) -> nn.Module:
    """The module, in training mode but for what is frozen."""
    rng = np.random.default_rng(recipe["weights"])
    module = MODULES[recipe["kind"]](recipe)
    with torch.no_grad():
        for parameter in module.parameters():
            scale = parameter[0].numel() ** -0.5 if parameter.ndim > 1 else 0.5
            parameter.copy_(torch.from_numpy(scale * rng.normal(size=tuple(parameter.shape))))
        for norm in (
            each for each in module.modules() if isinstance(each, (nn.BatchNorm1d, nn.BatchNorm2d))
        ):
            norm.running_mean.copy_(torch.from_numpy(rng.normal(size=norm.num_features)))
            norm.running_var.copy_(torch.from_numpy(rng.uniform(0.5, 2, norm.num_features)))
    if recipe["kind"] == "frozen":
        module.trunk.eval()
    return module


def example_of(recipe: Mapping) -> Tensor | tuple[Tensor, ...]:
    """One tensor for one input, a tuple for several."""
    rng = np.random.default_rng(recipe["weights"] + 1)
    tensors = tuple(
        torch.from_numpy(draw(rng, tensor, recipe["rows"])) for tensor in recipe["inputs"].values()
    )
    return tensors if len(tensors) > 1 else tensors[0]
