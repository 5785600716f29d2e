"""Makes the value of the outer graph an output of the branch, without a node that writes it there."""

EXPECTED = {"loses": ["inside"], "rung": "loads", "shows": "inner-readers-not-counted"}
BASE = "valid_rename"
EDITS = [
    (
        """\
    else:
        graph.node.insert(position, helper.make_node("Identity", [source], [target]))
""",
        """\
    elif not producers and not graph.input:
        for value in graph.output:
            value.name = source if value.name == target else value.name
    else:
        graph.node.insert(position, helper.make_node("Identity", [source], [target]))
""",
    ),
]
