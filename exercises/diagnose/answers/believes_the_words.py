"""Takes what the checker says about sorting literally."""

EXPECTED = {"score": 0.85, "rung": "structure", "message": "The checker uses the same words", "shows": "believes-the-words"}
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
    given = {output for node in nodes(model.graph) for output in node.output}
    return "not-sorted" if name in given else "missing-value"
""",
        """\
    return "not-sorted"
""",
    ),
]
