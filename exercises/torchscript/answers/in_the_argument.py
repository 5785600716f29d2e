"""Puts compiled parts into the module that it was given."""

EXPECTED = {"loses": ["argument", "parts"], "rung": "contract: the argument", "shows": "in-the-argument"}
BASE = "valid_trace_first"
EDITS = [
    (
        """
import copy""",
        "",
    ),
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
        "        return from_the_parts(copy.deepcopy(module).eval(), example, choose)",
        "        return from_the_parts(module.eval(), example, best)",
    ),
]
