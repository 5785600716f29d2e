"""Exports a static model and writes a name into its shapes."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "declared-by-hand"}
BASE = "valid_torchscript"
EDITS = [
    ('                dynamic_axes={name: {0: "batch"} for name in [*names, "output"]},', ""),
    (
        "            )",
        """\
            )
        model = onnx.load(path)
        for value in (*model.graph.input, *model.graph.output):
            value.type.tensor_type.shape.dim[0].dim_param = "batch"
        onnx.save(model, path)""",
    ),
]
