"""Quantize the digits CNN by PT2E and export it: `python tools/record_pt2e.py` writes
workbench/formatlab/models/fixtures/digits-cnn-pt2e.onnx, with the versions in its metadata.

PT2E is PyTorch's own quantization of an exported program; it lives in torchao, which is in none of
the course's environments: `pip install --no-deps torchao==0.18.0` in one that you can throw away.
The calibration images are those that the page on INT8 gives to `quantize_static`.
"""

from __future__ import annotations

import platform
from importlib import metadata
from pathlib import Path

import onnx
import torch
from torchao.quantization.pt2e import move_exported_model_to_eval
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

from formatlab.models import digits, save

ROOT = Path(__file__).resolve().parent.parent
PATH = ROOT / "workbench" / "formatlab" / "models" / "fixtures" / "digits-cnn-pt2e.onnx"
CALIBRATION = 320
SEVERAL = torch.export.Dim("batch", min=2, max=4096)
VERSIONS = ("torch", "torchao", "onnx", "onnxscript")


def main() -> None:
    module = digits.trained().eval()
    images = torch.from_numpy(digits.load().train_images[:CALIBRATION])
    example = (images[:4],)
    shapes = ({0: SEVERAL},)
    quantizer = x86.X86InductorQuantizer()
    quantizer.set_global(x86.get_default_x86_inductor_quantization_config())
    program = torch.export.export(module, example, dynamic_shapes=shapes)
    prepared = prepare_pt2e(program.module(), quantizer)
    for batch in images.split(64):
        prepared(batch)
    converted = move_exported_model_to_eval(convert_pt2e(prepared))
    exported = torch.onnx.export(
        converted, example, dynamo=True, dynamic_shapes=shapes, verbose=False
    )
    model = exported.model_proto
    save(model, PATH)
    written = onnx.load(PATH)
    made_with = {name: metadata.version(name) for name in VERSIONS}
    onnx.helper.set_model_props(written, made_with | {"python": platform.python_version()})
    PATH.write_bytes(written.SerializeToString(deterministic=True))
    print(f"{PATH.name}: {PATH.stat().st_size} bytes, {made_with}")


if __name__ == "__main__":
    main()
