"""nbgrader's gradebook: what is written into it and read from it."""
