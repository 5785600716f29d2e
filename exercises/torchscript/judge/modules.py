"""The modules that the exercise `torchscript` hands to students, as classes that are read and not
imported: the case brings the source of its own (`shared/judge/sources.py`).

Each class has one difficulty, and a hidden kind is drawn from several of them. `Refused` stands for
one that the compiler refuses. The compiler reads this source, so the file keeps to what it can
resolve: no annotations.
"""

import numpy as np
import torch
from torch import nn


class Plain(nn.Module):
    """Layers that behave differently in training."""

    def __init__(self, recipe):
        super().__init__()
        self.first = nn.Linear(recipe["width"], recipe["hidden"])
        self.norm = nn.BatchNorm1d(recipe["hidden"])
        self.act = activation(recipe)
        self.drop = nn.Dropout(0.5)
        self.last = nn.Linear(recipe["hidden"], recipe["out"])

    def forward(self, x):
        return self.last(self.drop(self.act(self.norm(self.first(x)))))


class NormLast(nn.Module):
    """The same layers in another order."""

    def __init__(self, recipe):
        super().__init__()
        self.first = nn.Linear(recipe["width"], recipe["hidden"])
        self.act = activation(recipe)
        self.drop = nn.Dropout(0.5)
        self.norm = nn.BatchNorm1d(recipe["hidden"])
        self.last = nn.Linear(recipe["hidden"], recipe["out"])

    def forward(self, x):
        return self.last(self.norm(self.drop(self.act(self.first(x)))))


class OneLayer(nn.Module):
    """What several of them begin with."""

    def __init__(self, recipe):
        super().__init__()
        self.layer = nn.Linear(recipe["width"], recipe["out"])
        self.act = activation(recipe)


class Choice(nn.Module):
    """One of two layers, by a value of the input."""

    def __init__(self, recipe):
        super().__init__()
        self.threshold = recipe["threshold"]
        self.left = nn.Linear(recipe["width"], recipe["out"])
        self.right = nn.Linear(recipe["width"], recipe["out"])
        self.act = activation(recipe)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        if x.mean() > self.threshold:
            return self.drop(self.act(self.left(x)))
        return self.right(x)


class Halving(OneLayer):
    """As many steps as the values ask for."""

    def __init__(self, recipe):
        super().__init__(recipe)
        self.limit = recipe["limit"]

    def forward(self, x):
        steps = 0
        while x.abs().max() > self.limit:
            x = x * 0.5
            steps += 1
        return self.act(self.layer(x)) * (1 + steps)


class Shrinking(OneLayer):
    """The same, with what is counted taken off."""

    def __init__(self, recipe):
        super().__init__(recipe)
        self.limit = recipe["limit"]

    def forward(self, x):
        count = 1
        while x.abs().max() > self.limit:
            count += 1
            x = x / 2
        return self.layer(self.act(x)) - count


class Recurrence(nn.Module):
    """As many steps as the input has rows."""

    def __init__(self, recipe):
        super().__init__()
        self.inner = nn.Linear(recipe["width"], recipe["out"])
        self.outer = nn.Linear(recipe["out"], recipe["out"])

    def forward(self, x):
        state = torch.zeros_like(self.inner(x[0]))
        for i in range(x.size(0)):
            state = torch.tanh(self.inner(x[i]) + self.outer(state))
        return state


class Backwards(nn.Module):
    """The same from the last row to the first."""

    def __init__(self, recipe):
        super().__init__()
        self.inner = nn.Linear(recipe["width"], recipe["out"])
        self.outer = nn.Linear(recipe["out"], recipe["out"])

    def forward(self, x):
        state = torch.zeros_like(self.inner(x[0]))
        for i in range(x.size(0)):
            state = torch.tanh(self.outer(state) - self.inner(x[-1 - i]))
        return state


class SmallBatch(nn.Module):
    """One of two layers, by the number of rows."""

    def __init__(self, recipe):
        super().__init__()
        self.rows = recipe["rows"]
        self.few = nn.Linear(recipe["width"], recipe["out"])
        self.many = nn.Linear(recipe["width"], recipe["out"])
        self.act = activation(recipe)

    def forward(self, x):
        if x.size(0) > self.rows:
            return self.many(x)
        return self.act(self.few(x))


class LargeBatch(nn.Module):
    """The same, asked the other way round."""

    def __init__(self, recipe):
        super().__init__()
        self.rows = recipe["rows"]
        self.many = nn.Linear(recipe["width"], recipe["out"])
        self.few = nn.Linear(recipe["width"], recipe["out"])
        self.act = activation(recipe)

    def forward(self, x):
        if x.shape[0] <= self.rows:
            return self.few(x)
        return self.act(self.many(x))


class ByName(nn.Module):
    """Python that the compiler refuses: an attribute by its name."""

    def __init__(self, recipe):
        super().__init__()
        self.layer = nn.Linear(recipe["width"], recipe["out"])
        self.function = recipe["function"]

    def forward(self, x):
        return getattr(torch, self.function)(self.layer(x))


class Keywords(nn.Module):
    """Python that the compiler refuses: arguments from a dictionary."""

    def __init__(self, recipe):
        super().__init__()
        self.layer = nn.Linear(recipe["width"], recipe["out"])
        self.options = {"dim": -1}

    def forward(self, x):
        return torch.softmax(self.layer(x), **self.options)


class Anonymous(nn.Module):
    """Python that the compiler refuses: a lambda."""

    def __init__(self, recipe):
        super().__init__()
        self.layer = nn.Linear(recipe["width"], recipe["out"])
        self.gain = recipe["gain"]

    def forward(self, x):
        scaled = lambda y: self.gain * torch.tanh(y)  # noqa: E731
        return scaled(self.layer(x))


class Scaled(OneLayer):
    """Python that the compiler refuses: a number from NumPy."""

    def __init__(self, recipe):
        super().__init__(recipe)
        self.width = recipe["width"]

    def forward(self, x):
        return self.act(self.layer(x)) * float(np.sqrt(self.width))


class TwoFaced(OneLayer):
    """Accepted by the compiler, and then another function: a detector that returns its training
    losses too when it is scripted.
    """

    def forward(self, x):
        scores = self.act(self.layer(x))
        if torch.jit.is_scripting():
            return scores.mean(dim=0), scores
        return scores


class Exported(OneLayer):
    """The same, asked the other way round."""

    def forward(self, x):
        scores = self.layer(self.act(x))
        if not torch.jit.is_scripting():
            return scores
        return scores, scores.sum(dim=1)


class Unused(nn.Module):
    """Accepted by the compiler, and then an exception: a method that its author took out of
    TorchScript.
    """

    def __init__(self, recipe):
        super().__init__()
        self.layer = nn.Linear(recipe["width"], recipe["out"])
        self.gain = recipe["gain"]

    @torch.jit.unused
    def calibrate(self, scores):
        return scores * self.gain

    def forward(self, x):
        return self.calibrate(self.layer(x))


class Excluded(OneLayer):
    """The same before another layer."""

    def __init__(self, recipe):
        super().__init__(recipe)
        self.gain = recipe["gain"]

    @torch.jit.unused
    def centre(self, x):
        return self.gain * (x - x.mean())

    def forward(self, x):
        return self.act(self.layer(self.centre(x)))


Refused = ByName


class Router(nn.Module):
    """A choice around a part that the compiler refuses."""

    def __init__(self, recipe):
        super().__init__()
        self.threshold = recipe["threshold"]
        self.features = Refused({**recipe, "out": recipe["hidden"]})
        self.left = nn.Linear(recipe["hidden"], recipe["out"])
        self.right = nn.Linear(recipe["hidden"], recipe["out"])

    def forward(self, x):
        features = self.features(x)
        if x.mean() > self.threshold:
            return self.left(features)
        return torch.tanh(self.right(features))


class Gate(nn.Module):
    """The same, with the part behind one of the two."""

    def __init__(self, recipe):
        super().__init__()
        self.threshold = recipe["threshold"]
        self.left = nn.Linear(recipe["width"], recipe["out"])
        self.features = Refused({**recipe, "out": recipe["hidden"]})
        self.right = nn.Linear(recipe["hidden"], recipe["out"])

    def forward(self, x):
        features = self.right(self.features(x))
        if self.threshold > x.mean():
            return features
        return torch.tanh(self.left(x)) - features


class Report(nn.Module):
    """A part that chooses, inside Python that the compiler refuses."""

    def __init__(self, recipe):
        super().__init__()
        self.choice = Choice(recipe)
        self.skip = nn.Linear(recipe["width"], recipe["out"])
        self.options = {"dim": -1}

    def forward(self, x):
        return torch.softmax(self.choice(x), **self.options) + self.skip(x)


class LogReport(nn.Module):
    """The same in logarithms."""

    def __init__(self, recipe):
        super().__init__()
        self.skip = nn.Linear(recipe["width"], recipe["out"])
        self.choice = Choice(recipe)
        self.options = {"dim": -1}

    def forward(self, x):
        return self.skip(x) - torch.log_softmax(self.choice(x), **self.options)


class Chain(nn.Sequential):
    """Both kinds one after the other."""

    def __init__(self, recipe):
        super().__init__(
            Choice({**recipe, "out": recipe["hidden"]}),
            Refused({**recipe, "width": recipe["hidden"]}),
        )


class Pooling(nn.Module):
    """Two inputs, two outputs, and a length for each row."""

    def __init__(self, recipe):
        super().__init__()
        self.table = nn.Embedding(recipe["tokens"], recipe["width"])
        self.layer = nn.Linear(recipe["width"], recipe["out"])
        self.drop = nn.Dropout(0.5)

    def forward(self, tokens, lengths):
        rows = []
        for i in range(tokens.size(0)):
            rows.append(self.table(tokens[i, : int(lengths[i])]).mean(dim=0))
        pooled = torch.stack(rows)
        return self.drop(self.layer(pooled)), pooled.abs().sum(dim=1)


class Sums(nn.Module):
    """The same with sums."""

    def __init__(self, recipe):
        super().__init__()
        self.table = nn.Embedding(recipe["tokens"], recipe["width"])
        self.drop = nn.Dropout(0.5)
        self.layer = nn.Linear(recipe["width"], recipe["out"])

    def forward(self, tokens, lengths):
        rows = []
        for i in range(tokens.size(0)):
            rows.append(self.table(tokens[i, : int(lengths[i])]).sum(dim=0))
        pooled = torch.stack(rows)
        return self.layer(self.drop(pooled)), pooled.mean(dim=1)


ACTIVATIONS = {"tanh": nn.Tanh, "sigmoid": nn.Sigmoid, "softplus": nn.Softplus, "gelu": nn.GELU}


def activation(recipe):
    return ACTIVATIONS[recipe["activation"]]()
