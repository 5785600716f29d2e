"""Whether nbgrader, as it is started in a course's folder, would run what students handed in
anywhere but in a box: tried, in a process of its own that starts as `nbgrader autograde` does.

So it reads what nbgrader reads, in the order in which nbgrader does it: the account's and the
system's settings files, those of the course in Python and in JSON, and what they import.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from nbgrader.apps import api, autogradeapp, generatefeedbackapp
from nbgrader.apps.autogradeapp import AutogradeApp
from nbgrader.converters.base import BaseConverter
from nbgrader.exchange.default import ExchangeCollect
from nbgrader.server_extensions.formgrader import formgrader

from nbjudge.course import boxed, exchange, probing
from nbjudge.course.feedback import StudentFeedback
from nbjudge.course.nbgrader_hooks import HOOK, SandboxedAutograde
from nbjudge.course.timed import CoursePage

SECONDS = 300


@dataclass(frozen=True)
class Tried:
    """`problem` is what would not be boxed, and what to do; None where all holds. `steps` are the
    names of the steps that a probe notebook went through, `remarks` what is the course's own to
    know. `is_ours` is whether the two lines, or others that do the same, took effect at all.
    """

    problem: str | None = None
    is_ours: bool = True
    steps: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        """For the terminal, what holds and what was tried."""
        lines = (
            f"nbgrader was started in the course, with all of its settings, and a notebook that tries {probing.TRIED} did not get out by "
            f"{' or '.join(self.steps)}",
            *self.remarks,
        )
        return ". ".join(lines)


def try_course(root: Path) -> Tried:
    """Start nbgrader in the course's folder, and look at what it would run."""
    command = [sys.executable, "-P", "-m", __name__]
    try:
        done = subprocess.run(
            command, cwd=root, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Tried(f"nbgrader's settings in {root} were not read within {SECONDS} s", False)
    marked = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    if not marked:
        end = " ".join(done.stderr.split()[-40:])
        return Tried(f"nbgrader does not start in {root}: {end}", False)
    found = json.loads(marked[-1].removeprefix(MARK))
    return Tried(
        problem=found["problem"],
        is_ours=found["is_ours"],
        steps=tuple(found["steps"]),
        remarks=tuple(found["remarks"]),
    )


MARK = "`course adopt` tried: "


class Trial(AutogradeApp):
    """nbgrader's autograde up to where it would touch the first submission."""

    def start(self) -> None:
        super(AutogradeApp, self).start()
        try:
            found = self._found()
        except boxed.NotBoxed as problem:
            found = Tried(str(problem))
        print(f"\n{MARK}{json.dumps(vars(found))}")

    def _found(self) -> Tried:
        """Raises NotBoxed."""
        classes = (
            (autogradeapp.Autograde, SandboxedAutograde, "grades"),
            (api.Autograde, SandboxedAutograde, "grades, by formgrader's button,"),
            (generatefeedbackapp.GenerateFeedback, StudentFeedback, "makes feedback"),
            (api.GenerateFeedback, StudentFeedback, "makes feedback, by formgrader's button,"),
            (formgrader.HTMLExporter, CoursePage, "shows pages in formgrader"),
        )
        for kind, ours, does in classes:
            if not issubclass(kind, ours):
                return Tried(f"nbgrader {does} by {boxed.named(kind)}", is_ours=False)
        steps = []
        for kind in (autogradeapp.Autograde, generatefeedbackapp.GenerateFeedback):
            converter = _ready(kind(coursedir=self.coursedir, parent=self))
            with boxed.no_kernels():
                steps += converter.require_walls()
        return Tried(steps=tuple(dict.fromkeys(steps)), remarks=tuple(self._remarks()))

    def _remarks(self):
        collects = exchange.kind_of(self.exchange)
        if not issubclass(collects, ExchangeCollect):
            yield (
                f"`nbgrader collect` is {boxed.named(collects)}, which is not nbgrader's: what it does with links is its own"
            )
        for section in ("BaseConverter", "Autograde", "GenerateFeedback"):
            for hook in ("pre_convert_hook", "post_convert_hook"):
                named = self.config[section].get(hook)
                if named and HOOK not in str(named):
                    yield (
                        f"c.{section}.{hook} runs under your account, as before; it can start no kernel"
                    )


def _ready(converter: BaseConverter) -> BaseConverter:
    """As `start` of nbgrader's converters makes it."""
    converter.exporter = converter.exporter_class(parent=converter, config=converter.config)
    for step in converter.preprocessors:
        converter.exporter.register_preprocessor(step)
    return converter


def main() -> None:
    app = Trial()
    app.initialize(["--quiet"])
    app.start()


if __name__ == "__main__":
    main()
