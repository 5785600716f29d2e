"""Grade on the workers of a Dask cluster, whose machines are the instructor's own.

A worker runs one plain function (`worker.grade`), which takes bytes and returns bytes. Who is
connected, who gets which submission, and what happens when a machine is lost is Dask's business.
"""

from nbjudge.grading.cluster.scheduler import ClusterRefused, Scheduler

__all__ = ["ClusterRefused", "Scheduler"]
