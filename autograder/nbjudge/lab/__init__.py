"""`course lab`: JupyterLab on the course, with nbgrader ready and nothing of the user's own Jupyter
set-up read or written.
"""

from nbjudge.lab.server import launch

__all__ = ["launch"]
