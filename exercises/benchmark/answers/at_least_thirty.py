"""Does thirty rounds where fewer are asked for, because few turns say little."""

EXPECTED = {"loses": ["edges"], "rung": "contract: the count", "shows": "more-rounds"}
BASE = "valid_windows"
EDITS = [("    for _ in range(rounds):", "    for _ in range(max(rounds, 30)):")]
