"""Does thirty rounds where fewer are asked for, because few turns say little."""

EXPECTED = {"score": 0.3, "rung": "structure", "message": "more rounds than were asked for", "shows": "more-rounds"}
BASE = "valid_windows"
EDITS = [("    for _ in range(rounds):", "    for _ in range(max(rounds, 30)):")]
