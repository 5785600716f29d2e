"""`course report`: what a class got wrong, read from the journal and the gradebook. Nothing is
graded, and nothing is written there.
"""

from nbjudge.course.report.classes import ClassReport, ReportError, of

__all__ = ["ClassReport", "ReportError", "of"]
