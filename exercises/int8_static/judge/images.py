"""What the CNNs of `int8_static` see: batches of images for calibration, and fresh ones of the same
distribution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from safetensors.numpy import save

from formatlab import loading
from formatlab.numerics import Feeds
from formatlab_exercises.int8_static.ask import MODEL
from nbjudge.contract import Case

BATCH = 32
# Fresh images: enough of them for a steady figure, and a batch of another size.
FRESH = (96, 5)

Ranges = Mapping[str, Sequence[float]]


def calibration(
    shapes: Mapping[str, Sequence[int]], ranges: Ranges, unit: float, seed: int, batches: int
) -> list[Feeds]:
    """`batches` feeds of `BATCH` images each, times `unit`. Where `ranges` names no input the images
    are digits.
    """
    rng = np.random.default_rng([seed, 1])
    values = {
        name: _draw(shape, ranges.get(name), rng, BATCH * batches, test=False) * np.float32(unit)
        for name, shape in shapes.items()
    }
    return [
        {name: value[start : start + BATCH] for name, value in values.items()}
        for start in range(0, BATCH * batches, BATCH)
    ]


def fresh(case: Case) -> list[Feeds]:
    """The images on which the answer to a case is judged. They are drawn where its seed is known."""
    rng = np.random.default_rng([case.seed, 2])
    shapes = shapes_of(case.files[MODEL])
    return [
        {
            name: _draw(shape, case.parameters["ranges"].get(name), rng, count, test=True)
            * np.float32(case.parameters["unit"])
            for name, shape in shapes.items()
        }
        for count in FRESH
    ]


def shapes_of(data: bytes) -> dict[str, list[int]]:
    """The shape of one image for each input of a model."""
    return {
        value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim[1:]]
        for value in loading.parse(data).graph.input
    }


def packed(feeds: Sequence[Feeds]) -> bytes:
    return save(
        {
            f"{number:02}/{name}": np.ascontiguousarray(value)
            for number, values in enumerate(feeds)
            for name, value in values.items()
        }
    )


def _draw(
    shape: Sequence[int],
    limits: Sequence[float] | None,
    rng: np.random.Generator,
    count: int,
    test: bool,
) -> np.ndarray:
    """`count` images: digits, or dark and bright ones between two limits, none of which uses the
    range evenly.
    """
    if limits is None:
        from formatlab.models.digits import load as load_digits

        digits = load_digits()
        images = digits.test_images if test else digits.train_images
        return images[rng.choice(len(images), count, replace=False)]
    low, high = limits
    # In the order of a folder in which the dark ones come first.
    exposure = np.sort(rng.uniform(0.1, 1, count)) ** 2
    pixels = rng.beta(1.2, 2, (count, *shape)) * exposure.reshape(-1, 1, 1, 1)
    pixels[:, :, 0, 0] = exposure.reshape(-1, 1)  # every image has a pixel as bright as it gets
    return (low + (high - low) * pixels).astype(np.float32)
