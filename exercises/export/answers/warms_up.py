"""Runs the module once before it is switched to evaluation, which moves BatchNorm's statistics."""

EXPECTED = {"score": 0.5, "rung": "contract", "message": "running statistics", "shows": "warms-up"}
BASE = "valid_torchscript"
EDITS = [
    (
        "    try:",
        """\
    try:
        module.train()(*(tensor.repeat(2, *[1] * (tensor.ndim - 1)) for tensor in arguments))""",
    ),
]
