"""Leaves the names to the exporter."""

EXPECTED = {"loses": ["names"], "rung": "contract: the names", "shows": "own-names"}
BASE = "valid_script"
EDITS = [
    (
        'return exported(torch.jit.script(Choice(*traced)), (example,), input_names=["x"], output_names=["y"])',
        "return exported(torch.jit.script(Choice(*traced)), (example,))",
    ),
]
