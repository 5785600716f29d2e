"""Negative controls: the same model with one change, which a comparison must refuse.

A comparison that was never seen to fail proves nothing, because a check that always says yes looks
the same. So each stands beside a control, and the page shows both verdicts. `yardstick.Verdict`
says by how many units a control is off: 5 is hardly seen, 100 is plain.

For a PyTorch module `copy.deepcopy(module).half().float()` is what `rounded` is for a file.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from onnx import ModelProto, TensorProto, numpy_helper

from formatlab import graphs

__all__ = ["rounded", "shifted"]


def rounded(model: ModelProto) -> ModelProto:
    """A copy with every float32 weight rounded to float16, and stored as float32 again. A weight
    outside of float16's range keeps its value.

    Raises ValueError where float16 holds every weight exactly: then nothing would change.
    """
    copy = ModelProto.FromString(model.SerializeToString())
    changed = False
    for tensor in _weights(copy):
        values = numpy_helper.to_array(tensor)
        with np.errstate(over="ignore"):
            narrow = values.astype(np.float16).astype(np.float32)
        narrow = np.where(np.isfinite(narrow), narrow, values)
        changed |= not np.array_equal(narrow, values, equal_nan=True)
        tensor.CopyFrom(numpy_helper.from_array(narrow, tensor.name))
    if not changed:
        raise ValueError(
            "float16 holds every weight of this model exactly, so rounding them changes nothing: take `shifted`"
        )
    return copy


def shifted(model: ModelProto, initializer: str, by: float, index: int = 0) -> ModelProto:
    """A copy in which `by` is added to one number of an initializer, which `index` counts flat.

    Raises KeyError where there is no such float32 initializer.
    """
    copy = ModelProto.FromString(model.SerializeToString())
    named = {tensor.name: tensor for tensor in _weights(copy)}
    if initializer not in named:
        raise KeyError(
            f"no float32 initializer {initializer!r}; there are {', '.join(sorted(named))}"
        )
    tensor = named[initializer]
    values = numpy_helper.to_array(tensor).copy()
    values.reshape(-1)[index] += np.float32(by)
    tensor.CopyFrom(numpy_helper.from_array(values, initializer))
    return copy


def _weights(model: ModelProto) -> Iterator[TensorProto]:
    for tensor in graphs.tensors(model):
        if tensor.data_type == TensorProto.FLOAT:
            yield tensor
