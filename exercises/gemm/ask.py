"""`gemm`: give back a model in which every pair of MatMul and Add that may be one Gemm is one, and
no other.

A pair is a MatMul and the Add that reads its product, in one graph. It may be fused when all of
this holds:

1. Both factors have two dimensions, and shape inference says so.
2. The bias has at most two, and each is 1, or the product's own dimension: the same number or the
   same name.
3. The Add reads the product once, and nothing else reads it: no node, in this graph or inside it.
4. The product is no output of its graph.
5. The element type is float16, float or double.

The Gemm stands where the Add stood and reads what the pair read. An Add of two products becomes one
Gemm, and either product will do. Rewritings that need more than one node (Reshape, Gemm, Reshape)
are not asked for: every other node stays as it is.
"""

from __future__ import annotations

from formatlab_exercises.shared.surgery import Surgery
from nbjudge.contract import by_name

SIGNATURE = "fuse_matmul_add(model) -> onnx.ModelProto"


class Gemm(Surgery):
    functions = by_name(SIGNATURE)
    minutes = 100


EXERCISE = Gemm()
