"""How the notebooks show a model: node table, drawing, charts, a map in columns, Netron inside
JupyterLab, a refusal in one line.
"""

from workbench.show import pictures
from workbench.show.charts import bars, grid_of, pair, strip
from workbench.show.columns import columns
from workbench.show.drawing import Drawing, draw
from workbench.show.grid import Grid, grid
from workbench.show.refusals import attempt
from workbench.show.table import table
from workbench.show.viewer import netron, netron_static

__all__ = [
    "Drawing",
    "Grid",
    "attempt",
    "bars",
    "columns",
    "draw",
    "grid",
    "grid_of",
    "netron",
    "netron_static",
    "pair",
    "pictures",
    "strip",
    "table",
]
