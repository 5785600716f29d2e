"""`make bench`: this engine beside nbgrader's, and a simulation of large classes."""
