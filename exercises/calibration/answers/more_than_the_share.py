"""The first cut that keeps more than the share."""

EXPECTED = {"loses": ["percentile-exact"], "rung": "structure", "shows": "more-than-the-share"}
BASE = "valid_plain"
EDITS = [("share >= keep", "share > keep")]
