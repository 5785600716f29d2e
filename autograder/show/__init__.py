"""How the notebooks show a model: node table, drawing, a map in columns, Netron inside JupyterLab, a refusal in one line."""

from autograder.show.columns import columns
from autograder.show.drawing import Drawing, draw
from autograder.show.grid import Grid, grid
from autograder.show.refusals import attempt
from autograder.show.table import table
from autograder.show.viewer import netron, netron_static

__all__ = ["Drawing", "Grid", "attempt", "columns", "draw", "grid", "netron", "netron_static", "table"]
