"""A model with weights of its own, so that no stored answer fits it."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, numpy_helper

from formatlab.models import to_bytes

# The smallest subnormal float16.
SMALLEST = 2.0**-24


def perturbed(data: bytes, seed: int) -> bytes:
    """The model with every float initializer of more than one element scaled and shifted at random.

    Numbers that a float16 cannot tell from 0 become 0: a few of many thousand would be among them
    for some seeds.
    """
    model = ModelProto.FromString(data)
    rng = np.random.default_rng(seed)
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.size > 1:
            spread = np.float32(0.2) * np.float32(np.abs(values).mean())
            noise = rng.random((2, *values.shape), dtype=np.float32) - np.float32(0.5)
            new = values * (1 + np.float32(0.4) * noise[0]) + spread * noise[1]
            new[np.abs(new) < SMALLEST] = 0
            tensor.CopyFrom(numpy_helper.from_array(new, tensor.name))
    return to_bytes(model)
