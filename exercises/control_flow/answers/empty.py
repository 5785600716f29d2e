"""The untouched stubs."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def export_branch(predicate, then_fn, else_fn, example):
    raise NotImplementedError()


def export_loop(step, initial, sequence):
    raise NotImplementedError()
