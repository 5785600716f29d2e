"""Looks for graphs in the field `g` of attributes alone."""

EXPECTED = {"loses": ["graphs"], "rung": "contract", "shows": "skips-graph-lists"}
BASE = "valid_plain"
EDITS = [
    (
        """            graphs.extend(child for attribute in node.attribute for child in (attribute.g, *attribute.graphs))
            for name in node.output:
                if name:
                    counts[kind(declared.get(name))] += 1""",
        """            graphs.extend(attribute.g for attribute in node.attribute if attribute.HasField("g"))
            for name in filter(None, node.output):
                counts[kind(declared.get(name))] += 1""",
    ),
]
