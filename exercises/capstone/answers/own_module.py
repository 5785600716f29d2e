"""Converts a module of its own, whatever is given."""

EXPECTED = {"loses": "everything", "rung": "numerics: the module", "shows": "another-module"}
BASE = "valid_static"
EDITS = [
    (
        """\
def convert(module, example, budget, directory):
    export(""",
        """\
def convert(module, example, budget, directory):
    module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 10))
    with torch.no_grad():
        module[1].weight.copy_(torch.linspace(-1, 1, 160).view(10, 16))
        module[1].bias.zero_()
    example = torch.linspace(0, 1, 128).view(8, 1, 4, 4)
    export(""",
    ),
]
