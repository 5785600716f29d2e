"""Leaves the module in evaluation mode."""

EXPECTED = {"loses": ["module"], "rung": "contract: the module", "shows": "keeps-evaluating"}
BASE = "valid_torchscript"
EDITS = [
    ("    modes = {each: each.training for each in module.modules()}", ""),
    (
        """\
    finally:
        for each, mode in modes.items():
            each.training = mode""",
        "",
    ),
]
