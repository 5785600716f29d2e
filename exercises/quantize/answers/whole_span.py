"""The distance of the ends for symmetric codes."""

EXPECTED = {"score": 0.55, "rung": "structure", "message": "belongs to the asymmetric form", "shows": "whole-span"}
BASE = "valid_plain"
EDITS = [("max(-low, high) / 127", "(high - low) / 255")]
