"""Puts the layers back into float."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "in-floats"}
BASE = "valid_halves"
EDITS = [
    (
        """\
                for names in parts:
                    halve(*(stored[name] for name in names[:2]))
""",
        """\
                for place, names in enumerate(parts, 1):
                    values, scale, *_ = (numpy_helper.to_array(stored[name]) for name in names)
                    axis = next((a.i for a in writer[node.input[place]].attribute), 0) % values.ndim
                    shape = [-1 if i == axis and scale.ndim else 1 for i in range(values.ndim)]
                    floats = (values * scale.reshape(shape)).astype(np.float32)
                    node.input[place] = f"{node.name}_{place}"
                    new.graph.initializer.append(numpy_helper.from_array(floats, node.input[place]))
""",
    ),
]
