"""Runs the example once before it switches a copy to evaluation."""

EXPECTED = {"loses": ["plain", "argument", "weights"], "rung": "numerics", "shows": "runs-before-copying"}
BASE = "valid_trace_first"
EDITS = [
    (
        """def choose(part, arguments):
    traced = torch.jit.trace(part, arguments, check_trace=False)
    return traced if agrees(part, traced, arguments) else torch.jit.script(part)""",
        """def best(part, arguments):
    for make in (torch.jit.script, lambda part: torch.jit.trace(part, arguments)):
        try:
            compiled = make(part)
        except Exception:
            continue
        if agrees(part, compiled, arguments):
            return compiled
    raise ValueError("neither way")""",
    ),
    (
        "def compile_module(module, example):",
        """def compile_module(module, example):
    module(*example)""",
    ),
    (
        "return from_the_parts(copy.deepcopy(module).eval(), example, choose)",
        "return from_the_parts(copy.deepcopy(module).eval(), example, best)",
    ),
]
