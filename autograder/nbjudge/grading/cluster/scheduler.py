"""Which scheduler to grade on, and with what certificates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CERTIFICATES = {"ca": "--tls-ca", "cert": "--tls-cert", "key": "--tls-key"}
# Where Dask's own configuration keeps them.
_CONFIGURED = {
    "ca": "distributed.comm.tls.ca-file",
    "cert": "distributed.comm.tls.client.cert",
    "key": "distributed.comm.tls.client.key",
}


class ClusterRefused(RuntimeError):
    """The cluster is not used. The text says why, and what to type."""


@dataclass(frozen=True, kw_only=True)
class Scheduler:
    """A scheduler's address, the files with which who asks and who answers prove themselves, and
    how many seconds it may take to answer.
    """

    address: str
    ca: str
    cert: str
    key: str
    seconds: float = 20

    @classmethod
    def of(
        cls,
        address: str,
        ca: Path | None = None,
        cert: Path | None = None,
        key: Path | None = None,
    ) -> Scheduler:
        """From the command line; certificates that it does not name are those of Dask's
        configuration. Raises ClusterRefused.
        """
        kind, _, place = address.partition("://")
        if kind == "tcp":
            raise ClusterRefused(
                f"{address} is not encrypted, and asks nobody who they are: whoever reaches it could run code as you and change every mark. "
                "Start the scheduler with `deploy/dask/scheduler.sh`, and type tls://HOST:PORT with --tls-ca, --tls-cert and --tls-key"
            )
        if kind != "tls" or not _is_place(place):
            raise ClusterRefused(f"{address} is no scheduler's address: type it as tls://HOST:8786")
        return cls(
            address=address,
            ca=_certificate("ca", ca),
            cert=_certificate("cert", cert),
            key=_certificate("key", key),
        )


def _is_place(place: str) -> bool:
    host, _, port = place.rpartition(":")
    return bool(host) and port.isascii() and port.isdigit() and 0 < int(port) < 65536


def _certificate(part: str, named: Path | None) -> str:
    """The path of a file that can be read. Raises ClusterRefused."""
    path = named or _from_dask(part)
    if not path:
        raise ClusterRefused(
            f"a tls:// scheduler needs certificates: type {CERTIFICATES[part]} FILE, or set {_CONFIGURED[part]} in Dask's configuration"
        )
    try:
        open(path, "rb").close()
    except OSError as error:
        raise ClusterRefused(
            f"{CERTIFICATES[part]} {path} cannot be read: {error.strerror}"
        ) from None
    return str(Path(path).resolve())


def _from_dask(part: str) -> str:
    try:
        from dask import config
    except ImportError:
        return ""
    return config.get(_CONFIGURED[part], None) or ""
