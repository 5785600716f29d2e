"""`saturation`: an INT8 model that is right in exact arithmetic, and saturates on an x86 processor
without VNNI, is mended.

1. Such a processor adds pairs of products, uint8 times int8, in 16 bits. In no layer may two
   weights that are added, each times 255, leave them: of the codes of one output, the two largest
   add up to 128 at most, and the two smallest to -128 at least.
2. A layer that keeps to this is left as it is: its codes, scales and zero points.
3. The others stay quantized, with weights in 8 bits, and lose one bit at most. Ties do not all
   go up, down, or towards 0: half of the codes are odd, and what they lose adds up in a sum.
4. The scale of a bias stays the product of the scales of the layer's input and weight, as a kernel
   of integers takes it to be.
"""

from __future__ import annotations

from formatlab_exercises.shared.surgery import Surgery
from nbjudge.contract import by_name

SIGNATURE = "without_saturation(model) -> onnx.ModelProto"


class Saturation(Surgery):
    functions = by_name(SIGNATURE)
    minutes = 50


EXERCISE = Saturation()
