"""Scripts the whole around its compiled parts, and where that fails traces the module as it came."""

EXPECTED = {"loses": ["parts"], "rung": "structure", "shows": "always-trace"}
BASE = "valid_trace_first"
EDITS = [
    (
        """            compiled = choose(part, inputs[part])
            if not name:
                return compiled
""",
        """            if not name:
                return part
            compiled = choose(part, inputs[part])
""",
    ),
    (
        """        return from_the_parts(copy.deepcopy(module).eval(), example, choose)""",
        """        original = copy.deepcopy(module).eval()
        try:
            scripted = torch.jit.script(from_the_parts(copy.deepcopy(module).eval(), example, choose))
            if agrees(original, scripted, example):
                return scripted
        except Exception:
            pass
        return torch.jit.trace(original, example, check_trace=False)""",
    ),
]
