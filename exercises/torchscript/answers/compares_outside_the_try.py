"""Looks whether a part can be scripted, and compares where an exception of what was compiled goes through."""

EXPECTED = {"loses": ["changed"], "rung": "type", "shows": "raises-runtime-error"}
BASE = "valid_trace_first"
EDITS = [
    (
        """    traced = torch.jit.trace(part, arguments, check_trace=False)
    return traced if agrees(part, traced, arguments) else torch.jit.script(part)""",
        """    try:
        scripted = torch.jit.script(part)
    except Exception:
        return torch.jit.trace(part, arguments, check_trace=False)
    if all(close(expected, scripted(*values)) for values, expected in trials(part, arguments)):
        return scripted
    return torch.jit.trace(part, arguments, check_trace=False)""",
    ),
]
