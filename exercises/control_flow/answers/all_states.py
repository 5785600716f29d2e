"""Gives the states of all steps."""

EXPECTED = {"loses": ["loop", "loop-whole-numbers", "names"], "rung": "contract", "shows": "all-states"}
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
