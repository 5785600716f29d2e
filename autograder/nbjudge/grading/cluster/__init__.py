"""Grade on the workers of a Dask cluster, believing nothing that comes back.

The coordinator never speaks with Dask itself, whose client unpickles what it is sent. A process of
its own does (`bridge`), in which nothing can be unpickled. Work goes out and results come back as
bytes of this project's own format (`parcel`, `wire`); each result is held against what the
submission can have earned (`arrivals`) before it counts.
"""

from nbjudge.grading.cluster.executor import ClusterExecutor
from nbjudge.grading.cluster.scheduler import ClusterRefused, Scheduler

__all__ = ["ClusterExecutor", "ClusterRefused", "Scheduler"]
