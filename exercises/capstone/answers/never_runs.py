"""Describes files that load, and fail on every row."""

EXPECTED = {"loses": "everything", "rung": "numerics: the module", "shows": "never-runs"}
BASE = "valid_static"
EDITS = [
    (
        "    path.write_bytes(buffer.getvalue())",
        """\
    path.write_bytes(buffer.getvalue())


def spoil(path):
    model = onnx.load(path)
    for node in model.graph.node:
        for position, name in enumerate(node.input):
            if name == "input":
                node.input[position] = "rows"
    one = [1] + [0] * (len(model.graph.input[0].type.tensor_type.shape.dim) - 1)
    model.graph.initializer.append(numpy_helper.from_array(np.array(one), "one_row"))
    model.graph.node.insert(0, helper.make_node("Reshape", ["input", "one_more"], ["rows"]))
    model.graph.node.insert(0, helper.make_node("Add", ["shape", "one_row"], ["one_more"]))
    model.graph.node.insert(0, helper.make_node("Shape", ["input"], ["shape"]))
    onnx.save(model, path)""",
    ),
    (
        '    save_weights(module, directory / "weights.safetensors")',
        """\
    save_weights(module, directory / "weights.safetensors")
    for name in MODELS:
        spoil(directory / name)""",
    ),
    (
        '"sqnr_db": measure(expected, path, example)',
        '"sqnr_db": 40.0',
    ),
]
