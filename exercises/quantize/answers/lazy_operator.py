"""ONNX's DynamicQuantizeLinear, in one node."""

import onnxruntime as ort
from onnx import parser

from formatlab.models import make_model

TEXT = "g (float[N] x) => (uint8[N] codes, float s, uint8 z) { codes, s, z = DynamicQuantizeLinear(x) }"
EXPECTED = {"loses": "everything", "rung": "structure", "shows": "infinite-range", "lazy": "library"}


def quantize(x, symmetric):
    model = make_model(parser.parse_graph(TEXT)).SerializeToString()
    session = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
    codes, scale, zero = session.run(None, {"x": x.ravel()})
    return codes.reshape(x.shape), scale, zero
