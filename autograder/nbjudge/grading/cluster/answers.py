"""What a task on a worker returned: fetched from Dask, and held to be the one frame that it must be."""

from __future__ import annotations

import io

from nbjudge import wire
from nbjudge.grading.cluster import sealed

GATHER_SECONDS = 30
NOT_BYTES = "its worker answered with something that is not bytes"


class NoAnswer(Exception):
    """Why there is none; empty where a machine was lost that may come again."""


def gathered(client, key: str) -> object:
    """What the task of that key returned; None where it is lost. Raises NoAnswer.

    The scheduler itself is asked, and for one answer only: Dask's own way waits until a lost one is
    there again, and joins requests.
    """
    gather = client.scheduler.gather
    try:
        answer = client.sync(gather, keys=[key], callback_timeout=GATHER_SECONDS)
        return answer["data"][key] if answer["status"] == "OK" else None
    except TypeError:  # what the client's deserializers refuse
        raise NoAnswer(NOT_BYTES) from None
    except TimeoutError:  # the scheduler waits for a machine that is gone
        raise NoAnswer("") from None
    except Exception as error:
        raise NoAnswer(
            f"its answer could not be fetched ({type(error).__name__}), or is larger than {sealed.MAX_MESSAGE >> 20} MB"
        ) from None


def frame_of(value: object) -> tuple[wire.Frame | None, str]:
    """The frame, or why it is none."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        return None, NOT_BYTES
    try:
        (frame,) = wire.read(io.BytesIO(value), sealed.MAX_MESSAGE)
    except ValueError:
        return None, "its worker's answer is not one frame"
    return frame, ""
