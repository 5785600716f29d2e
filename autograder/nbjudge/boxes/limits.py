"""How much a box may use."""

from __future__ import annotations

import os
from dataclasses import dataclass

GIB = 1 << 30
MIB = 1 << 20
# What a busy machine makes of a second of the processor. A box that only computes ends by its
# processor time, so that no mark depends on what else runs.
BUSY = 3

# How many files process 1 of a box may hold open, and how many whatever is forked in it. Descriptors
# on their way through sockets are counted for a user, in all the boxes of an ordinary one together,
# and who has more there than its own limit sends none: process 1 always can.
FILES = 4096
FILES_OF_OTHERS = 512


def is_used_up(seconds: float, limit: float) -> bool:
    """Whether a process that was killed, and is said to have run so long, can have met its limit of
    processor time: Linux ends it by the ticks of the clock that found it at work, and tells how long
    it ran, which on a shared processor was a tenth less.
    """
    return seconds > 0.8 * limit - 1


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of one box.

    `memory_bytes` bounds the private data of each process (more is a MemoryError there); all
    processes and in-memory files of the box together may hold `memory_bytes + scratch_bytes`, more
    kills the box. `cpu_seconds` and `file_bytes` count per process and per file, `scratch_bytes`
    per writable directory, `output_bytes` for all frames that come out.
    """

    wall_seconds: float
    cpu_seconds: int
    memory_bytes: int
    processes: int
    file_bytes: int
    scratch_bytes: int
    output_bytes: int


def limits_for_runner() -> Limits:
    """For student code. The deadlines are generous, so that no mark depends on the speed of the
    machine.
    """
    return _limits_for_models(
        wall_seconds=1200, cpu_seconds=1200, scratch_bytes=1 * GIB, output_bytes=1 * GIB
    )


def limits_for_checker() -> Limits:
    """For our checks on hostile bytes: verdicts are small, references are outputs only."""
    return _limits_for_models(
        wall_seconds=300 * BUSY,
        cpu_seconds=300,
        scratch_bytes=512 * MIB,
        output_bytes=256 * MIB,
    )


def _limits_for_models(
    *, wall_seconds: float, cpu_seconds: int, scratch_bytes: int, output_bytes: int
) -> Limits:
    """What a box needs in which models run, whoever wrote them."""
    return Limits(
        wall_seconds=wall_seconds,
        cpu_seconds=cpu_seconds,
        memory_bytes=3 * GIB,
        # Threads count as processes, and ONNX Runtime starts one per core and session.
        processes=128 + 16 * (os.cpu_count() or 1),
        file_bytes=512 * MIB,
        scratch_bytes=scratch_bytes,
        output_bytes=output_bytes,
    )


def limits_for_pictures() -> Limits:
    """For drawing the pictures of one submitted notebook anew."""
    return Limits(
        wall_seconds=60 * BUSY,
        cpu_seconds=60,
        memory_bytes=1 * GIB,
        processes=32,
        file_bytes=1 * MIB,
        scratch_bytes=1 * MIB,
        output_bytes=64 * MIB,
    )
