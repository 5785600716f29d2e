"""Does not ask whether epsilon is a constant."""

EXPECTED = {"score": 0.8, "rung": 'structure: left alone', "message": 'epsilon', "shows": 'epsilon-computed'}
BASE = "valid_ir"
EDITS = [
    (' if is_number(e, sub.inputs[0])), None)', ' if writer(v, "ReduceMean")), None)'),
]
