"""`layernorm`: give back the model that has Identity in place of each LayerNorm, without the
Identities.

1. A LayerNorm is a node LayerNormalization, or the nodes that compute (x - mean) / sqrt(variance +
   epsilon) over the last axes, with the scale and bias behind them: a Mul, then perhaps an Add,
   with a constant of one number per column.
2. What read its result reads x. RMSNorms, normalisations over other axes, and the like stay.
3. What nothing reads any more goes; what is still read stays: a centred value, a Mean or InvStdDev
   with its node.
4. Everything else stays: the other nodes, the names and types of the graph's inputs and outputs,
   the opset imports.
5. An Identity stands only where it writes an output of its graph, whose name has to be kept.

The outputs grow without LayerNorm, so that all comparison is relative; and the original model's
outputs are no reference.
"""

from __future__ import annotations

from formatlab_exercises.shared.surgery import Surgery
from nbjudge.contract import by_name

SIGNATURE = "remove_layernorm(model) -> onnx.ModelProto"


class LayerNorm(Surgery):
    functions = by_name(SIGNATURE)
    minutes = 140


EXERCISE = LayerNorm()
