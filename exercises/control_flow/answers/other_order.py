"""Takes the sequence first, and the state after it."""

EXPECTED = {"loses": ["names"], "rung": "contract: the names", "shows": "own-names"}
BASE = "valid_script"
EDITS = [
    ("def forward(self, state, sequence):", "def forward(self, sequence, state):"),
    ('"input_names": ["state", "sequence"]', '"input_names": ["sequence", "state"]'),
    ("return exported(scripted, (initial, sequence),", "return exported(scripted, (sequence, initial),"),
]
