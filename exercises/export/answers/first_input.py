"""Opens the axis of the first argument, and forgets that there may be several."""

EXPECTED = {"loses": ["whole-numbers", "one-row", "names"], "rung": "contract", "shows": "first-input"}
BASE = "valid_torchscript"
EDITS = [
    (
        'dynamic_axes={name: {0: "batch"} for name in [*names, "output"]},',
        'dynamic_axes={name: {0: "batch"} for name in [names[0], "output"]},',
    ),
]
