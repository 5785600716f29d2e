"""Forgets the output's name."""

EXPECTED = {"loses": ["names"], "rung": "contract: the names", "shows": "output-name"}
BASE = "valid_torchscript"
EDITS = [
    (
        """\
                output_names=["output"],
                dynamic_axes={name: {0: "batch"} for name in [*names, "output"]},""",
        '                dynamic_axes={name: {0: "batch"} for name in names},',
    ),
]
