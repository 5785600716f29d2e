"""Restores the modes at its end, which an exception never reaches."""

EXPECTED = {"score": 0.6875, "rung": "contract", "message": "a finally block", "shows": "restores-on-success"}
BASE = "valid_torchscript"
EDITS = [
    (
        """\
    finally:
        for each, mode in modes.items():
            each.training = mode""",
        """\
    for each, mode in modes.items():
        each.training = mode""",
    ),
]
