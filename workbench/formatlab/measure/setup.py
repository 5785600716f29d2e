"""One variant of a model that `course bench` measures: a file, and how a session is made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from formatlab.measure.precisions import Precision
from formatlab.measure.request import Level
from formatlab.measure.sessions import CPU, Runner, short

Feeds = dict[str, np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What makes one variant's session, in this process or in another one.

    `file`: what the session loads. `source`: the user's file that it was made from. `label`: what
    tells that one from the other files that are compared, empty where there is only one. `plain`:
    whether the files are all that differs. `options`: what else differs, in words. `share`: which
    share of the nodes runs on the provider, known once a session was tried.
    """

    file: Path
    source: Path
    precision: Precision = Precision.given
    provider: str = CPU
    threads: int = 1
    level: Level = Level.all
    cuda_graph: bool = False
    tf32: bool = False
    entries: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    plain: bool = False
    options: tuple[str, ...] = ()
    share: float = 1.0

    @property
    def name(self) -> str:
        """`CPU fp16, graph basic`. A provider that runs a part is named with that part: `CUDA 40 %
        fp16`.
        """
        where = short(self.provider) + self._part()
        if not self.plain:
            how = [f"{where} {self.precision}"]
        else:
            how = [where] if self.share < 1 else []
        return ", ".join([*filter(None, [self.label]), *how, *self.options])

    def _part(self) -> str:
        if self.share == 1:
            return ""
        # Never 0 or 100: a part is neither nothing nor all.
        return f" {min(max(round(100 * self.share), 1), 99)} %"

    def runner(self, feeds: Feeds, like: Sequence[np.ndarray] = (), profile: str = "") -> Runner:
        """Raises CannotBench."""
        return Runner(
            self.file,
            feeds,
            self.provider,
            self.threads,
            like=like,
            cuda_graph=self.cuda_graph,
            tf32=self.tf32,
            level=self.level,
            entries=self.entries,
            profile=profile,
        )
