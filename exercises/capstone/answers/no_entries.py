"""Exports the module, and stops: the passport describes no file."""

EXPECTED = {"score": 0.375, "rung": "structure", "message": "and no entry in the passport", "shows": "no-int8"}
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
    ('MODELS = ["fp32.onnx", "fp16.onnx", "int8.onnx"]', "MODELS = []"),
    ('"artefacts": [*entries, weights]', '"artefacts": []'),
]
