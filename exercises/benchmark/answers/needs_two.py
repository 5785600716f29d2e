"""Adds to each entry how it compares with the second variant, which may not be there."""

EXPECTED = {"loses": ["edges"], "rung": "type", "shows": "raises-index-error"}
BASE = "valid_windows"
EDITS = [
    (
        "    return {name: summary(times[name], warmup[name]) for name in variants}",
        """    result = {name: summary(times[name], warmup[name]) for name in variants}
    second = result[list(variants)[1]]["median"]
    return {name: {**entry, "ratio": entry["median"] / second} for name, entry in result.items()}""",
    )
]
