"""Drops the empty names while it rewires, so that the inputs behind them move up."""

EXPECTED = {"loses": ["settings"], "rung": "numerics", "shows": "empty-name-dropped"}
BASE = "valid_rename"
EDITS = [
    (
        """\
        for i, name in enumerate(node.input):
            if name == old:
                node.input[i] = new
""",
        """\
        node.input[:] = [new if name == old else name for name in node.input if name]
""",
    ),
]
