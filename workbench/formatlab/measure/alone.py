"""Does what a model gives for a row depend on the rows beside it?

A float32 model computes each row for itself. Dynamic INT8 does not: DynamicQuantizeLinear takes one
scale from the whole tensor, so a row is rounded to the steps that the largest number of the whole
batch needs. A search that indexes in batches and asks alone then compares two different vectors.

Two things are run, and nothing is assumed about the operators:

1. *Other neighbours.* The same shapes, with copies of the row in place of its neighbours. Kernels
   then add in the same order, so a row that does not depend on the others gives the same bits.
2. *Alone.* The row in a batch of one, as a program asks for it: how far it moves is the size of the
   effect. Other kernels may run there, which moves the last bits of a float32 model too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import ModelProto

from formatlab import numerics
from formatlab.measure.kinds import agreement, cosine
from formatlab.numerics import Feeds, Outputs

# So many rows are compared.
ROWS = 4


@dataclass(frozen=True, kw_only=True)
class Alone:
    """`together`: the outputs of the first rows of the batch that have a row for each of its rows, in
    the order of the outputs; `alone`: the same rows, each in a batch of one. `is_moved`: a row gave
    other bits when only the rows beside it were others. `places`: which outputs these are.
    """

    together: list[np.ndarray]
    alone: list[np.ndarray]
    is_moved: bool
    places: list[int]

    @property
    def rows(self) -> int:
        return len(self.together[0])

    @property
    def sqnr_db(self) -> float:
        """The lowest SQNR of a row alone against the same row in its batch."""
        return min(
            agreement([one], [other])
            for each, apart in zip(self.together, self.alone, strict=True)
            for one, other in zip(each, apart, strict=True)
        )

    @property
    def cosine(self) -> float:
        """The lowest cosine of a row alone and the same row in its batch, each output as one vector."""
        return min(
            cosine(one.reshape(-1), other.reshape(-1))
            for each, apart in zip(self.together, self.alone, strict=True)
            for one, other in zip(each, apart, strict=True)
        )


def batched_inputs(model: ModelProto) -> list[str]:
    """Return the inputs that have an open batch axis: an open first dimension, of the name that most
    of them have.
    """
    stored = {tensor.name for tensor in model.graph.initializer}
    named = {}
    for value in model.graph.input:
        dims = value.type.tensor_type.shape.dim
        if value.name not in stored and len(dims) and not numerics.is_fixed(dims[0]):
            named[value.name] = dims[0].dim_param
    if not named:
        return []
    [(batch, _)] = Counter(named.values()).most_common(1)
    return [name for name, dim in named.items() if dim in ("", batch)]


def rows_alone(
    run: Callable[[Feeds], Outputs], feeds: Feeds, batched: Sequence[str], rows: int = ROWS
) -> Alone | None:
    """Run a batch, and its first rows without their neighbours. `run` computes the outputs for one
    feeds; `batched` are the inputs with a row for each item, two rows at least. None where no
    output has a row for each, or where two runs of the same batch differ anyway.

    Raises ValueError for a batch of one, and what `run` raises.
    """
    sizes = {len(feeds[name]) for name in batched}
    if len(sizes) != 1 or min(sizes) < 2:
        raise ValueError(
            f"to see whether rows depend on one another takes inputs of two rows or more; these have {sorted(sizes)}"
        )
    [size] = sizes
    whole = run(feeds)
    places = [
        place
        for place, value in enumerate(whole)
        if isinstance(value, np.ndarray) and value.ndim and len(value) == size
    ]
    taken = range(min(rows, size))
    single = [run(_only(feeds, batched, [row])) for row in taken]
    places = [place for place in places if all(len(each[place]) == 1 for each in single)]
    again = run(feeds)
    if not places or not all(_are_equal(whole[place], again[place]) for place in places):
        return None
    copies = [run(_only(feeds, batched, [row] * size)) for row in taken]
    return Alone(
        together=[whole[place][: len(taken)] for place in places],
        alone=[np.concatenate([each[place] for each in single]) for place in places],
        is_moved=any(
            not _are_equal(whole[place][row], copies[row][place][row])
            for place in places
            for row in taken
        ),
        places=places,
    )


def _only(feeds: Feeds, batched: Sequence[str], rows: Sequence[int]) -> Feeds:
    return {name: value[rows] if name in batched else value for name, value in feeds.items()}


def _are_equal(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
