"""Reads the header with eval."""

EXPECTED = {"loses": "everything", "rung": "contract", "shows": "evaluates"}
BASE = "valid_plain"
EDITS = [
    ("import json\n", ""),
    ("    json.dumps(header, ensure_ascii=False).encode()\n", ""),
    (
        """def once(pairs):
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)

""",
        "",
    ),
    (
        """        header = json.loads(data[8 : 8 + length].decode("utf-8"), object_pairs_hook=once, parse_int=count)
    except RecursionError:
        raise ValueError("nested too deep") from None""",
        """        header = eval(data[8 : 8 + length].decode("utf-8"))
    except Exception as error:
        raise ValueError(str(error)) from None""",
    ),
]
