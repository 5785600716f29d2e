"""Returns the passport's JSON."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "text"}
BASE = "valid_static"
EDITS = [
    (
        "import copy",
        """\
import json
import copy""",
    ),
    (
        'return {"artefacts": [*entries, weights], "budget": budget, "chosen": chosen, "met": chosen is not None}',
        'return json.dumps({"artefacts": [*entries, weights], "budget": budget, "chosen": chosen, "met": chosen is not None})',
    ),
]
