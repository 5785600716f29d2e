"""Restores the modes at its end, which an exception never reaches."""

EXPECTED = {"loses": ["module"], "rung": "contract: the module", "shows": "restores-on-success"}
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
