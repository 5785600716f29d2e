"""Exports a function that gives the example's result."""

EXPECTED = {"loses": "everything", "rung": "contract", "shows": "stored-result", "lazy": "constant"}
BASE = "valid_torchscript"
EDITS = [
    (
        """import torch

""",
        """import torch



class Stored(torch.nn.Module):
    def __init__(self, result):
        super().__init__()
        self.result = result

    def forward(self, *arguments):
        return self.result + 0 * self.result.sum()
""",
    ),
    ("                module,", "                Stored(module(*arguments).detach()),"),
]
