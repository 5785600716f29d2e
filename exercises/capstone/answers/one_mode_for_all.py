"""Calls eval() on the module itself, and gives every part the module's mode afterwards."""

EXPECTED = {"loses": ["module"], "rung": "contract: the module", "shows": "one-mode-for-all"}
BASE = "valid_by_hand"
EDITS = [
    (
        "        return copy.deepcopy(module).eval()(example).numpy()",
        """\
        was = module.training
        found = module.eval()(example).numpy()
        module.train(was)
        return found""",
    ),
]
