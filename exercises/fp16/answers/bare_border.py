"""A node that computes in float32 reads a float32 input of the graph as it comes, without a Cast between."""

EXPECTED = {"loses": ["border"], "rung": "quality: borders", "shows": "bare-border"}
BASE = "valid_lifted"
EDITS = [
    ("def convert(node, floats, large, borders):", "def convert(node, floats, large, borders, inputs):"),
    ("convert(node, floats, large, {*inputs, *outputs})", "convert(node, floats, large, {*inputs, *outputs}, inputs)"),
    ("for n, o in readers if o in floats]", "for n, o in readers if o in floats and o not in inputs]"),
    ('["f_" + o if o in floats else o for o in node.input]', '["f_" + o if o in floats and o not in inputs else o for o in node.input]'),
]
