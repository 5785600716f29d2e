"""`course defend`: a printed page for each student with questions about the student's own code,
whose right answers were computed by running that code with one small change each.
"""

from nbjudge.course.defend.printed import browser, pdf
from nbjudge.course.defend.sheets import DefendError, Done, defend
from nbjudge.course.defend.ticks import Taken, take

__all__ = ["DefendError", "Done", "Taken", "browser", "defend", "pdf", "take"]
