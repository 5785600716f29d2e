"""`fp16`: a float32 model becomes a float16 one that is valid and computes the same, and where does a float16 model overflow?

`to_fp16(model)`
1. Inputs, outputs, their names and types stay; a Cast stands where float32 meets float16.
2. Each float32 number of an initializer or Constant is rounded to the nearest float16. A tensor with a finite number that would become
   infinite stays float32.
3. A node that reads such a tensor computes in float32, and so does one whose operator does not take float16. All others compute in float16.
4. Nothing else changes, and the checker and ONNX Runtime accept the model.

`find_overflow(model, feeds)`
5. A value overflows where a node whose inputs are all finite writes an infinity or a NaN; Constants hold what they were given.
6. It is looked for in the values that ONNX defines: each float16 operation gives float16. ONNX Runtime's CPU provider computes otherwise.
"""

from autograder.exercises.fp16.exercise import Fp16

EXERCISE = Fp16()

__all__ = ["EXERCISE"]
