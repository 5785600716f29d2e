"""One word for each rung of the course's ladder, and a wrong one for what a session runs."""

from formatlab.models import museum

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "checker-unread", "lazy": "library"}
WORDS = {
    "parse": "unreadable",
    "checker": "duplicate-name",
    "full_check": "operand-mismatch",
    "strict_shapes": "operand-mismatch",
    "session": "no-kernel",
    "parity": "unreadable",
    "metric": "wrong-labels",
}


def diagnose(path):
    failure = museum.first_failure(path)
    return WORDS[failure.rung] if failure else "healthy"
