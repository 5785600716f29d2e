"""Begins each step with the initial state."""

EXPECTED = {"score": 0.55, "rung": "numerics", "message": "wrong for more", "shows": "backwards"}
BASE = "valid_script"
EDITS = [
    (
        "    def forward(self, state, sequence):",
        """    def forward(self, state, sequence):
        result = state""",
    ),
    (
        """            state = self.step(state, sequence[i])
        return state""",
        """            result = self.step(state, sequence[i])
        return result""",
    ),
]
