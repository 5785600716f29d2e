"""The modules that `mend_export` hands to students, as classes that are read and not imported: the
case brings the source of its own (`shared/judge/sources.py`).

A case gives a name to `given`, and to the inputs of `Scores` and `Sum`. The modules down to `Largest`
have a right file. Each of the others has none, for the reason that its docstring gives. A hidden kind
is drawn from several of them.
"""

import torch
from torch import nn


class Stored(nn.Module):
    """A module with a recipe's weights as buffers, and a number of its own."""

    def __init__(self, buffers, parts):
        super().__init__()
        for name, values in buffers.items():
            self.register_buffer(name, values)
        self.parts = parts
        self.eval()


class Head(Stored):
    def forward(self, given):
        return torch.tanh(given @ self.inner)


class Frames(Stored):
    def forward(self, given):
        if given.dim() != 3:
            raise ValueError("three axes")
        hidden = torch.tanh(given @ self.inner)
        return hidden - hidden.mean(dim=1, keepdim=True)


class Weighted(Stored):
    """Weighs its steps against one another."""

    def forward(self, given):
        hidden = torch.tanh(given @ self.inner)
        return hidden * torch.softmax(hidden, dim=1)


class Scores(Stored):
    def forward(self, query, key):
        return torch.tanh(query @ self.square) @ key.T


class Bag(Stored):
    """Embeddings of whole numbers, added up by weight. It is called with its keywords in another
    order than that of `forward`.
    """

    def forward(self, batch, scale, shift):
        words = self.table[batch["ids"]] * batch["weight"].unsqueeze(-1)
        return words.sum(dim=1) * scale + shift


class Past(Stored):
    """Reads the pairs of a list, which are tuples, and a dict of options."""

    def forward(self, states, past, options):
        for pair in past:
            if not isinstance(pair, tuple):
                raise TypeError("keys and values are no pair")
            key, value = pair
            share = torch.softmax((states.unsqueeze(1) * key).sum(dim=-1), dim=1)
            states = torch.tanh(states + (share.unsqueeze(-1) * value).sum(dim=1))
        return states * options["last"]["gain"][0]


class GatedPast(Stored):
    """The same, with a gate for each pair in place of shares."""

    def forward(self, states, past, options):
        for pair in past:
            if not isinstance(pair, tuple):
                raise TypeError("keys and values are no pair")
            key, value = pair
            gate = torch.sigmoid((states.unsqueeze(1) * key).sum(dim=-1))
            states = torch.tanh(states - (gate.unsqueeze(-1) * value).mean(dim=1))
        return states * options["last"]["gain"][0]


class Adjacent(Stored):
    """Goes two steps along the edges of a graph: as many rows as columns."""

    def forward(self, given):
        return torch.tanh(given @ given)


class Checked(Stored):
    """Has a position for so many steps and no more, and refuses too few."""

    def forward(self, given):
        if given.shape[1] < self.parts:
            raise ValueError(f"{given.shape[1]} steps are too few")
        return torch.tanh(given + self.table[: given.shape[1]])


class Seated(Stored):
    """Refuses too few rows, and has a position for so many steps and no more."""

    def forward(self, given):
        if given.shape[0] < self.parts:
            raise ValueError(f"{given.shape[0]} rows are too few")
        return torch.tanh(given - self.table[: given.shape[1]])


class Grouped(Stored):
    """Adds up groups of samples, which have to come out even."""

    def forward(self, given):
        groups = given.reshape(given.shape[0], -1, self.parts, given.shape[2])
        return torch.tanh(groups.sum(dim=2))


class Largest(Stored):
    """Takes the largest of each group."""

    def forward(self, given):
        if given.dim() != 3:
            raise ValueError("three axes")
        return given.reshape(given.shape[0], -1, self.parts, given.shape[2]).amax(dim=2)


class Positions(Stored):
    """Has a position for so many steps, and no more."""

    def forward(self, given):
        return torch.tanh(given + self.table[: given.shape[1]])


class Centred(Stored):
    """Turns the number of rows into a number of Python."""

    def forward(self, given):
        return given - given.sum(dim=0) / int(given.shape[0])


class Masked(Stored):
    """Has a mask for one number of steps."""

    def forward(self, given):
        scores = given @ given.transpose(1, 2) + self.mask
        return torch.softmax(scores, dim=-1) @ given


class Sum(Stored):
    """Needs as many rows of one input as of the other."""

    def forward(self, left, right):
        return torch.tanh(left) + right


class Short(Stored):
    """Does something else with few rows."""

    def forward(self, given):
        return torch.tanh(given) if given.shape[0] > self.parts else given - 1


class Long(Stored):
    """Does something else with many rows."""

    def forward(self, given):
        if given.shape[0] <= self.parts:
            return 2 * given
        return torch.tanh(given)


class Choice(Stored):
    """Chooses by a value."""

    def forward(self, given):
        return torch.tanh(given) if given.sum() > 0 else given - 1


class Turned(Stored):
    """Chooses by another value."""

    def forward(self, given):
        if given.mean() < 0:
            given = -2 * given
        return torch.tanh(given)
