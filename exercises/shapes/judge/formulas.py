"""Which formula gives these sizes. Those whose decorator ends in `_so` are shown by no stored answer, and
have no id.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from autograder.findings import cause, misconception
from exercises.shapes.judge.ways import CONV, Table, Way, declare, few_first


class Formula(NamedTuple):
    """A way to compute an output size: each field is empty where it is right, else the name of what
    it does instead.
    """

    extent: str = ""
    pads: str = ""
    rounding: str = ""
    drop: str = ""
    fits: str = ""

    def size(
        self, size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False
    ) -> int | None:
        """The number of windows; None for none."""
        begin, end = padding
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
        }.get(self.drop)
        if up and limit is not None and (count - 1) * stride >= limit:
            count -= 1
        if self.rounding == "no one":
            count -= 1
        if self.rounding == "short" and up and span < 0:
            return None
        if count >= 1:
            return count
        return {"": None, "one": 1, "zero": 0}.get(self.fits, count)


FORMULAS: Table = {"extent": {}, "pads": {}, "rounding": {}, "drop": {}, "fits": {}}

formula_with = partial(declare, FORMULAS, misconception, read=CONV)

formula_with_so = partial(declare, FORMULAS, cause, read=CONV)


@formula_with("extent", "kernel", "the sizes without dilation")
def no_dilation():
    """A dilated kernel spreads its elements: from the first to the last it spans dilation * (kernel
    - 1) + 1 positions.
    """


@formula_with("extent", "product", "a window that spans dilation * kernel positions")
def dilated_kernel():
    """Between k elements there are k - 1 gaps: the window spans dilation * (kernel - 1) + 1
    positions.
    """


@formula_with("pads", "twice first", "the first padding on both sides")
def symmetric_padding():
    """The two ends may be padded differently: the input grows by their sum, not by twice one of
    them.
    """


@formula_with_so("pads", "once", "the padding of one side only")
def _one_padding():
    """The input grows by the padding at its beginning and by that at its end."""


@formula_with_so("pads", "none", "the sizes without padding")
def _no_padding():
    """The windows slide over the padded input."""


@formula_with("rounding", "down", "the sizes for ceil_mode=False")
def ignores_ceil():
    """With ceil_mode an incomplete last step counts: the quotient is rounded up."""


@formula_with_so("rounding", "up", "the sizes for ceil_mode=True everywhere")
def _always_ceil():
    """Without ceil_mode an incomplete last step is no window."""


@formula_with("rounding", "cut", "a window where the input is too short for one")
def int_for_floor():
    """int() cuts towards zero: int(-0.5) is 0, and the floor of -0.5 is -1. Use // or math.floor."""


@formula_with("rounding", "short", "no window where rounding up gives one")
def no_window_from_ceil():
    """Rule 3 comes before rule 4: an input that is shorter than the window has a negative quotient,
    and above -1 it is rounded up to 0. That is one window. Only where the rounded quotient is below
    0 no window is left.
    """


@formula_with("rounding", "no one", "one window too few everywhere")
def steps_not_windows():
    """The quotient counts steps. There is one window before the first step."""


@formula_with("drop", "never", "windows that start in the padding at the end")
def ceil_as_inferred():
    """With ceil_mode, a last window that starts behind the input and its first padding is dropped.
    Not even onnx's shape inference does that; PyTorch and ONNX Runtime do.
    """


@formula_with("drop", "no begin", "a last window dropped too early")
def last_window_early():
    """Positions are counted from the start of the padded input: the input itself ends at size +
    padding[0].
    """


@formula_with_so("drop", "both", "windows that start in the padding at the end, or behind it")
def _last_window_anywhere():
    """A window has to start before the padding at the end starts, not before it ends: at size +
    padding[0] it is too late.
    """


@formula_with("drop", "late", "a last window that starts where the padding at the end starts")
def last_window_late():
    """The first position of that padding is size + padding[0]; a window that starts right there is
    dropped too. Use >=, not >.
    """


@formula_with("fits", "negative", "sizes of 0 or less")
def no_error():
    """Where no window fits there is no output: raise ValueError."""


@formula_with_so("fits", "zero", "0 where no window fits")
def _zero_windows():
    """Where no window fits there is no output, not an empty one: raise ValueError."""


@formula_with_so("fits", "one", "1 where no window fits")
def _one_window_always():
    """Where no window fits there is no output: raise ValueError."""


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
