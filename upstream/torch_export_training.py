"""PyTorch: `torch.onnx.export(dynamo=False)` puts modules inside another one into training mode."""

import io
import logging
import sys
import warnings

import torch


class Outer(torch.nn.Module):
    """In training mode, as every new module is, around one in evaluation mode."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


def main() -> int:
    logging.disable(logging.ERROR)
    warnings.simplefilter("ignore")
    inner = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.5)).eval()
    outer = Outer(inner)
    torch.onnx.export(outer, (torch.zeros(1, 4),), io.BytesIO(), dynamo=False, verbose=False)
    print(f"torch {torch.__version__}")
    print("expected: the inner module is in evaluation mode, as before: training = False")
    print(f"found: training = {inner.training}")
    return int(inner.training)


if __name__ == "__main__":
    sys.exit(main())
