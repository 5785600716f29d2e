"""What `mend_export` hands to students: a module, made of the source and the numbers of a case, and
the call that serves as the example.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from formatlab_exercises.mend_export.weights import draw, weights
from formatlab_exercises.shared import handed
from nbjudge.contract import Case

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]


def called(case: Case) -> tuple[nn.Module, Arguments, Keywords]:
    """Return the module, and the arguments and keywords of the example. Its numbers have a mean of a
    half, so that a module that chooses by their sign chooses the same side for every seed.
    """
    given = case.parameters
    drawn = draw(given, given["example"], np.random.default_rng(given["weights"] + 1))
    centred = {
        name: values + (np.float32(0.5) - values.mean()) if values.dtype == np.float32 else values
        for name, values in drawn.items()
    }
    return module(case), *nested(case, centred)


def module(case: Case) -> nn.Module:
    buffers = {name: torch.from_numpy(array) for name, array in weights(case.parameters).items()}
    made: nn.Module = handed.namespace(case.files[handed.SOURCE]).Module(
        buffers, case.parameters["parts"]
    )
    return made


def nested(case: Case, arrays: dict[str, np.ndarray]) -> tuple[Arguments, Keywords]:
    """Return the arguments and keywords in which the module takes tensors by the names of `wanted`."""
    tensors = {name: torch.from_numpy(values) for name, values in arrays.items()}

    def filled(shape: Any) -> Any:
        """A name stands for its tensor; JSON has no tuples, so a dict stands for one."""
        if isinstance(shape, str):
            return tensors[shape]
        if isinstance(shape, list):
            return [filled(each) for each in shape]
        if shape.keys() == {"tuple"}:
            return tuple(filled(each) for each in shape["tuple"])
        return {key: filled(each) for key, each in shape.items()}

    arguments, keywords = case.parameters["call"]
    found: tuple[Tensor | Any, ...] = tuple(filled(each) for each in arguments)
    return found, {key: filled(each) for key, each in keywords.items()}
