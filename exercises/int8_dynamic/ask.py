"""`int8_dynamic`: give back a BERT whose products with weights are computed in integers, with
activations quantized as they come.

1. Every MatMul and Gemm with a weight multiplies 8-bit integers; the activation's scale is computed
   from the activation.
2. The file has at most 30 % of the argument's bytes: the embedding tables are 8 bits wide as well.
3. The embeddings agree with the argument's to a mean cosine of 0.98: each output channel of a
   weight has a scale of its own.
4. Names, types and dimensions of inputs and outputs stay, and so does the argument.

What is graded is structure, size and agreement in exact integer arithmetic: never a time, and never
what a native kernel makes of it.
"""

from __future__ import annotations

from formatlab_exercises.shared.surgery import Surgery
from nbjudge.contract import by_name

SIGNATURE = "quantize_bert(model) -> onnx.ModelProto"


class Int8Dynamic(Surgery):
    functions = by_name(SIGNATURE)
    minutes = 30


EXERCISE = Int8Dynamic()
