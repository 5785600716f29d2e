# For all accounts of the hub: a copy of it lies in a folder on JUPYTER_CONFIG_PATH. Change the two values. They are those of
# `c.CourseDirectory.course_id` and `c.Exchange.root` in the nbgrader_config.py of your course folder, which `course publish` wrote.
c = get_config()  # noqa: F821

c.CourseDirectory.course_id = "ml-2026-a"
c.Exchange.root = "/srv/exchange"
