# For every account of the hub; jupyterhub_config.py sets both variables.
import os

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = os.environ["AUTOGRADER_COURSE_ID"]
c.Exchange.root = os.environ["AUTOGRADER_EXCHANGE"]
