"""Lists every value that is not finite."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "lists-downstream"}
BASE = "valid_plain"
EDITS = [
    (
        'if node.op_type != "Constant" and all(np.isfinite(values[name]).all() for name in node.input if name):',
        'if node.op_type != "Constant":',
    ),
]
