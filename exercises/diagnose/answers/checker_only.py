"""Calls a model healthy that the checker accepts."""

EXPECTED = {
    "loses": ["files", "session", "shapes", "batch", "random", "numbers", "healthy", "tidy"],
    "rung": "loads",
    "shows": "session-unread",
}
BASE = "valid_plain"
EDITS = [
    (
        """    if refusal(shape_inference.infer_shapes, model, **STRICT):
        return by_shapes(model)
    if text := "".join(refusal(open_session, path, level) for level in LEVELS).lower():
        return by_session(text)
    return by_runs(path)""",
        '    return "healthy"',
    ),
]
