"""How the notebooks show a model: node table, drawing, charts, schemes, a map in columns, Netron inside
JupyterLab, a refusal in one line.
"""

from formatlab.show import pictures
from formatlab.show.charts import bars, grid_of, pair, strip
from formatlab.show.columns import columns
from formatlab.show.drawing import Drawing, draw
from formatlab.show.grid import Grid, grid
from formatlab.show.refusals import attempt
from formatlab.show.schemes import chain, lanes, tree
from formatlab.show.table import table
from formatlab.show.viewer import netron, netron_static

__all__ = [
    "Drawing",
    "Grid",
    "attempt",
    "bars",
    "chain",
    "columns",
    "draw",
    "grid",
    "grid_of",
    "lanes",
    "netron",
    "netron_static",
    "pair",
    "pictures",
    "strip",
    "table",
    "tree",
]
