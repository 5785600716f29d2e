"""Declares the rows open, and fixes them with a Reshape."""

EXPECTED = {"loses": ["fp32", "block"], "rung": "numerics: fp32.onnx", "shows": "rows-inside"}
BASE = "valid_static"
EDITS = [
    (
        "    path.write_bytes(buffer.getvalue())",
        """\
    path.write_bytes(buffer.getvalue())


def reshape(path, example):
    model = onnx.load(path)
    for node in model.graph.node:
        for position, name in enumerate(node.input):
            if name == "input":
                node.input[position] = "rows"
    model.graph.initializer.append(numpy_helper.from_array(np.array(example.shape), "rows_shape"))
    model.graph.node.insert(0, helper.make_node("Reshape", ["input", "rows_shape"], ["rows"]))
    onnx.save(model, path)""",
    ),
    (
        '    save_weights(module, directory / "weights.safetensors")',
        """\
    save_weights(module, directory / "weights.safetensors")
    reshape(directory / "fp32.onnx", example)""",
    ),
]
