"""Adds a copy of each weight for each layer that reads it, so that two layers of one weight pay for it twice."""

EXPECTED = {"loses": ["shared-weight"], "rung": "numerics", "shows": "paid-twice"}
BASE = "valid_sets"
EDITS = [
    (
        """\
            node.input[:] = before[node.name].input
            new.graph.initializer.extend(tensors.pop(name) for name in node.input if name in tensors)
""",
        """\
            node.input[:] = [node.name + "/" + name if name in tensors else name for name in before[node.name].input]
            for name in before[node.name].input:
                if name in tensors:
                    new.graph.initializer.add().CopyFrom(tensors[name])
                    new.graph.initializer[-1].name = node.name + "/" + name
""",
    ),
]
