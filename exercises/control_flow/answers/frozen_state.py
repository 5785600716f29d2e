"""Stores the example's initial state in the model."""

EXPECTED = {"loses": ["loop", "loop-whole-numbers", "names"], "rung": "contract", "shows": "frozen-state"}
BASE = "valid_script"
EDITS = [
    ("def __init__(self, step):", "def __init__(self, step, initial):"),
    ("self.step = step", "self.step, self.initial = step, initial"),
    (
        "    def forward(self, state, sequence):",
        """    def forward(self, sequence):
        state = self.initial""",
    ),
    (
        """    names = {"input_names": ["state", "sequence"], "output_names": ["result"]}
    scripted = torch.jit.script(Repeat(traced))
    return exported(scripted, (initial, sequence), dynamic_axes={"sequence": {0: "steps"}}, **names)""",
        """    names = {"input_names": ["sequence"], "output_names": ["result"]}
    scripted = torch.jit.script(Repeat(traced, initial))
    return exported(scripted, (sequence,), dynamic_axes={"sequence": {0: "steps"}}, **names)""",
    ),
]
