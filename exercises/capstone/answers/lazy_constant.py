"""Returns one passport for every module, and writes no file."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "other-folder", "lazy": "constant"}


def convert(module, example, budget, directory):
    return {"artefacts": [], "budget": budget, "chosen": None, "met": False}
