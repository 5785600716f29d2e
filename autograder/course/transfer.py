"""What handing in and collecting through nbgrader's exchange have in common."""

from __future__ import annotations

from nbgrader.exchange import Exchange, ExchangeError


class ExchangeProblem(RuntimeError):
    """A submission could not be handed in or collected. The text says why, and what to do."""


def start(exchange: Exchange, doing: str) -> None:
    """Let nbgrader do it. Raises ExchangeProblem."""
    try:
        exchange.start()
    except ExchangeError as error:
        raise ExchangeProblem(
            f"{doing} failed: {error}. Ask your instructor where the exchange is, or use --zip"
        ) from None
