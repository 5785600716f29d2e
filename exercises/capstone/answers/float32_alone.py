"""Exports the module, describes that file, and stops."""

EXPECTED = {"score": 0.4, "rung": "structure", "message": "no such file", "shows": "no-int8"}
BASE = "valid_static"
EDITS = [
    (
        """\
    to_half(directory / "fp32.onnx", directory / "fp16.onnx")
    quantize(directory / "fp32.onnx", directory / "int8.onnx", example)
    save_weights(module, directory / "weights.safetensors")
""",
        "",
    ),
    ('    weights = entry_of_weights(directory / "weights.safetensors")\n', ""),
    ('MODELS = ["fp32.onnx", "fp16.onnx", "int8.onnx"]', 'MODELS = ["fp32.onnx"]'),
    ('"artefacts": [*entries, weights]', '"artefacts": entries'),
]
