"""Quantize the digits CNN by PT2E and export it: `python tools/record_pt2e.py` writes
digits-cnn-pt2e.onnx and digits-cnn-pt2e-trained.onnx into workbench/formatlab/models/fixtures, with
the versions in their metadata.

PT2E is PyTorch's own quantization of an exported program; it lives in torchao, which is in none of
the course's environments: `pip install --no-deps torchao==0.18.0` in one that you can throw away.
The first file is calibrated with the images that the page on INT8 gives to `quantize_static`; the
second is trained on all training images, with each value rounded as the file will round it.
"""

from __future__ import annotations

import platform
from importlib import metadata
from pathlib import Path

import onnx
import torch
from torch.nn import functional
from torchao.quantization.pt2e import (
    allow_exported_model_train_eval,
    move_exported_model_to_eval,
)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e, prepare_qat_pt2e
from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

from formatlab.models import digits, save

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "workbench" / "formatlab" / "models" / "fixtures"
CALIBRATION = 320
SEVERAL = torch.export.Dim("batch", min=2, max=4096)
SHAPES = ({0: SEVERAL},)
VERSIONS = ("torch", "torchao", "onnx", "onnxscript")
EPOCHS = 3
RATE = 3e-4


def main() -> None:
    data = digits.load()
    images = torch.from_numpy(data.train_images)
    labels = torch.from_numpy(data.train_labels)
    example = images[:4]
    write("digits-cnn-pt2e", calibrated(images[:CALIBRATION]), example, {})
    training = {"epochs": str(EPOCHS), "learning rate": str(RATE)}
    write("digits-cnn-pt2e-trained", trained(images, labels), example, training)


def program(module: torch.nn.Module, example: torch.Tensor) -> torch.nn.Module:
    return torch.export.export(module, (example,), dynamic_shapes=SHAPES).module()


def quantizer(is_qat: bool) -> x86.X86InductorQuantizer:
    config = x86.get_default_x86_inductor_quantization_config(is_qat=is_qat)
    return x86.X86InductorQuantizer().set_global(config)


def calibrated(images: torch.Tensor) -> torch.nn.Module:
    """The network quantized after its training."""
    prepared = prepare_pt2e(program(digits.trained().eval(), images[:4]), quantizer(is_qat=False))
    for batch in images.split(64):
        prepared(batch)
    return move_exported_model_to_eval(convert_pt2e(prepared))


def trained(images: torch.Tensor, labels: torch.Tensor) -> torch.nn.Module:
    """The network trained further, from the same weights, while it computes with rounded values."""
    torch.manual_seed(0)
    exported = program(digits.trained().train(), images[:4])
    prepared = allow_exported_model_train_eval(prepare_qat_pt2e(exported, quantizer(is_qat=True)))
    prepared.train()
    optimizer = torch.optim.Adam(prepared.parameters(), lr=RATE)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(labels)).split(64):
            optimizer.zero_grad()
            functional.cross_entropy(prepared(images[batch]), labels[batch]).backward()
            optimizer.step()
    prepared.eval()
    return move_exported_model_to_eval(convert_pt2e(prepared))


def write(name: str, module: torch.nn.Module, example: torch.Tensor, notes: dict[str, str]) -> None:
    path = FIXTURES / f"{name}.onnx"
    exported = torch.onnx.export(
        module, (example,), dynamo=True, dynamic_shapes=SHAPES, verbose=False
    )
    save(exported.model_proto, path)
    written = onnx.load(path)
    made_with = {each: metadata.version(each) for each in VERSIONS}
    made_with |= {"python": platform.python_version()}
    onnx.helper.set_model_props(written, made_with | notes)
    path.write_bytes(written.SerializeToString(deterministic=True))
    print(f"{path.name}: {path.stat().st_size} bytes, {made_with | notes}")


if __name__ == "__main__":
    main()
