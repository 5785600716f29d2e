"""Why two models cannot be compared."""


class CannotDiff(RuntimeError):
    """A file cannot be read, or is larger than what is read. The text is one line that says which
    file, what was found in it, and what to do.
    """
