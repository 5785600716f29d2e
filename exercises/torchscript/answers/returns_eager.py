"""Returns the module in evaluation mode."""

EXPECTED = {"score": 0, "rung": "type", "message": "is returned as it came", "shows": "returns-eager"}


def compile_module(module, example):
    return module.eval()
