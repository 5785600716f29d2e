"""Returns the module in evaluation mode."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-eager"}


def compile_module(module, example):
    return module.eval()
