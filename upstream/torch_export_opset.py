"""PyTorch: `torch.onnx.export(opset_version=12)` returns, and writes opset 18."""

import contextlib
import io
import logging
import sys
import warnings

import torch


def main() -> int:
    logging.disable(logging.ERROR)
    warnings.simplefilter("ignore")
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU()).eval()
    with contextlib.redirect_stdout(io.StringIO()):
        program = torch.onnx.export(model, (torch.zeros(1, 4),), opset_version=12, verbose=False)
    [found] = [one.version for one in program.model_proto.opset_import if one.domain == ""]
    print(f"torch {torch.__version__}")
    print("expected: opset 12, or an exception")
    print(f"found: opset {found}")
    return int(found != 12)


if __name__ == "__main__":
    sys.exit(main())
