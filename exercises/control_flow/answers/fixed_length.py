"""Leaves the sequence's axis as the example has it."""

EXPECTED = {"score": 0.45, "rung": "contract", "message": "keeps the sizes of its example", "shows": "fixed-length"}
BASE = "valid_script"
EDITS = [
    (
        'return exported(scripted, (initial, sequence), dynamic_axes={"sequence": {0: "steps"}}, **names)',
        "return exported(scripted, (initial, sequence), **names)",
    ),
]
