"""Makes names that differ from each other, and may be those of other tensors of the model."""

EXPECTED = {"loses": ["shared"], "rung": "loads", "shows": "taken-name"}
BASE = "valid_rows"
EDITS = [("used = {*T, *writer, *(i for n in g.node for i in n.input), *(n.name for n in g.node)}", "used = set()")]
