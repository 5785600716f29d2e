"""Saved TorchScript modules that no honest export gives: what looks at them says what is wrong, and
never fails itself.

A check that raised would make a student's file a fault of the harness, which is no mark at all.
"""

import io
import json
from pathlib import Path

import pytest
import torch

from formatlab_exercises.torchscript.judge.observing import MODULE, REPORT
from nbjudge import exercises
from nbjudge.contract import Answer
from nbjudge.references import read_references
from nbjudge.rungs.ladder import climb

EXERCISE = exercises.get("torchscript")
CASE = EXERCISE.public_cases()[0]
KNOWN = read_references(
    Path(__file__).resolve().parents[2]
    / "labs"
    / "lab-7-01"
    / "references"
    / "torchscript.safetensors"
)


class Silent(torch.nn.Module):
    """Has a method, and no `forward`."""

    @torch.jit.export
    def other(self, x):
        return x


class Given(torch.nn.Module):
    def __init__(self, dtype: torch.dtype):
        super().__init__()
        self.register_buffer("odd", torch.zeros(2, 3).to(dtype))

    def forward(self, x):
        return x


class Returning(torch.nn.Module):
    def forward(self, x):
        return x.to(torch.complex64), x.to(torch.bfloat16)


class Sparse(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("odd", torch.eye(3).to_sparse())

    def forward(self, x):
        return x.to_sparse()


class Shared(torch.nn.Module):
    """Weights that cannot be changed in place."""

    def __init__(self):
        super().__init__()
        self.register_buffer("odd", torch.zeros(1).expand(5))

    def forward(self, x):
        return [[x]]


class Meta(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("odd", torch.zeros(3, device="meta"))

    def forward(self, x):
        return x


MODULES = {
    "silent": Silent,
    "bfloat16": lambda: Given(torch.bfloat16),
    "complex": lambda: Given(torch.complex64),
    "returns odd types": Returning,
    "sparse": Sparse,
    "shared": Shared,
    "meta": Meta,
}


def saved(module: torch.nn.Module) -> bytes:
    buffer = io.BytesIO()
    torch.jit.save(torch.jit.script(module), buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("name", MODULES)
def test_a_module_that_nobody_exports_is_looked_at_without_a_fault(name):
    kept = dict.fromkeys(("parts", "mode", "modes", "weights", "gradients", "hooks"), True)
    files = {
        MODULE: saved(MODULES[name]()),
        REPORT: json.dumps({"kept": kept, "saved": ""}).encode(),
    }
    seen = EXERCISE.judge.observe(CASE, Answer("returned", files))
    assert 0 <= climb(EXERCISE, [CASE], {CASE.name: seen}, KNOWN).score <= 0.1 * EXERCISE.points
