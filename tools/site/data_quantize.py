"""What the sliders of the page on quantization quantize: a weight of the digits CNN, and what its
first layer makes of images.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from formatlab.models import digits

IMAGES = 4
WEIGHT, ACTIVATION = "conv2.weight", "relu(conv1)"


def write(folder: Path) -> None:
    """Write `quantize.safetensors` into `folder`: float32 tensors of one dimension."""
    save_file(
        tensors(), Path(folder) / "quantize.safetensors", {"made": "from the trained digits CNN"}
    )


def tensors() -> dict[str, np.ndarray]:
    """The weight of the second convolution, and the activations behind the first one for `IMAGES`
    images.
    """
    import torch

    model, images = digits.trained(), torch.from_numpy(digits.load().test_images[:IMAGES])
    with torch.no_grad():
        activation = torch.relu(model.conv1(images))
        found = {WEIGHT: model.conv2.weight, ACTIVATION: activation}
        return {name: value.flatten().contiguous().numpy() for name, value in found.items()}
