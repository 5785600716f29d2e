"""Lists every value that is not finite."""

EXPECTED = {"score": 0.75, "rung": "search", "message": "also values behind an overflow", "shows": "lists-downstream"}
BASE = "valid_lifted"
EDITS = [
    (
        'if node.op_type != "Constant" and all(np.isfinite(values[name]).all() for name in node.input if name):',
        'if node.op_type != "Constant":',
    ),
]
