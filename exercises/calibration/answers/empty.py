"""The stubs, as they are handed out."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def percentile_cut(counts, width, keep):
    raise NotImplementedError()


def entropy_cut(counts, width, levels):
    raise NotImplementedError()
