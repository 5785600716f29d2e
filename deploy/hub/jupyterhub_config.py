"""A JupyterHub for one course: real accounts, nbgrader's exchange, formgrader for graders alone.

`prepare.sh` copies this folder to FOLDER/hub and writes the course's name into it; everything else
follows from the two. It was run with JupyterHub 6.1.1 and nbgrader 0.9.6 (tests/grading/test_hub.py).

1. Who may log in: the members of the system's groups COURSE-students and COURSE-instructors.
2. Each person's server runs under their own account. What it is told lies in FOLDER/hub/student:
   the course, the exchange, and no formgrader.
3. Formgrader is a service under the account COURSE-grader, at /services/COURSE/formgrader. The hub
   lets only COURSE-instructors in. That account owns gradebook, solutions and submissions, and is
   nobody's: it has no password.
4. A home is closed to all other accounts before a server starts, so the grader's account sees none.
"""

import grp
import os
import pwd
from pathlib import Path

c = get_config()  # noqa: F821

HUB = Path(__file__).resolve().parent
FOLDER = HUB.parent
COURSE = (HUB / "COURSE").read_text().strip()
STUDENTS, INSTRUCTORS, GRADER = (
    f"{COURSE}-{role}" for role in ("students", "instructors", "grader")
)
PROGRAMS = FOLDER / "venv" / "bin"
# Where the hub finds formgrader: a port of this machine that is free.
FORMGRADER = os.environ.get("HUB_FORMGRADER", "http://127.0.0.1:9999")


def close_home(spawner):
    """Nobody but its owner enters a home, the grader's account least of all."""
    home = Path(pwd.getpwnam(spawner.user.name).pw_dir)
    if home.stat().st_mode & 0o077:
        home.chmod(0o700)


def told(role):
    """The environment of a server: its settings, and what `course` reads in a terminal."""
    return {
        "JUPYTER_CONFIG_PATH": str(HUB / role),
        "JUPYTER_PREFER_ENV_PATH": "1",
        "AUTOGRADER_EXCHANGE": str(FOLDER / "exchange"),
        "AUTOGRADER_COURSE_ID": COURSE,
        "PATH": f"{PROGRAMS}:/usr/local/bin:/usr/bin:/bin",
        "OMP_NUM_THREADS": "1",
    }


# Root's alone: sessions, tokens and the secret that signs cookies.
c.JupyterHub.cookie_secret_file = str(FOLDER / "state" / "cookie_secret")
c.JupyterHub.db_url = f"sqlite:///{FOLDER / 'state' / 'jupyterhub.sqlite'}"
c.ConfigurableHTTPProxy.pid_file = str(FOLDER / "state" / "proxy.pid")

c.JupyterHub.authenticator_class = "pam"
c.PAMAuthenticator.allowed_groups = {STUDENTS, INSTRUCTORS}
c.PAMAuthenticator.open_sessions = False

c.JupyterHub.spawner_class = "localprocess"
c.Spawner.cmd = [str(PROGRAMS / "jupyterhub-singleuser")]
c.Spawner.environment = told("student")
c.Spawner.pre_spawn_hook = close_home
c.Spawner.start_timeout = 300
c.Spawner.http_timeout = 300

c.JupyterHub.load_groups = {
    f"formgrade-{COURSE}": {"users": sorted(grp.getgrnam(INSTRUCTORS).gr_mem)},
    f"nbgrader-{COURSE}": {"users": sorted(grp.getgrnam(STUDENTS).gr_mem)},
}
c.JupyterHub.load_roles = [
    {
        "name": f"formgrade-{COURSE}",
        "groups": [f"formgrade-{COURSE}"],
        "scopes": [f"access:services!service={COURSE}", f"read:services!service={COURSE}"],
    }
]
c.JupyterHub.services = [
    {
        "name": COURSE,
        "url": FORMGRADER,
        "user": GRADER,
        "cwd": pwd.getpwnam(GRADER).pw_dir,
        "command": [str(PROGRAMS / "jupyterhub-singleuser")],
        # The hub ends when a service does not answer in time, and a busy machine starts slowly.
        "timeout": 300,
        # The instructors have accepted what the course's own service asks for by being let in.
        "oauth_no_confirm": True,
        "environment": {
            **told("grader"),
            "HOME": pwd.getpwnam(GRADER).pw_dir,
            "JUPYTERHUB_DEFAULT_URL": "/formgrader",
        },
    }
]
