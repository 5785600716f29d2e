"""Notes the first argument of each part, and no other."""

EXPECTED = {"score": 0.5, "rung": "type", "message": "TypeError", "shows": "raises-type-error"}
BASE = "valid_trace_first"
EDITS = [("inputs.setdefault(part, given)", "inputs.setdefault(part, given[:1])")]
