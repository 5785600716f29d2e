"""Compiles a wrapper around the module."""

EXPECTED = {"loses": ["weights"], "rung": "contract: the weights", "shows": "wrapped"}
BASE = "valid_trace_first"
EDITS = [
    (
        """\
def choose(part, arguments):
    traced = torch.jit.trace(part, arguments, check_trace=False)
    return traced if agrees(part, traced, arguments) else torch.jit.script(part)
""",
        """\
def best(part, arguments):
    for make in (torch.jit.script, lambda part: torch.jit.trace(part, arguments)):
        try:
            compiled = make(part)
        except Exception:
            continue
        if agrees(part, compiled, arguments):
            return compiled
    raise ValueError("neither way")


class Wrapper(torch.nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, *arguments):
        return self.module(*arguments)
""",
    ),
    (
        "        return from_the_parts(copy.deepcopy(module).eval(), example, choose)",
        """\
        module = from_the_parts(copy.deepcopy(module).eval(), example, best)
        return torch.jit.trace(Wrapper(module), example)""",
    ),
]
