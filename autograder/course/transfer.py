"""What handing in and collecting through nbgrader's exchange have in common."""

from __future__ import annotations

from nbgrader.exchange import Exchange, ExchangeError


class ExchangeProblem(RuntimeError):
    """A submission could not be handed in or collected. The text says why, and what to do."""


def start(exchange: Exchange, doing: str, otherwise: str) -> None:
    """Let nbgrader do it. Raises ExchangeProblem, which ends with what to do `otherwise`."""
    try:
        exchange.start()
    except ExchangeError as error:
        raise ExchangeProblem(f"{doing} failed: {error}. {otherwise}") from None
