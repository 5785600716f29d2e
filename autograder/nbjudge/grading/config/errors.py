"""Exceptions that many modules raise or catch, and that belong to none of them."""


class Refused(RuntimeError):
    """Grading did not start. The text says why, and what to type."""
