"""Removes the codes of a layer that is in float again, and takes it that each has a zero point."""

EXPECTED = {"loses": ["too-large", "shared-weight"], "rung": "type", "shows": "raises-value-error"}
BASE = "valid_sets"
EDITS = [
    (
        """\
        if node.name in chosen:
""",
        """\
        if node.name in chosen:
            [writer] = [each for each in new.graph.node if node.input[1] in each.output]
            codes, scale, zero = writer.input
            dropped |= {codes, scale, zero}
""",
    ),
    (
        """\
    for node in new.graph.node:
        if node.name in chosen""",
        """\
    dropped = set()
    for node in new.graph.node:
        if node.name in chosen""",
    ),
    (
        """\
            new.graph.initializer.extend(tensors.pop(name) for name in node.input if name in tensors)
    return new
""",
        """\
            new.graph.initializer.extend(tensors.pop(name) for name in node.input if name in tensors)
    for field, names in ((new.graph.initializer, lambda one: one.name), (new.graph.node, lambda one: (one.input or [""])[0])):
        for one in [one for one in field if names(one) in dropped]:
            field.remove(one)
    return new
""",
    ),
]
