"""What `quantize` asks of a student's own code: tensors of a few numbers whose steps can be counted
on paper.
"""

from __future__ import annotations

import html

import numpy as np

from formatlab_exercises.shared.arrays import ANSWER, GIVEN, packed, unpacked
from nbjudge.contract import Answer, Case, Defence


class QuantizeDefence(Defence):
    def inputs(self, instance: int) -> list[Case]:
        """Steps are powers of two, so that no quotient is rounded."""
        step = 0.5**instance
        below = 51 + 4 * instance
        asymmetric = [
            [-below, 10.2, 255 - below],
            [100 - below, 255],
            [-255, below - 100],
            [0, 0],
            [-below, 0.5, 1.5, 255 - below],
            [-below, 20, np.inf, 255 - below],
        ]
        symmetric = [
            [-below, 0.5, 1.5, 127],
            [-127, below + 0.7],
            [0, 0],
            [-np.inf, -below, 127],
        ]
        return [
            *(self._case(np.array(x) * step, False) for x in asymmetric),
            *(self._case(np.array(x) * step, True) for x in symmetric),
        ]

    def _case(self, x: np.ndarray, symmetric: bool) -> Case:
        return Case(
            "", {GIVEN: packed({"x": x.astype(np.float32)})}, {"symmetric": symmetric}, public=True
        )

    def drawn(self, case: Case) -> str:
        numbers = ", ".join(f"{number:g}" for number in unpacked(case.files[GIVEN])["x"])
        call = f"x = [{numbers}]\nsymmetric = {case.parameters['symmetric']}"
        return f"<pre>{html.escape(call)}</pre>"

    def outcome(self, case: Case, answer: Answer) -> str:
        found = unpacked(answer.files[ANSWER])
        codes = ", ".join(f"{code:g}" for code in found["codes"].ravel())
        scale, zero = float(found["scale"]), float(found["zero_point"])
        changed = ", and x is changed" if found["changed"].item() else ""
        kind = found["codes"].dtype
        return f"codes [{codes}] in {kind}, scale {scale:g}, zero point {zero:g}{changed}"

    def value(self, value: object) -> str | None:
        if type(value) is np.ndarray and value.dtype.kind in "biuf" and value.size <= 5:
            return f"[{', '.join(f'{number:g}' for number in value.ravel())}]"
        if isinstance(value, np.generic) and value.dtype.kind in "biuf":
            return f"{value.item():g}"
        return None


DEFENCE = QuantizeDefence()
