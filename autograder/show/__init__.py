"""How the notebooks show a model: a node table as text, the graph as a drawing, Netron inside JupyterLab, a refusal in one line."""

from autograder.show.drawing import Drawing, draw
from autograder.show.refusals import attempt
from autograder.show.table import table
from autograder.show.viewer import netron, netron_static

__all__ = ["Drawing", "attempt", "draw", "netron", "netron_static", "table"]
