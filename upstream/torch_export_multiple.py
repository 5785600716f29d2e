"""PyTorch: `torch.export.export` takes `2 * Dim("half")` for a module that needs five rows or more,
which it refuses for a plain `Dim`. The condition stays in the program, and no ONNX file has it.
"""

import logging
import sys
import warnings

import torch
from torch.export import Dim


class Longer(torch.nn.Module):
    def forward(self, x):
        return x * 2 if x.shape[0] >= 5 else x * 3


class InPairs(torch.nn.Module):
    def forward(self, x):
        return Longer()(x.flatten(0, 1))


def answer(module: torch.nn.Module, example: torch.Tensor, rows: object) -> str:
    try:
        program = torch.export.export(module, (example,), dynamic_shapes={"x": {0: rows}})
    except Exception:  # a refusal has several types  # noqa: BLE001
        return "refused"
    try:
        program.module()(torch.ones(4, 8))
    except AssertionError as error:
        return f"accepted, and with four rows: {str(error).splitlines()[0]}"
    return "accepted"


def main() -> int:
    logging.disable(logging.ERROR)
    warnings.simplefilter("ignore")
    plain = answer(InPairs(), torch.ones(4, 2, 8), Dim("half"))
    found = answer(Longer(), torch.ones(8, 8), 2 * Dim("half"))
    print(f"torch {torch.__version__}")
    print(f"expected: {plain}, as for the same rows in pairs and a plain Dim")
    print(f"found: {found}")
    return int(plain == "refused" and found != "refused")


if __name__ == "__main__":
    sys.exit(main())
