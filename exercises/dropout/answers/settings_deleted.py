"""Deletes the initializers of a Dropout's ratio and training_mode, whoever else reads them."""

EXPECTED = {"loses": ["bert", "settings", "inside"], "rung": "loads", "shows": "settings-deleted"}
BASE = "valid_ir"
EDITS = [
    (
        """\
            node.graph.remove(node, safe=True)
""",
        """\
            settings.update(value for value in node.inputs[1:] if value is not None and value.is_initializer())
            node.graph.remove(node, safe=True)
    for value in settings:
        value.graph.initializers.pop(value.name)
""",
    ),
    (
        """\
    copy = ir.from_proto(model)
""",
        """\
    copy = ir.from_proto(model)
    settings = set()
""",
    ),
]
