# What the course needs of your hub's own jupyterhub_config.py: copy these lines into it.
c = get_config()  # noqa: F821

c.Spawner.environment = {
    # The folder with this folder's nbgrader_config.py and labconfig/page_config.json.
    "JUPYTER_CONFIG_PATH": "/srv/course/config",
    # `course submit` in a student's terminal: the same values as in nbgrader_config.py.
    "AUTOGRADER_EXCHANGE": "/srv/exchange",
    "AUTOGRADER_COURSE_ID": "ml-2026-a",
    "OMP_NUM_THREADS": "1",
}
# The environment of the course, made from a Python that every account can read: see can-start.sh.
c.Spawner.cmd = ["/srv/course/.venv/bin/jupyterhub-singleuser"]
