"""Grade one submission here; print this process's peak memory before and after in MB, the status
and the score: COURSE ASSIGNMENT.
"""

import sys

from nbjudge.grading.config.budget import Budget
from nbjudge.grading.config.folders import Course
from nbjudge.grading.run import coordinator


def peak() -> int:
    """The most that this process itself ever held, without its children."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) >> 10


before = peak()
request = coordinator.GradingRequest(
    sys.argv[2], seed=50, jobs=1, budget=Budget(cell=60, case=60, notebook=300)
)
(result,) = coordinator.grade(Course.at(sys.argv[1]), request).submissions
print(before, peak(), result.status, result.score)
