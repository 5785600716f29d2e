"""Rounds the weights to 8 bits, and stores them as float32."""

EXPECTED = {"loses": ["int8", "block"], "rung": "numerics: int8.onnx", "shows": "simulated"}
BASE = "valid_static"
EDITS = [
    (
        """\
    types = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
    quantize_static(source, path, Rows(example.numpy()), per_channel=True, **types)""",
        """\
    model = onnx.load(source)
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.ndim > 1:
            scale = np.abs(values).max() / 127
            rounded = (np.round(values / scale) * scale).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(rounded, tensor.name))
    onnx.save(model, path)""",
    ),
]
