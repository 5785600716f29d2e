"""Takes the first entry of external_data for the location."""

EXPECTED = {"loses": ["external", "argument"], "rung": "type", "shows": "raises-file-not-found-error"}
BASE = "valid_plain"
EDITS = [
    (
        '{entry.value for tensor in external for entry in tensor.external_data if entry.key == "location"}',
        '{tensor.external_data[0].value for tensor in external}',
    ),
]
