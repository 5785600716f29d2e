"""Takes the elements from the end."""

EXPECTED = {"loses": ["loop", "loop-whole-numbers", "names"], "rung": "numerics", "shows": "backwards"}
BASE = "valid_script"
EDITS = [
    ("state = self.step(state, sequence[i])", "state = self.step(state, sequence[sequence.size(0) - 1 - i])"),
]
