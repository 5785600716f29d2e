"""Checks the file, and leaves it there when the check fails."""

EXPECTED = {"score": 0.7, "rung": "type", "message": "remove it before", "shows": "leaves-the-file"}
BASE = "valid_torchscript"
EDITS = [
    (
        """\
    except Exception:
        Path(path).unlink(missing_ok=True)
        raise""",
        "",
    ),
]
