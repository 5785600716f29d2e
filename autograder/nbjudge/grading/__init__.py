"""The coordinator: intake, rebuild, run, check, record. It writes the marks, and never imports or
executes a student's material.
"""

# The settings of a course folder, for nbgrader and for this package.
CONFIG = "nbgrader_config.py"
