"""Why a model cannot be measured."""


class CannotBench(RuntimeError):
    """The model, the provider or the options do not allow what was asked for. The text says what to
    do.
    """


def first_line(problem: BaseException) -> str:
    """What a library said, without its stack: one line of 300 characters at most."""
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0][:300]
