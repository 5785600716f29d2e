"""The modules that the exercise `export` hands to students, as classes that are read and not imported:
the case brings the source of its own (`shared/judge/sources.py`).

Every module keeps the first axis of its inputs as the first axis of its output, by code that both
exporters follow: it asks for `size(0)` where it needs the number of rows. What a module holds is
drawn from the recipe's seed, statistics of normalizations too. A case gives other names to the
inputs of a hidden module.
"""

import torch
from torch import nn


class Perceptron(nn.Module):
    def __init__(self, recipe):
        super().__init__()
        [width] = shape_of(recipe)
        self.hidden = nn.Linear(width, recipe["hidden"])
        self.norm = nn.BatchNorm1d(recipe["hidden"])
        self.drop = nn.Dropout(0.4)
        self.out = nn.Linear(recipe["hidden"], 2 * recipe["outputs"])
        self.activation = activation(recipe)

    def forward(self, features):
        x = self.drop(self.activation(self.norm(self.hidden(features))))
        return self.out(x).view(features.size(0), 2, -1)


class Convolutions(nn.Module):
    """Ends in a global average, which the default exporter writes with an operator that its
    converter cannot bring down to opset 17.
    """

    def __init__(self, recipe):
        super().__init__()
        channels = shape_of(recipe)[0]
        self.first = nn.Conv2d(channels, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.second = nn.Conv2d(4, recipe["hidden"], 3, bias=False)
        self.last_norm = nn.BatchNorm2d(recipe["hidden"])
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(recipe["hidden"], recipe["outputs"])
        self.activation = activation(recipe)

    def forward(self, image):
        x = self.activation(self.norm(self.first(image)))
        x = self.pool(self.activation(self.last_norm(self.second(x))))
        return self.out(self.drop(x.view(image.size(0), -1)))


class Pair(nn.Module):
    """Two inputs of one shape, that cannot change places, and a state that begins with zeros for
    each row.
    """

    def __init__(self, recipe):
        super().__init__()
        [width] = shape_of(recipe)
        self.left = nn.Linear(width, recipe["hidden"])
        self.right = nn.Linear(width, recipe["hidden"], bias=False)
        self.norm = nn.BatchNorm1d(recipe["hidden"])
        self.drop = nn.Dropout(0.5)
        self.out = nn.Linear(recipe["hidden"] + 3, recipe["outputs"])
        self.activation = activation(recipe)

    def forward(self, query, key):
        x = self.norm(self.activation(self.left(query)) * self.right(key))
        start = torch.zeros(query.size(0), 3)
        return self.out(torch.cat([start, self.drop(x)], dim=1))


class Tokens(nn.Module):
    """Embeddings of whole numbers, added up by importance."""

    def __init__(self, recipe):
        super().__init__()
        self.embedding = nn.Embedding(below_of(recipe), recipe["hidden"])
        self.drop = nn.Dropout(0.2)
        self.norm = nn.LayerNorm(recipe["hidden"])
        self.out = nn.Linear(recipe["hidden"], recipe["outputs"])
        self.activation = activation(recipe)

    def forward(self, tokens, importance):
        words = self.drop(self.embedding(tokens))
        x = (words * importance.unsqueeze(-1)).sum(dim=1)
        return self.out(self.activation(self.norm(x)).reshape(tokens.size(0), -1))


class Encoder(nn.Module):
    """A layer of torch's own: with one row in the example, the default exporter fixes its rows."""

    def __init__(self, recipe):
        super().__init__()
        size = shape_of(recipe)[-1]
        self.layer = nn.TransformerEncoderLayer(size, 2, recipe["hidden"], batch_first=True)
        self.out = nn.Linear(size, recipe["outputs"])
        self.activation = activation(recipe)

    def forward(self, states):
        return self.out(self.activation(self.layer(states)))


class Frozen(nn.Module):
    """A trunk whose statistics are fixed stays in evaluation mode while the head is trained."""

    def __init__(self, recipe):
        super().__init__()
        [width] = shape_of(recipe)
        self.trunk = nn.Sequential(
            nn.Linear(width, recipe["hidden"]), nn.BatchNorm1d(recipe["hidden"]), nn.Dropout(0.5)
        )
        self.head = nn.Sequential(
            nn.Dropout(0.5), nn.Linear(recipe["hidden"], 2 * recipe["outputs"])
        )
        self.activation = activation(recipe)

    def forward(self, signal):
        return self.head(self.activation(self.trunk(signal))).view(signal.size(0), -1, 2)


class Attention(nn.Module):
    """Names the operator Attention, which ONNX has from opset 23 on. Both exporters write it into a
    file of any opset.
    """

    def __init__(self, recipe):
        super().__init__()
        size = shape_of(recipe)[-1]
        self.inner = nn.Linear(size, size)
        self.drop = nn.Dropout(0.1)

    def forward(self, states):
        x = self.inner(states)
        return self.drop(torch.onnx.ops.attention(x, x, states)[0])


class Rotary(nn.Module):
    """Names the operator RotaryEmbedding, which ONNX has from opset 23 on."""

    def __init__(self, recipe):
        super().__init__()
        _, self.length, size = shape_of(recipe)
        self.inner = nn.Linear(size, size)
        angles = torch.outer(torch.arange(self.length), 0.1 ** torch.arange(size // 2)).float()
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, states):
        positions = torch.arange(self.length).expand(states.size(0), -1)
        return torch.onnx.ops.rotary_embedding(self.inner(states), self.cos, self.sin, positions)


class SpeltAttention(nn.Module):
    """Attention, spelt out in operators that opset 18 has."""

    def __init__(self, recipe):
        super().__init__()
        size = shape_of(recipe)[-1]
        self.inner = nn.Linear(size, size)
        self.drop = nn.Dropout(0.1)

    def forward(self, states):
        x = self.inner(states)
        weights = torch.softmax(x @ x.transpose(2, 3) * x.shape[-1] ** -0.5, dim=-1)
        return self.drop(weights @ states)


class SpeltRotary(nn.Module):
    """A rotary embedding, spelt out in operators that opset 18 has."""

    def __init__(self, recipe):
        super().__init__()
        _, length, size = shape_of(recipe)
        self.inner = nn.Linear(size, size)
        angles = torch.outer(torch.arange(length), 0.1 ** torch.arange(size // 2)).float()
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, states):
        x = self.inner(states)
        first, second = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
        turned = [first * self.cos - second * self.sin, first * self.sin + second * self.cos]
        return torch.cat(turned, dim=-1)


def shape_of(recipe):
    """Of the first input, without its rows."""
    return next(iter(recipe["inputs"].values()))["shape"]


def below_of(recipe):
    """The number that the first input stays below."""
    return next(iter(recipe["inputs"].values()))["below"]


def activation(recipe):
    return getattr(torch, recipe["activation"])
