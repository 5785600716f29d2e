"""What the notebooks import: `show` draws, `measure` times, `models` builds; the other modules read
and compare ONNX models.

It knows no exercise. Importing it is cheap, and makes torchvision importable beside another build
of torch.
"""

import nbjudge  # noqa: F401
