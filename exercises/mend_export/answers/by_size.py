"""Gives one Dim to all sizes that are equal in the example."""

EXPECTED = {"loses": ["one", "equal"], "rung": "contract", "shows": "tied-sizes"}
BASE = "valid_walk"
EDITS = [
    (
        """\
    def declared(tensor, axes):
        return {axis: dims[word] for axis, word in enumerate(axes) if word in dims}

    def named(tensor, axes):
        return {axis: word for axis, word in enumerate(axes) if word in dims}
""",
        """\
    first = {}

    def declared(tensor, axes):
        return {axis: first.setdefault(tensor.shape[axis], word) for axis, word in enumerate(axes) if word in dims}

    named = declared
""",
    ),
    (
        "shapes = {name: walk(declared, value, name) for name, value in call.items()}",
        """\
def asked(tensor, axes):
        return {axis: dims[word] for axis, word in enumerate(axes) if word in dims}

    shapes = {name: walk(asked, value, name) for name, value in call.items()}""",
    ),
]
