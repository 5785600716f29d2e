"""Traces each part, and scripts it where the trace warned."""

EXPECTED = {"loses": ["steps"], "rung": "structure", "shows": "steps-of-the-example"}
BASE = "valid_trace_first"
EDITS = [
    ("import copy\n", "import copy\nimport warnings\n"),
    (
        """    traced = torch.jit.trace(part, arguments, check_trace=False)
    return traced if agrees(part, traced, arguments) else torch.jit.script(part)""",
        """    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        traced = torch.jit.trace(part, arguments, check_trace=False)
    warned = any(issubclass(warning.category, torch.jit.TracerWarning) for warning in caught)
    return torch.jit.script(part) if warned else traced""",
    ),
]
