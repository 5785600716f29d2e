"""Restores the mode of the outermost module, for all submodules alike."""

EXPECTED = {"loses": ["module"], "rung": "contract: the module", "shows": "restores-outermost"}
BASE = "valid_torchscript"
EDITS = [
    ("modes = {each: each.training for each in module.modules()}", "training = module.training"),
    (
        """\
        for each, mode in modes.items():
            each.training = mode""",
        "        module.train(training)",
    ),
]
