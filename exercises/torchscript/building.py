"""The modules that the exercise `torchscript` hands to students, made of the source and the numbers of
a case.
"""

import numpy as np
import torch

from formatlab_exercises.shared import handed
from nbjudge.contract import Case


def build(case: Case) -> torch.nn.Module:
    """Return the module of a case: its weights and its parts' modes are the case's, whatever torch's
    random numbers are.

    The class is a fresh one: of one that it could not compile, torch.jit says the reason only the
    first time in a process.
    """
    recipe = case.parameters
    module: torch.nn.Module = handed.namespace(case.files[handed.SOURCE]).Module(recipe)
    rng = np.random.default_rng(recipe["weights"])
    with torch.no_grad():
        for name, tensor in module.state_dict().items():
            if name.endswith("running_var"):
                tensor.copy_(torch.from_numpy(rng.uniform(0.5, 2, tensor.shape)))
            elif tensor.is_floating_point():
                tensor.copy_(
                    torch.from_numpy(
                        rng.normal(size=tensor.shape) / max(1, tensor.shape[-1]) ** 0.5
                    )
                )
    module.train(recipe["training"])
    # A part in the other mode, as in fine-tuning with frozen statistics.
    for name in recipe["turned"]:
        module.get_submodule(name).train(not recipe["training"])
    return module
