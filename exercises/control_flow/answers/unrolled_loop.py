"""Traces a Python for loop over the example's elements."""

EXPECTED = {"loses": ["loop", "loop-whole-numbers", "names"], "rung": "structure", "shows": "unrolled-loop"}
BASE = "valid_script"
EDITS = [
    (
        """class Repeat(torch.nn.Module):
    def __init__(self, step):
        super().__init__()
        self.step = step

    def forward(self, state, sequence):
        for i in range(sequence.size(0)):
            state = self.step(state, sequence[i])""",
        """def export_loop(step, initial, sequence):
    def repeat(state, sequence):
        for element in sequence:
            state = step(state, element)""",
    ),
    (
        """
def export_loop(step, initial, sequence):
    traced = torch.jit.trace(step, (initial, sequence[0]))""",
        "",
    ),
    (
        """    scripted = torch.jit.script(Repeat(traced))
    return exported(scripted, (initial, sequence), dynamic_axes={"sequence": {0: "steps"}}, **names)""",
        '    return exported(Module(repeat), (initial, sequence), dynamic_axes={"sequence": {0: "steps"}}, **names)',
    ),
]
