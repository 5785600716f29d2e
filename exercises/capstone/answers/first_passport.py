"""Gives the passport of the first module to all others."""

EXPECTED = {
    "loses": ["hash-and-size", "entries", "sqnr", "choice", "impossible"],
    "rung": "quality: hash and size",
    "shows": "first-passport",
}
BASE = "valid_static"
EDITS = [
    (
        'MODELS = ["fp32.onnx", "fp16.onnx", "int8.onnx"]',
        """\
PASSPORT = {}
MODELS = ["fp32.onnx", "fp16.onnx", "int8.onnx"]""",
    ),
    (
        '    return {"artefacts": [*entries, weights], "budget": budget, "chosen": chosen, "met": chosen is not None}',
        """\
    if not PASSPORT:
        PASSPORT.update({"artefacts": [*entries, weights], "budget": budget, "chosen": chosen, "met": chosen is not None})
    return PASSPORT""",
    ),
]
