"""Does the first step before the loop."""

EXPECTED = {"loses": ["loop", "loop-whole-numbers"], "rung": "structure", "shows": "step-beside"}
BASE = "valid_script"
EDITS = [
    (
        "        for i in range(sequence.size(0)):",
        """        state = self.step(state, sequence[0])
        for i in range(1, sequence.size(0)):""",
    )
]
