"""`dropout`: give back a model that means at inference what the argument means, without its
Dropouts.

1. No Dropout is left: not in the main graph, not in a subgraph at any depth, not in a function.
2. What read a Dropout's output reads its input; a mask that is used is all True, of the input's
   shape.
3. Everything else stays: the other nodes, the names and types of the graph's inputs and outputs,
   the opset imports.
4. An Identity stands only where it writes an output of its graph, whose name has to be kept.
5. What served the Dropouts alone goes with them: initializers, Constants, the nodes that computed a
   ratio.
"""

from __future__ import annotations

from formatlab_exercises.shared.surgery import Surgery
from nbjudge.contract import by_name

SIGNATURE = "remove_dropout(model) -> onnx.ModelProto"


class Dropout(Surgery):
    functions = by_name(SIGNATURE)
    minutes = 100


EXERCISE = Dropout()
