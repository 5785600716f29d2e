"""`fp16`: a float32 model becomes a float16 one that is valid and computes the same.

1. Inputs, outputs, their names and types stay; a Cast stands where float32 meets float16.
2. Each float32 number of an initializer or Constant is rounded to the nearest float16. A tensor
   with a finite number that would become infinite stays float32.
3. A node that reads such a tensor computes in float32, and so does one whose operator does not take
   float16. All others compute in float16.
4. Nothing else changes, and the checker and ONNX Runtime accept the model.

The search for what overflows in such a model is the exercise `overflow`, in the same lab.
"""

from __future__ import annotations

from formatlab_exercises.shared.surgery import Surgery
from nbjudge.contract import by_name

SIGNATURE = "to_fp16(model) -> onnx.ModelProto"


class Fp16(Surgery):
    functions = by_name(SIGNATURE)
    minutes = 115


EXERCISE = Fp16()
