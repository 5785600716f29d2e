"""Writes the budget in kilobytes."""

EXPECTED = {"loses": ["choice", "impossible"], "rung": "quality: choice", "shows": "kilobytes"}
BASE = "valid_static"
EDITS = [
    (
        '    return {"artefacts": [*entries, weights], "budget": budget, "chosen": chosen, "met": chosen is not None}',
        """\
    short = {**budget, "bytes": budget["bytes"] // 1024}
    return {
        "artefacts": [*entries, weights],
        "budget": short,
        "chosen": chosen,
        "met": chosen is not None,
    }""",
    ),
]
