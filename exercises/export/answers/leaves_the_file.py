"""Checks the file, and leaves it there when the check fails."""

EXPECTED = {"loses": ["no-valid-file", "module"], "rung": "type", "shows": "leaves-the-file"}
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
