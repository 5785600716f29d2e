"""Generates one row after the other."""

EXPECTED = {"rung": None}
BASE = "valid_plain"
EDITS = [("def generate(", """\
def generate(session, prompt_ids, steps):
    return np.concatenate([generate_row(session, row[None], steps) for row in prompt_ids])


def generate_row(""")]
