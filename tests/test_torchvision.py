"""The import hook that lets a CUDA build of torchvision be imported beside a CPU build of torch."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).parents[1]


def run(code: str) -> subprocess.CompletedProcess:
    """Run `code` in a fresh interpreter, from the repository."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120
    )


def test_importing_ours_imports_nothing_heavy():
    found = run(
        "import formatlab, nbjudge, sys; print([name for name in ('torch', 'torchvision', 'numpy', 'onnx', 'IPython') if name in sys.modules])"
    )
    assert found.stdout.strip() == "[]", found.stderr


@pytest.mark.parametrize(
    "first",
    ["import formatlab, torch", "import torch, formatlab"],
)
def test_torchvision_and_transformers_import_after_formatlab_and_a_model_runs(first):
    code = (
        f"{first}, gc, torchvision; gc.collect()\n"
        "from transformers import BertModel\n"
        "model = torchvision.models.resnet18(num_classes=5).eval()\n"
        "print(tuple(model(torch.zeros(2, 3, 64, 48)).shape), torch.ops.torchvision.nms.default._schema.name)"
    )
    found = run(code)
    assert found.stdout.strip() == "(2, 5) torchvision::nms", found.stderr


def test_operators_that_exist_are_left_alone():
    """As with a matching torchvision: both operators are there before the module that needs them is
    imported. Beside a CUDA build of torch they are torchvision's own, else stand-ins, which sort the
    other way round.
    """
    code = (
        "import formatlab, torch\n"
        "if torch.version.cuda is None:\n"
        "    library = torch.library.Library('torchvision', 'DEF')\n"
        "    [library.define(f'{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor') for name in ('nms', 'qnms')]\n"
        "    library.impl('nms', lambda dets, scores, iou_threshold: scores.argsort(), 'CPU')\n"
        "import torchvision\n"
        "print(torchvision.__name__, torch.ops.torchvision.nms(torch.zeros(2, 4), torch.tensor([2.0, 1.0]), 0.5).tolist())"
    )
    found = run(code)
    kept = [1, 0] if torch.version.cuda is None else [0, 1]
    assert found.stdout.strip() == f"torchvision {kept}", found.stderr


def test_the_hooks_are_armed_once_each():
    code = (
        "import formatlab, sys; from formatlab import _replaced; _replaced.install()\n"
        "print(sum(type(finder).__module__ == 'formatlab._replaced' for finder in sys.meta_path))"
    )
    assert run(code).stdout.strip() == "2"
