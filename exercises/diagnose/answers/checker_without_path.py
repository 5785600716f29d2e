"""Gives the checker the model and not its path."""

EXPECTED = {"loses": ["healthy"], "rung": "loads", "shows": "checker-without-path"}
BASE = "valid_plain"
EDITS = [
    ("if text := refusal(checker.check_model, path):", "if text := refusal(checker.check_model, model):"),
]
