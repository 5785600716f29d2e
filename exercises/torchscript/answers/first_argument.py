"""Notes the first argument of each part, and no other."""

EXPECTED = {"loses": ["steps"], "rung": "type", "shows": "raises-type-error"}
BASE = "valid_trace_first"
EDITS = [("inputs.setdefault(part, given)", "inputs.setdefault(part, given[:1])")]
