"""Takes the example for a tuple if forward has several arguments, and for a tensor if it has one."""

EXPECTED = {"loses": ["encoder"], "rung": "type", "shows": "raises-type-error"}
BASE = "valid_torchscript"
EDITS = [
    (
        "    arguments = example if isinstance(example, tuple) else (example,)\n",
        "    several = len(inspect.signature(module.forward).parameters) > 1\n    arguments = example if several else (example,)\n",
    ),
]
