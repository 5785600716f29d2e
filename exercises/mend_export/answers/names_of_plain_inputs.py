"""Names the sizes of inputs that are plain tensors."""

EXPECTED = {"loses": ["nested"], "rung": "contract: every name", "shows": "named-in-part"}
BASE = "valid_walk"
EDITS = [
    (
        "    axes = {name: walk(named, value, name) for name, value in call.items()}",
        """\
    axes = {name: walk(lambda *_: {}, value, name) for name, value in call.items()}
    axes |= {name: named(value, wanted[name]) for name, value in call.items() if name in wanted}""",
    ),
]
