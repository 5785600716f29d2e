"""Runs quant_pre_process as it comes, which stops at MiniLM's dimensions."""

EXPECTED = {"loses": ["agreement"], "rung": "type", "shows": "preprocess-gives-up"}
BASE = "valid_preprocess"
EDITS = [
    (
        "import tempfile",
        """\
import contextlib
import tempfile""",
    ),
    (
        "    with tempfile.TemporaryDirectory() as folder:",
        """\
    # Where it gives up it leaves a copy of the model in the working directory.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):""",
    ),
    ("quant_pre_process(plain, ready, auto_merge=True)", "quant_pre_process(plain, ready)"),
]
