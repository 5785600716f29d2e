"""Forgets the output's name."""

EXPECTED = {"score": 0.5, "rung": "contract", "message": "the name of the operation", "shows": "output-name"}
BASE = "valid_torchscript"
EDITS = [
    (
        """\
                output_names=["output"],
                dynamic_axes={name: {0: "batch"} for name in [*names, "output"]},""",
        '                dynamic_axes={name: {0: "batch"} for name in names},',
    ),
]
