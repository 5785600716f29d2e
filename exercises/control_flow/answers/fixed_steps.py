"""Does no more steps than the example has."""

EXPECTED = {"loses": ["loop", "loop-whole-numbers", "names"], "rung": "numerics", "shows": "fixed-steps"}
BASE = "valid_script"
EDITS = [
    ("def __init__(self, step):", "def __init__(self, step, steps):"),
    ("self.step = step", "self.step, self.steps = step, steps"),
    ("for i in range(sequence.size(0)):", "for i in range(sequence[: self.steps].size(0)):"),
    ("scripted = torch.jit.script(Repeat(traced))", "scripted = torch.jit.script(Repeat(traced, len(sequence)))"),
]
