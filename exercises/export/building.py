"""The modules that the exercise `export` hands to students, made of the source and the numbers of a
case.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn

from formatlab_exercises.export.tensors import draw
from formatlab_exercises.shared import handed


def module_of(source: bytes, recipe: Mapping) -> nn.Module:
    """Return the module, in training mode but for the parts that the recipe calls frozen."""
    rng = np.random.default_rng(recipe["weights"])
    module: nn.Module = handed.namespace(source).Module(recipe)
    with torch.no_grad():
        for parameter in module.parameters():
            scale = parameter[0].numel() ** -0.5 if parameter.ndim > 1 else 0.5
            parameter.copy_(torch.from_numpy(scale * rng.normal(size=tuple(parameter.shape))))
        for norm in (
            each for each in module.modules() if isinstance(each, (nn.BatchNorm1d, nn.BatchNorm2d))
        ):
            norm.running_mean.copy_(torch.from_numpy(rng.normal(size=norm.num_features)))
            norm.running_var.copy_(torch.from_numpy(rng.uniform(0.5, 2, norm.num_features)))
    for part in recipe["frozen"]:
        module.get_submodule(part).eval()
    return module


def example_of(recipe: Mapping) -> Tensor | tuple[Tensor, ...]:
    """Return one tensor for one input, a tuple for several, and for one where the recipe says so."""
    rng = np.random.default_rng(recipe["weights"] + 1)
    tensors = tuple(
        torch.from_numpy(draw(rng, tensor, recipe["rows"])) for tensor in recipe["inputs"].values()
    )
    return tensors if len(tensors) > 1 or recipe["as_tuple"] else tensors[0]
