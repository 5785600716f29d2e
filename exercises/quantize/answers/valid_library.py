"""Lets ONNX Runtime round and saturate."""

import numpy as np
import onnxruntime as ort
from onnx import parser

from formatlab.models import make_model

EXPECTED = {"rung": None}


def quantize(x, symmetric):
    finite = x[np.isfinite(x)]
    low, high = min(0, float(finite.min())), max(0, float(finite.max()))
    width = max(high, -low) / 127 if symmetric else (high - low) / 255
    scale = np.float32(width or 1)
    zero = np.int8(0) if symmetric else np.uint8(np.rint(-low / scale))
    text = f"g (float[N] x, float s, {zero.dtype} z) => ({zero.dtype}[N] y) {{ y = QuantizeLinear(x, s, z) }}"
    model = make_model(parser.parse_graph(text)).SerializeToString()
    session = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
    [codes] = session.run(None, {"x": x.ravel(), "s": np.asarray(scale), "z": np.asarray(zero)})
    codes = codes.reshape(x.shape)
    return np.maximum(codes, -127) if symmetric else codes, scale, zero
