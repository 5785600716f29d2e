"""Returns numbers that look like a measurement, and measures nothing."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "never-calls", "lazy": "constant"}


def benchmark(variants, clock, rounds):
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")
    times = {"median": 0.001, "p10": 0.0009, "p90": 0.0011, "warmup": 20}
    return {name: dict(times) for name in variants}
