"""How a case and an answer are told to a box that checks or observes."""

from __future__ import annotations

from collections.abc import Iterator

from nbjudge import wire
from nbjudge.contract import Answer, Case


def of_case(case: Case) -> bytes:
    return wire.encode(
        "case",
        dict(case.files),
        name=case.name,
        parameters=dict(case.parameters),
        public=case.public,
        seed=case.seed,
    )


def of_answer(name: str, answer: Answer) -> Iterator[bytes]:
    return wire.pieces(
        "answer", dict(answer.files), case=name, outcome=answer.outcome, error=dict(answer.error)
    )
