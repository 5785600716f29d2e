"""Looks for single graphs where the standard's operators have them."""

EXPECTED = {"loses": ["graphs"], "rung": "contract", "shows": "known-attributes"}
BASE = "valid_plain"
EDITS = [
    (
        "            graphs.extend(child for attribute in node.attribute for child in (attribute.g, *attribute.graphs))",
        """\
            for attribute in node.attribute:
                graphs.extend(attribute.graphs)
                if attribute.name in ("then_branch", "else_branch", "body"):
                    graphs.append(attribute.g)""",
    ),
]
