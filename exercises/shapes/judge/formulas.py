"""Which formula gives these sizes. A `cause` is shown by no stored answer, and has no id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from formatlab_exercises.shapes.judge.ways import CONV, Table, Way, few_first


class Formula(NamedTuple):
    """A way to compute an output size: each field is empty where it is right, else the name of what
    it does instead.
    """

    extent: str = ""
    pads: str = ""
    rounding: str = ""
    drop: str = ""
    fits: str = ""
    default: str = ""
    one: str = ""

    def size(
        self, size, kernel, *, stride=None, padding=(0, 0), dilation=1, ceil_mode=False
    ) -> int | None:
        """The number of windows; None for none."""
        stride = stride or {"": 1, "kernel": kernel}[self.default]
        begin, end = padding
        if kernel == 1 and self.one:
            return size + begin + end
        extent = {"": dilation * (kernel - 1) + 1, "kernel": kernel, "product": dilation * kernel}[
            self.extent
        ]
        pads = {"": begin + end, "twice first": 2 * begin, "once": begin, "none": 0}[self.pads]
        span = size + pads - extent
        up = {"": ceil_mode, "down": False, "up": True}.get(self.rounding, ceil_mode)
        count = -(-span // stride) + 1 if up else span // stride + 1
        if self.rounding == "cut" and not up:
            count = int(span / stride) + 1
        limit = {
            "": size + begin,
            "no begin": size,
            "both": size + begin + end,
            "late": size + begin + 1,
            "padded": size + begin if end else None,
        }.get(self.drop)
        if up and limit is not None and (count - 1) * stride >= limit:
            count -= 1
        if self.rounding == "no one":
            count -= 1
        if self.rounding == "short" and up and span < 0:
            return None
        unfit = {"exact": span == 0, "alone": size < extent}.get(self.fits, False)
        if unfit and not ceil_mode:
            return None
        if count >= 1:
            return count
        return {"one": 1, "zero": 0, "negative": count}.get(self.fits)


class Mistakes:
    no_dilation = CONV.mistake("""A dilated kernel spreads its elements: from the first to the
        last it spans dilation * (kernel - 1) + 1 positions.""")
    dilated_kernel = CONV.mistake("""Between k elements there are k - 1 gaps: the window spans
        dilation * (kernel - 1) + 1 positions.""")
    symmetric_padding = CONV.mistake("""The two ends may be padded differently: the input
        grows by their sum, not by twice one of them.""")
    ignores_ceil = CONV.mistake("""With ceil_mode an incomplete last step counts: the quotient
        is rounded up.""")
    int_for_floor = CONV.mistake("""int() cuts towards zero: int(-0.5) is 0, and the floor of
        -0.5 is -1. Use // or math.floor.""")
    no_window_from_ceil = CONV.mistake("""Rule 3 comes before rule 4: an input that is shorter
        than the window has a negative quotient, and above -1 it is rounded up to 0. That is one
        window. Only where the rounded quotient is below 0 no window is left.""")
    steps_not_windows = CONV.mistake("""The quotient counts steps. There is one window before
        the first step.""")
    ceil_as_inferred = CONV.mistake("""With ceil_mode, a last window that starts behind the
        input and its first padding is dropped. Not even onnx's shape inference does that; PyTorch
        and ONNX Runtime do.""")
    last_window_early = CONV.mistake("""Positions are counted from the start of the padded
        input: the input itself ends at size + padding[0].""")
    last_window_late = CONV.mistake("""The first position of that padding is size +
        padding[0]; a window that starts right there is dropped too. Use >=, not >.""")
    pools_by_default = CONV.mistake("""A stride that is not given is 1. Only the pooling of PyTorch
        takes the size of its kernel then.""")
    kernel_of_one = CONV.mistake("""A window of one position moves by the stride, too, so it does not
        leave the size as it is.""")
    padded_alone = CONV.mistake("""The last window may start behind the input where there is no padding
        at its end, if the stride is longer than the window. It does not count there either.""")
    exact_fit = CONV.mistake("""A window that is as long as the padded input fits once: only where the
        quotient is below 0 no window is left.""")
    input_alone = CONV.mistake("""The window moves over the padded input, so it may be longer than the
        input itself.""")
    no_error = CONV.mistake("Where no window fits there is no output: raise ValueError.")


FORMULAS: Table = {
    "extent": {
        "kernel": Way("the sizes without dilation", Mistakes.no_dilation),
        "product": Way("a window that spans dilation * kernel positions", Mistakes.dilated_kernel),
    },
    "pads": {
        "twice first": Way("the first padding on both sides", Mistakes.symmetric_padding),
        "once": Way(
            "the padding of one side only",
            CONV.cause("The input grows by the padding at its beginning and by that at its end."),
        ),
        "none": Way(
            "the sizes without padding",
            CONV.cause("The windows slide over the padded input."),
        ),
    },
    "rounding": {
        "down": Way("the sizes for ceil_mode=False", Mistakes.ignores_ceil),
        "up": Way(
            "the sizes for ceil_mode=True everywhere",
            CONV.cause("Without ceil_mode an incomplete last step is no window."),
        ),
        "cut": Way("a window where the input is too short for one", Mistakes.int_for_floor),
        "short": Way("no window where rounding up gives one", Mistakes.no_window_from_ceil),
        "no one": Way("one window too few everywhere", Mistakes.steps_not_windows),
    },
    "drop": {
        "never": Way("windows that start in the padding at the end", Mistakes.ceil_as_inferred),
        "no begin": Way("a last window dropped too early", Mistakes.last_window_early),
        "both": Way(
            "windows that start in the padding at the end, or behind it",
            CONV.cause("""A window has to start before the padding at the end starts, not
                before it ends: at size + padding[0] it is too late."""),
        ),
        "padded": Way("windows that start behind an input without padding", Mistakes.padded_alone),
        "late": Way(
            "a last window that starts where the padding at the end starts",
            Mistakes.last_window_late,
        ),
    },
    "one": {
        "size": Way("the size itself for a window of one position", Mistakes.kernel_of_one),
    },
    "default": {
        "kernel": Way(
            "a stride of the kernel's size where none is given", Mistakes.pools_by_default
        ),
    },
    "fits": {
        "exact": Way("no window where one just fits", Mistakes.exact_fit),
        "alone": Way("no window where the padded input has one", Mistakes.input_alone),
        "negative": Way("sizes of 0 or less", Mistakes.no_error),
        "zero": Way(
            "0 where no window fits",
            CONV.cause("""Where no window fits there is no output, not an empty one: raise
                ValueError."""),
        ),
        "one": Way(
            "1 where no window fits",
            CONV.cause("Where no window fits there is no output: raise ValueError."),
        ),
    },
}


def formula(sizes: list[Mapping], found: list[int | None]) -> tuple[Way | None, bool]:
    """The mistake that gives exactly these sizes, None for a right formula; and whether any formula
    gives them.
    """
    for parts in few_first(FORMULAS):
        wrong = Formula(**parts)
        if all(
            wrong.size(**arguments) == size for arguments, size in zip(sizes, found, strict=True)
        ):
            return next((FORMULAS[field][name] for field, name in parts.items()), None), True
    return None, False
