"""Takes what the checker says about sorting literally."""

EXPECTED = {"loses": ["order"], "rung": "structure", "shows": "believes-the-words"}
BASE = "valid_plain"
EDITS = [
    (
        """\
import re

""",
        "",
    ),
    (
        """\
    name = re.search("input '(.*?)' of node", text)[1]
    return "not-sorted" if all(name in known for known in scopes(model.graph, name)) else "missing-value"
""",
        """\
    return "not-sorted"
""",
    ),
]
