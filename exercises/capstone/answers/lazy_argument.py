"""Returns the budget that it was given."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "other-folder", "lazy": "argument"}


def convert(module, example, budget, directory):
    return budget
