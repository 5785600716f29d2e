"""Plain Python, without NumPy."""

import math

EXPECTED = {"rung": None}


def percentile_cut(counts, width, keep):
    total, so_far = sum(map(int, counts)), 0
    for bin, count in enumerate(counts, 1):
        so_far += int(count)
        if so_far >= keep * total:
            return bin * width


def spread(sums, group):
    full = sum(value > 0 for value in group)
    return [sums / full if value > 0 else 0.0 for value in group]


def distance(counts, n, levels):
    p, size, q = [float(count) for count in counts[:n]], n // levels, []
    kept = list(p)
    p[-1] += sum(map(int, counts[n:]))
    for start in range(0, n, size):
        q += spread(sum(kept[start : start + size]), p[start : start + size])
    if any(b == 0 and a > 0 for a, b in zip(p, q, strict=True)):
        return math.inf
    whole, rest = sum(p), sum(q)
    return sum(a / whole * math.log(a / whole * rest / b) for a, b in zip(p, q, strict=True) if a > 0)


def entropy_cut(counts, width, levels):
    return width * min(range(levels, len(counts) + 1, levels), key=lambda n: distance(counts, n, levels))
