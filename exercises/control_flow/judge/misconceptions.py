"""What students get wrong in `control_flow`, each with a stored answer that shows it. `findings`
and `rungs` recognise them.
"""

from __future__ import annotations

from autograder.findings import misconception
from workbench import loading


@misconception("day-50/03-export#branches")
def raises_in_python_if():
    """A Python if or while asks for the value of a tensor that is only traced. Give both branches
    to torch.cond instead.
    """


@misconception("day-50/03-export#two-exporters")
def returns_program():
    """torch.onnx.export gives an ONNXProgram, which holds the model: return its model_proto."""


@misconception("day-50/03-export#dynamic-dimensions")
def fixed_length():
    """Without dynamic_shapes (or dynamic_axes, with the right name as key) an export keeps the
    sizes of its example.
    """


@misconception("day-50/03-export#two-exporters")
def own_names():
    """The names are the exporter's: pass input_names and output_names."""


@misconception("day-50/03-export#loops")
def frozen_state():
    """A value that the caller should pass is stored in the model. The function that you export has
    to take it as an argument.
    """


@misconception("day-50/03-export#loops")
def all_states():
    """The states of all steps, or a batch dimension, are returned. Return only what the plain
    Python code gives.
    """


@misconception("day-50/03-export#branches")
def where():
    """Both branches are computed for every input, and one result is thrown away. This works, but it
    does the work twice: use torch.cond.
    """


@misconception("day-50/03-export#branches")
def baked_branch():
    """The exporter followed the example through your Python if, and wrote down what it saw: one
    branch. Use torch.cond.
    """


@misconception("day-50/03-export#branches")
def idle_if():
    """The work of both branches is done before the If, which only picks a result. Call the
    functions inside the branches.
    """


@misconception("day-50/03-export#branches")
def where_in_if():
    """One branch of the If holds the work of both functions. Each function belongs in a branch of
    its own.
    """


@misconception("day-50/03-export#loops")
def unrolled_loop():
    """Your Python for loop ran while the model was traced, once for each element of the example.
    The exporter never saw a loop.
    """


@misconception("day-50/03-export#branches")
def other_side():
    """The two branches may have changed places, or the predicate is computed from something else
    than the input.
    """


@misconception("day-50/03-export#branches")
def one_side_twice():
    """The other branch was never exported, or another graph is in its place. Run both on inputs of
    your own.
    """


@misconception("day-50/03-export#dynamic-dimensions")
def fixed_steps():
    """The number of steps is fixed, or depends on the example. It has to come from the sequence
    that the model is given.
    """


@misconception("day-50/03-export#loops")
def backwards():
    """One step is right and several are not: the elements come in another order, or a step does not
    begin with the state before it.
    """


@misconception("day-50/03-export#two-exporters")
def newest_versions():
    """helper.make_model takes the newest versions that onnx knows, and ONNX Runtime loads older
    ones. Keep those that the exporter wrote.
    """


@misconception("day-50/03-export#external-data")
def weights_elsewhere():
    """Only the model itself is handed in, no file beside it."""


# What stands behind the reasons for which a model is refused.
REFUSALS = {loading.NEWEST_VERSIONS: newest_versions, loading.OTHER_FILE: weights_elsewhere}
