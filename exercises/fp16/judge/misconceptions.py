"""What students get wrong in `fp16`, each with a stored answer that shows it. The rungs
recognise them.
"""

from __future__ import annotations

from nbjudge.findings import Section

HEADING = Section("lab-7-01/03-fp16#a-heading-over-the-wrong-call")
CONVERSION_ROUTES = Section("lab-7-01/03-fp16#conversion-routes")
VALIDITY = Section("lab-7-01/03-fp16#validity")
TOO_LARGE = Section("lab-7-01/03-fp16#numbers-that-do-not-fit")
RANGE = Section("lab-7-01/03-fp16#range")


class Mistakes:
    """Those that a rung recognises by itself."""

    quantize_dynamic = HEADING.mistake("""quantize_dynamic makes INT8,
        whatever the heading above it says. FP16 is a conversion of floats.""")
    unchanged = CONVERSION_ROUTES.mistake("""The model came back as it was, or only its inputs and
        outputs were touched.""")
    unsorted = VALIDITY.mistake("""New Casts were appended to the list of nodes. It has to be
        sorted: a value's writer stands before its readers.""")
    stale_value_info = VALIDITY.mistake("""value_info says another type than the value now has.
        Change the entry with the value, or remove it: a tool can infer it again.""")
    double_casts = VALIDITY.mistake("""Two nodes that stay float32 read the same value, and each got
        a Cast of the same name. One Cast serves both.""")
    half_range = VALIDITY.mistake("""onnx.defs.get_schema says what an operator takes: Range does
        not take float16, and the scales of Resize are float32.""")
    misses_constants = VALIDITY.mistake("""One of its inputs is float32 still and another is
        float16: a constant, a Cast or a ConstantOfShape was missed.""")
    float_zeros = VALIDITY.mistake("""A ConstantOfShape without a value writes zeros of float32. Give
        it a value of float16.""")
    half_borders = CONVERSION_ROUTES.mistake("""A caller of the model feeds float32 and reads
        float32. Keep the types of inputs and outputs, and put a Cast behind or before them.""")
    infinite_weights = TOO_LARGE.mistake("""astype(np.float16) makes such a number
        infinite. Look for numbers that are finite before and infinite after.""")
    library_clips = TOO_LARGE.mistake("""The converter clips at its max_finite_val and
        says so only in its debug log. Keep the nodes that read such a number out of the conversion.
    """)
    finite_masks = RANGE.mistake("float16 has infinities. A mask of minus infinities stays one.")
    keeps_infinities = TOO_LARGE.mistake("""An infinity of the model stays one in float16, so it is
        no reason to keep a tensor in float32: look for numbers that are finite before.""")
    largest_number = TOO_LARGE.mistake("""The largest float16 is 65504, and what lies less than half
        a step above is rounded to it. Round first, and then look for new infinities.""")
    truncates = RANGE.mistake("""The bytes were reinterpreted, or cut instead of rounded. numpy's
        astype(np.float16) rounds to nearest, ties to even.""")
    library_raises_small = RANGE.mistake("""The converter replaces numbers below its
        min_positive_val by that value. The nearest float16 of such a number is 0.""")
    flushes_subnormals = RANGE.mistake("""Below 6.1e-5 float16 has subnormal numbers, down to 6e-8.
        They are worth keeping.""")
    clips_values = CONVERSION_ROUTES.mistake("""An optimizer, or another export, wrote this graph. A
        conversion changes types, and adds Casts.""")
    library_blocks_much = CONVERSION_ROUTES.mistake("""A block list keeps more nodes in float32 than
        necessary, or a Cast back to float16 is missing, so what follows stays float32.""")
    casts_large_numbers = TOO_LARGE.mistake("""The number is float32, but it is cast
        before the node reads it. The node has to compute in float32: cast its other inputs.""")
    taken_name = VALIDITY.mistake("""The model has a value of this name already. A name that you
        make has to be new: look at the names of all inputs, initializers and values first.""")
    constant_given_out = VALIDITY.mistake("""Each output of the graph is written once, by one Cast.
        An initializer that is an output needs a new name where it is rounded, because now a Cast
        writes the output.""")
    large_given_out = TOO_LARGE.mistake("""An initializer with a number that does not fit stays as it
        is, under its name. If it is an output of the graph as well, no Cast has to write that.""")
    input_given_out = CONVERSION_ROUTES.mistake("""An input that is an output as well has its
        float32 numbers already. No Cast writes it.""")
    dead_cast = CONVERSION_ROUTES.mistake("""A Cast stands behind an input that no node reads, so
        that nothing reads the Cast either.""")
    default_converted = CONVERSION_ROUTES.mistake("""An initializer that is a graph input as well is
        the input's default. It has the input's type, and a Cast stands behind it as behind every
        other input.""")
    bare_border = CONVERSION_ROUTES.mistake("""The node computes in float32, so the graph is valid.
        But the task asks for a Cast at every border all the same.""")
    idle_casts = CONVERSION_ROUTES.mistake("""A Cast from a type to the same type does nothing. The
        argument's own Cast to float32 becomes one to float16.""")
