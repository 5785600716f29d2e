"""Does not ask whether epsilon is a constant."""

EXPECTED = {"loses": ["relatives"], "rung": "structure", "shows": "epsilon-computed"}
BASE = "valid_ir"
EDITS = [
    (' if is_number(e, sub.inputs[0])), None)', ' if writer(v, "ReduceMean")), None)'),
]
