"""Lets a Cast write every output that an initializer is, also where that stays float32."""

EXPECTED = {"loses": ["large"], "rung": "loads", "shows": "large-given-out"}
BASE = "valid_new_names"
EDITS = [(" and name not in rename and name not in full:", " and name not in rename:")]
