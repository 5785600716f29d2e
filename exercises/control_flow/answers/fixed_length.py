"""Leaves the sequence's axis as the example has it."""

EXPECTED = {"loses": ["loop", "loop-whole-numbers", "names"], "rung": "contract", "shows": "fixed-length"}
BASE = "valid_script"
EDITS = [
    (
        'return exported(scripted, (initial, sequence), dynamic_axes={"sequence": {0: "steps"}}, **names)',
        "return exported(scripted, (initial, sequence), **names)",
    ),
]
