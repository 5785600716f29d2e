"""The machine that is measured: variants that take time and a clock that shows it, both made up, so
that the truth is known.

1. A call takes its variant's cost, times what warm-up is left, the machine's slowdown, a noise of 2
   %, and now and then it is an outlier, with at least `BETWEEN_OUTLIERS` calls between two, as if
   garbage had to pile up first, and none among the first `BEFORE_OUTLIERS`, where a short warm-up
   would look as if it had ended.
2. Warm-up: call k of the first `warm_calls` takes `first ** (1 - k / warm_calls)` times as long,
   the very first one twice that. From call to call it falls by the same share, 1.8 % or more, so
   that ten calls show it through the noise.
3. The machine slows down only from the moment on when every variant is warm, so that the two cannot
   be mistaken for each other: by `heat`, slowly, and in spells of load that come and go, a quarter
   of the time at most: more, and the median would be theirs.
4. The clock starts anywhere, never goes back, takes `READ_NS` to read, and shows whole multiples of
   its resolution.
"""

from __future__ import annotations

import numpy as np

from formatlab_exercises.benchmark.ask import CLOCK, MAX_QUESTIONS
from formatlab_exercises.benchmark.judge.cases import kind_of
from nbjudge.contract import Case, Server

HUNG_UP = -1  # in the log: the machine answers no more
LOG = "log.bin"
NOISE = 0.02
BETWEEN_OUTLIERS = 4
BEFORE_OUTLIERS = 20
READ_NS = 60
# In rounds, a round being the time in which every variant runs once: how long a spell of load
# lasts, and how long there is none.
SPELL = (2.0, 4.0)
CALM = (12.0, 20.0)
LOAD = (1.4, 2.2)
HEAT = (0.15, 0.3)


class Machine(Server):
    """`costs` are the variants' true costs in ns, `warm_calls` the calls after which each is warm,
    `resolution` the clock's, in ns.
    """

    def __init__(self, case: Case):
        kind = kind_of(case)
        rng = np.random.default_rng([case.seed, sum(case.name.encode())])
        count = len(case.parameters["variants"])
        base = 10 ** rng.uniform(5.5, 7)
        self.costs = [base * rng.uniform(0.6, 1.8) for _ in range(count)]
        self.resolution = int(rng.choice([20, 100, 1000]))
        warm_ups = [kind.warm_ups[at % len(kind.warm_ups)] for at in range(count)]
        rng.shuffle(warm_ups)
        self.warm_calls = [int(rng.integers(low, high + 1)) for low, high in warm_ups]
        self._first = [
            rng.uniform(20, 40) if calls > 20 else rng.uniform(3, 6) for calls in self.warm_calls
        ]
        self._offset = int(rng.integers(10**9, 10**15))
        self._outliers = kind.outliers
        self._round = sum(self.costs)
        self._heat, self._heating = rng.uniform(*HEAT), case.parameters["rounds"] * self._round
        self._noise, self._weather = rng.spawn(2)
        self._now = 0.0
        self._all_warm: float | None = None
        self._spell = (0.0, 0.0, 1.0)
        self._calls, self._since_outlier = [0] * count, BETWEEN_OUTLIERS - BEFORE_OUTLIERS
        self._log: list[tuple[int, int]] = []

    def reply(self, question: int) -> int | None:
        """The clock's reading in ns, or the number of calls that a variant has had."""
        if len(self._log) >= MAX_QUESTIONS or not CLOCK <= question <= len(self.costs):
            if not self._log or self._log[-1][0] != HUNG_UP:
                self._log.append((HUNG_UP, 0))
            return None
        value = self._read() if question == CLOCK else self._call(question - 1)
        self._log.append((question, value))
        return value

    def log(self) -> dict[str, bytes]:
        """Pairs of int64: the question and its reply."""
        return {LOG: np.array(self._log, "<i8").tobytes()}

    def warm_up(self, variant: int, call: int) -> float:
        """How many times its cost the call takes because the variant is not warm yet."""
        calls, first = self.warm_calls[variant], self._first[variant]
        return first ** (1 - call / calls) * (2 if call == 0 else 1) if call < calls else 1.0

    def _read(self) -> int:
        self._now += READ_NS
        return (self._offset + int(self._now)) // self.resolution * self.resolution

    def _call(self, variant: int) -> int:
        noise, chance, size = self._noise.normal(), self._noise.random(), self._noise.pareto(1.5)
        took = (
            self.costs[variant]
            * self.warm_up(variant, self._calls[variant])
            * self._slowdown()
            * np.exp(NOISE * noise)
        )
        self._since_outlier += 1
        if chance < self._outliers and self._since_outlier > BETWEEN_OUTLIERS:
            self._since_outlier = 0
            took *= 1.5 + min(size, 30.0)
        self._now += took
        self._calls[variant] += 1
        if self._all_warm is None and all(
            had >= needed for had, needed in zip(self._calls, self.warm_calls, strict=True)
        ):
            self._all_warm = self._now
            self._spell = self._next_spell(self._now, (2.0, 8.0))
        return self._calls[variant]

    def _slowdown(self) -> float:
        if self._all_warm is None:
            return 1.0
        while self._now > self._spell[1]:
            self._spell = self._next_spell(self._spell[1], CALM)
        start, _, load = self._spell
        heat = 1 + self._heat * (1 - np.exp((self._all_warm - self._now) / self._heating))
        return heat * (load if self._now >= start else 1.0)

    def _next_spell(self, after: float, calm: tuple[float, float]) -> tuple[float, float, float]:
        start = after + self._weather.uniform(*calm) * self._round
        load = self._weather.uniform(*LOAD)
        return start, start + self._weather.uniform(*SPELL) * load * self._round, load
