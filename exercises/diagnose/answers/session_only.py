"""Calls a model healthy that a session opens, and looks at the checker only for the others."""

EXPECTED = {
    "loses": ["session", "operators-and-names", "order", "shapes", "batch", "random", "numbers", "healthy", "tidy"],
    "rung": "loads",
    "shows": "checker-unread",
}
BASE = "valid_plain"
EDITS = [
    (
        """\
    model = onnx.load(path, load_external_data=False)
""",
        """\
    model = onnx.load(path, load_external_data=False)
    if not refusal(open_session, path, LEVELS[1]):
        return "healthy"
""",
    ),
]
