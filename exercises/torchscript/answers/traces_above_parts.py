"""Compiles the whole where one way is enough, else each part, and then traces what stands around them."""

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
        """        try:
            return choose(copy.deepcopy(module).eval(), example)
        except Exception:  # refused
            whole = from_the_parts(copy.deepcopy(module).eval(), example, choose)
            return torch.jit.trace(whole, example, check_trace=False)""",
    ),
]
