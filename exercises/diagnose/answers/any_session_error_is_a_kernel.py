"""Takes everything that a session says for a missing kernel."""

EXPECTED = {"loses": ["files", "session"], "rung": "loads", "shows": "session-unread"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    if "external" in text:
        return "external-data"
    return "bad-versions" if "ir version" in text or "opset" in text else "no-kernel"
""",
        """\
    return "no-kernel"
""",
    ),
]
