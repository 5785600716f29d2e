"""Static quantization of every operator, with ranges from two batches of random tokens."""

import tempfile

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, quantize_static

EXPECTED = {"loses": "everything", "rung": "structure: most", "shows": "static-qdq"}


def undescribed(model):
    """A copy whose value_info describes no initializer."""
    new = onnx.ModelProto()
    new.CopyFrom(model)
    stored = {tensor.name for tensor in new.graph.initializer}
    kept = [value for value in new.graph.value_info if value.name not in stored]
    del new.graph.value_info[:]
    new.graph.value_info.extend(kept)
    return new


class Batches(CalibrationDataReader):
    def __init__(self):
        rng = np.random.default_rng(0)
        self.feeds = iter([{"input_ids": rng.integers(1, 900, (4, 12)), "attention_mask": np.ones((4, 12), np.int64)} for _ in range(2)])

    def get_next(self):
        return next(self.feeds, None)


def quantize_bert(model):
    with tempfile.TemporaryDirectory() as folder:
        plain, path = f"{folder}/plain.onnx", f"{folder}/int8.onnx"
        onnx.save(undescribed(model), plain)
        quantize_static(plain, path, Batches(), per_channel=True)
        return onnx.load(path)
