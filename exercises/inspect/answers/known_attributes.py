"""Looks for single graphs where the standard's operators have them."""

EXPECTED = {"loses": ["nested"], "rung": "structure", "shows": "known-attributes"}
BASE = "valid_plain"
EDITS = [
    (
        "            for graph in [attribute.g, *attribute.graphs]:",
        """\
            known = attribute.name in ("then_branch", "else_branch", "body")
            for graph in [attribute.g, *attribute.graphs] if known else attribute.graphs:""",
    ),
]
