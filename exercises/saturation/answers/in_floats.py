"""Puts the layers back into float."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "does not saturate, and is not quantized", "shows": "in-floats"}
BASE = "valid_halves"
EDITS = [
    (
        "                for names in parts:\n                    halve(*(stored[name] for name in names[:2]))\n",
        '                for place, names in enumerate(parts, 1):\n                    values, scale, _ = (numpy_helper.to_array(stored[name]) for name in names)\n                    axis = next((a.i for a in writer[node.input[place]].attribute), 0)\n                    shape = [-1 if i == axis and scale.ndim else 1 for i in range(values.ndim)]\n                    floats = (values * scale.reshape(shape)).astype(np.float32)\n                    node.input[place] = f"{node.name}_{place}"\n                    new.graph.initializer.append(numpy_helper.from_array(floats, node.input[place]))\n',
    ),
]
