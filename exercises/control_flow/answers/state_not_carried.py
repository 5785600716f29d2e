"""Begins each step with the initial state."""

EXPECTED = {"loses": ["loop", "loop-whole-numbers", "names"], "rung": "numerics", "shows": "backwards"}
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
