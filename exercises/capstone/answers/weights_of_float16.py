"""Saves weights that were rounded to float16."""

EXPECTED = {
    "loses": ["weights", "module"],
    "rung": "numerics: weights",
    "shows": "weights-of-float16",
}
BASE = "valid_static"
EDITS = [
    (
        "    save_file(module.state_dict(), path)",
        """\
    rounded = copy.deepcopy(module).half().float()
    save_file(rounded.state_dict(), path)""",
    ),
]
