"""Gives the checker the model and not its path."""

EXPECTED = {"score": 0.91, "rung": "loads", "message": "Give the checker and the session", "shows": "checker-without-path"}
BASE = "valid_plain"
EDITS = [
    ("if text := refusal(checker.check_model, path):", "if text := refusal(checker.check_model, model):"),
]
