"""Begins with all layers in float, and takes back the one that costs least, until the rest fits."""

EXPECTED = {"loses": ["one-or-two"], "rung": "numerics", "shows": "one-after-the-other"}
BASE = "valid_sets"
EDITS = [
    (
        """\
    tried = []
    for count in range(len(names) + 1):
        for chosen in combinations(names, count):
            mixed = in_float(model, small, chosen)
            if mixed.ByteSize() <= room:
                tried.append((sqnr(wanted, run(mixed, feeds)), len(tried), mixed))
    return max(tried)[2]
""",
        """\
    chosen = list(names)
    while in_float(model, small, chosen).ByteSize() > room:
        left = combinations(chosen, len(chosen) - 1)
        chosen = max(left, key=lambda names: sqnr(wanted, run(in_float(model, small, names), feeds)))
    return in_float(model, small, chosen)
""",
    ),
]
