"""Leaves the module in evaluation mode."""

EXPECTED = {"score": 0.5, "rung": "contract", "message": "did not undo eval()", "shows": "keeps-evaluating"}
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
