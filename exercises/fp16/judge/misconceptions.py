"""What students get wrong in `fp16`, each with a stored answer that shows it. `findings` and
`rungs` recognise them.
"""

from __future__ import annotations

from autograder.findings import misconception


@misconception("lab-7-01/03-fp16#a-heading-over-the-wrong-call")
def quantize_dynamic():
    """quantize_dynamic makes INT8, whatever the heading above it says. FP16 is a conversion of
    floats.
    """


@misconception("lab-7-01/03-fp16#conversion-routes")
def unchanged():
    """The model came back as it was, or only its inputs and outputs were touched."""


@misconception("lab-7-01/03-fp16#validity")
def unsorted():
    """New Casts were appended to the list of nodes. It has to be sorted: a value's writer stands
    before its readers.
    """


@misconception("lab-7-01/03-fp16#validity")
def stale_value_info():
    """value_info still says float32 where the value is float16 now. Change it, or remove it: a tool
    can infer it again.
    """


@misconception("lab-7-01/03-fp16#validity")
def double_casts():
    """Two nodes that stay float32 read the same value, and each got a Cast of the same name. One
    Cast serves both.
    """


@misconception("lab-7-01/03-fp16#validity")
def half_range():
    """onnx.defs.get_schema says what an operator takes: Range does not take float16, and the scales
    of Resize are float32.
    """


@misconception("lab-7-01/03-fp16#validity")
def misses_constants():
    """One of its inputs is float32 still and another is float16: a constant, a Cast or a
    ConstantOfShape was missed.
    """


@misconception("lab-7-01/03-fp16#conversion-routes")
def half_borders():
    """A caller of the model feeds float32 and reads float32. Keep the types of inputs and outputs,
    and put a Cast behind or before them.
    """


@misconception("lab-7-01/03-fp16#numbers-that-do-not-fit")
def infinite_weights():
    """astype(np.float16) makes such a number infinite. Look for numbers that are finite before and
    infinite after.
    """


@misconception("lab-7-01/03-fp16#numbers-that-do-not-fit")
def library_clips():
    """The converter clips at its max_finite_val and says so only in its debug log. Keep the nodes
    that read such a number out of the conversion.
    """


@misconception("lab-7-01/03-fp16#range")
def finite_masks():
    """float16 has infinities. A mask of minus infinities stays one."""


@misconception("lab-7-01/03-fp16#range")
def truncates():
    """The bytes were reinterpreted, or cut instead of rounded. numpy's astype(np.float16) rounds to
    nearest, ties to even.
    """


@misconception("lab-7-01/03-fp16#range")
def library_raises_small():
    """The converter replaces numbers below its min_positive_val by that value. The nearest float16
    of such a number is 0.
    """


@misconception("lab-7-01/03-fp16#range")
def flushes_subnormals():
    """Below 6.1e-5 float16 has subnormal numbers, down to 6e-8. They are worth keeping."""


@misconception("lab-7-01/03-fp16#conversion-routes")
def clips_values():
    """An optimizer, or another export, wrote this graph. A conversion changes types, and adds
    Casts.
    """


@misconception("lab-7-01/03-fp16#conversion-routes")
def library_blocks_much():
    """A block list keeps more nodes in float32 than necessary, or a Cast back to float16 is
    missing, so what follows stays float32.
    """


@misconception("lab-7-01/03-fp16#numbers-that-do-not-fit")
def casts_large_numbers():
    """The number is float32, but it is cast before the node reads it. The node has to compute in
    float32: cast its other inputs.
    """


@misconception("lab-7-01/03-fp16#conversion-routes")
def bare_border():
    """The node computes in float32, so the graph is valid. But the task asks for a Cast at every
    border all the same.
    """


@misconception("lab-7-01/03-fp16#conversion-routes")
def idle_casts():
    """A Cast from a type to the same type does nothing. The argument's own Cast to float32 becomes
    one to float16.
    """
