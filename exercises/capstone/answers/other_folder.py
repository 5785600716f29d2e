"""Writes into the working directory's parent of its own making."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "other-folder"}
BASE = "valid_static"
EDITS = [
    (
        "def convert(module, example, budget, directory):",
        """\
def convert(module, example, budget, directory):
    directory = directory / "model"
    directory.mkdir()""",
    ),
]
