"""Runs the module once before it is switched to evaluation, which moves BatchNorm's statistics."""

EXPECTED = {
    "loses": ["ordinary", "convolutions", "one-row", "no-valid-file", "module", "names", "opset", "folder", "rows"],
    "rung": "numerics",
    "shows": "warms-up",
}
BASE = "valid_torchscript"
EDITS = [
    (
        "    try:",
        """\
    try:
        module.train()(*(tensor.repeat(2, *[1] * (tensor.ndim - 1)) for tensor in arguments))""",
    ),
]
