"""Where a course keeps its things and how it is set, before anything is graded."""
