"""Puts present for past wherever it stands in a name."""

EXPECTED = {"loses": ["wiring"], "rung": "structure", "shows": "wrong-pairs"}
BASE = "valid_plain"
EDITS = [
    (
        "    return {name: outputs[behind(name)] for name in pasts}",
        """\
    names = set(outputs.values())
    present = {name: name.replace("past", "present") for name in pasts}
    return {name: new if new in names else new.replace("_key_values", "") for name, new in present.items()}""",
    ),
]
