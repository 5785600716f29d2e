"""Restores the mode of the whole, and not those of the parts."""

EXPECTED = {"loses": ["argument"], "rung": "contract: the argument", "shows": "restores-one-mode"}
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
        """    with torch.no_grad():
        return from_the_parts(copy.deepcopy(module).eval(), example, choose)""",
        """    training = module.training
    module.eval()
    try:
        with torch.no_grad():
            return from_the_parts(copy.deepcopy(module), example, best)
    finally:
        module.train(training)""",
    ),
]
