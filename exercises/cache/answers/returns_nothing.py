"""Prints the tokens and returns nothing."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-nothing"}
BASE = 'valid_plain'
EDITS = [
    (
        "    return np.stack(tokens, axis=1)",
        "    print(np.stack(tokens, axis=1))",
    ),
    (
        "    return {name: outputs[behind(name)] for name in pasts}",
        "    print(outputs, pasts)",
    ),
    (
        """    wires = cache_wiring(session)
""",
        """    rests = {behind(name): name for name in outputs}
    wires = {name: rests[behind(name)] for name in inputs if behind(name) is not None}
""",
    ),
]
