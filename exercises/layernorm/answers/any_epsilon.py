"""Does not ask whether epsilon is a constant."""

EXPECTED = {"score": 0.8, "rung": 'structure: left alone', "message": 'epsilon', "shows": 'epsilon-computed'}
BASE = "valid_ir"
EDITS = [
    (' if constant(e) is not None), None)', ' if writer(v, "ReduceMean")), None)'),
]
