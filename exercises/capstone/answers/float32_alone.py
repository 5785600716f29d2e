"""Exports the module, describes that file, and stops."""

EXPECTED = {
    "loses": ["fp16", "int8", "block", "weights", "hash-and-size", "entries", "sqnr", "choice", "impossible", "module"],
    "rung": "numerics: fp16.onnx",
    "shows": "no-int8",
}
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
