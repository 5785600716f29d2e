"""Gives the states of all steps."""

EXPECTED = {"score": 0.45, "rung": "contract", "message": "as many dimensions", "shows": "all-states"}
BASE = "valid_script"
EDITS = [
    (
        "    def forward(self, state, sequence):",
        """    def forward(self, state, sequence):
        states = [state]""",
    ),
    (
        "        return state",
        """            states.append(state)
        return torch.stack(states)""",
    ),
]
