"""A model with weights of its own, so that no stored answer fits it."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, numpy_helper

from workbench.models import to_bytes


def perturbed(data: bytes, seed: int) -> bytes:
    """The model with every float initializer of more than one element scaled and shifted at random."""
    model = ModelProto.FromString(data)
    rng = np.random.default_rng(seed)
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.size > 1:
            spread = np.float32(0.2) * np.float32(np.abs(values).mean())
            noise = rng.random((2, *values.shape), dtype=np.float32) - np.float32(0.5)
            tensor.CopyFrom(
                numpy_helper.from_array(
                    values * (1 + np.float32(0.4) * noise[0]) + spread * noise[1], tensor.name
                )
            )
    return to_bytes(model)
