"""Takes the names that the exporter gives."""

EXPECTED = {"loses": "everything", "rung": "contract", "shows": "static"}
BASE = "valid_torchscript"
EDITS = [
    ("    names = list(inspect.signature(module.forward).parameters)", ""),
    (
        """\
                input_names=names,
                output_names=["output"],
                dynamic_axes={name: {0: "batch"} for name in [*names, "output"]},""",
        "                dynamic_axes={},",
    ),
]
