"""Opens every axis, also those that the module cannot change."""

EXPECTED = {"loses": ["names"], "rung": "contract: the names", "shows": "all-axes"}
BASE = "valid_torchscript"
EDITS = [
    (
        '                dynamic_axes={name: {0: "batch"} for name in [*names, "output"]},',
        """\
                dynamic_axes={
                    "output": {0: "batch"},
                    **{
                        name: {axis: f"{name}_{axis}" if axis else "batch" for axis in range(tensor.ndim)}
                        for name, tensor in zip(names, arguments, strict=True)
                    },
                },""",
    ),
]
