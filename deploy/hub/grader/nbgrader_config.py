# For the service with formgrader: the course folder's own settings, which put grading into the sandbox.
from pathlib import Path

c = get_config()  # noqa: F821

COURSE = Path.home() / "course-data"
if (COURSE / "nbgrader_config.py").is_file():
    load_subconfig(str(COURSE / "nbgrader_config.py"))  # noqa: F821
c.CourseDirectory.root = str(COURSE)
