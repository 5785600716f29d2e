"""Takes the elements from the end."""

EXPECTED = {"score": 0.55, "rung": "numerics", "message": "right for one step", "shows": "backwards"}
BASE = "valid_script"
EDITS = [
    ("state = self.step(state, sequence[i])", "state = self.step(state, sequence[sequence.size(0) - 1 - i])"),
]
