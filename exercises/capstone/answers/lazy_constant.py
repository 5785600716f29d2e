"""Returns one passport for every module, and writes no file."""

EXPECTED = {
    "score": 0.075,
    "rung": "loads",
    "message": "Every file goes into the directory that the function is given, under its own name",
    "lazy": "constant",
    "shows": "other-folder",
}


def convert(module, example, budget, directory):
    return {"artefacts": [], "budget": budget, "chosen": None, "met": False}
