"""Does the choice, and leaves the loop a stub."""

EXPECTED = {"loses": ["loop", "loop-whole-numbers", "names"], "rung": "exists", "shows": "not-done"}
BASE = "valid_script"
EDITS = [
    (
        """class Repeat(torch.nn.Module):
    def __init__(self, step):
        super().__init__()
        self.step = step

    def forward(self, state, sequence):
        for i in range(sequence.size(0)):
            state = self.step(state, sequence[i])
        return state

""",
        "",
    ),
    (
        """    traced = torch.jit.trace(step, (initial, sequence[0]))
    names = {"input_names": ["state", "sequence"], "output_names": ["result"]}
    scripted = torch.jit.script(Repeat(traced))
    return exported(scripted, (initial, sequence), dynamic_axes={"sequence": {0: "steps"}}, **names)""",
        "    raise NotImplementedError()",
    ),
]
