"""Returns the budget that it was given."""

EXPECTED = {"score": 0.0, "rung": "type", "message": "The key is missing, or holds another type", "lazy": "argument", "shows": "no-imports"}


def convert(module, example, budget, directory):
    return budget
