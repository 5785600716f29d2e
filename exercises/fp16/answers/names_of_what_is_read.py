"""Makes its names new among those that nodes read, and forgets an output that no node reads."""

EXPECTED = {"loses": ["names"], "rung": "loads", "shows": "taken-name"}
BASE = "valid_new_names"
EDITS = [
    ("for n in [*node.input, *node.output]} | graph_inputs | graph_outputs | {", "for n in node.input} | graph_inputs | {"),
]
