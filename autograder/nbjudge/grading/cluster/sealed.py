"""Dask's client with every way to unpickle closed: what workers and schedulers send can be bytes,
text and numbers, nothing else.

The client's `deserializers` are not enough. Exceptions, the types of results, events and messages
of the scheduler are unpickled whatever they say, so unpickling itself is taken out of the process.
Messages are capped in size before they are read.
"""

from __future__ import annotations

import pickle
from types import ModuleType

MAX_MESSAGE = 96 << 20
# The type of a result travels pickled beside it. These byte strings are recognised, not unpickled.
_TYPES = {pickle.dumps(bytes, protocol): bytes for protocol in range(pickle.HIGHEST_PROTOCOL + 1)}


class NotUnpickled(Exception):
    """Stands where a pickled object was sent. An exception, because Dask raises what it takes for
    one.
    """

    def __init__(self) -> None:
        super().__init__("an object was sent where only bytes are taken")


def _loads(data, /, **options) -> object:
    """The type `bytes`, or NotUnpickled. It does not raise: an exception amid a message would end
    Dask's conversation.
    """
    return _TYPES.get(bytes(data)) or NotUnpickled()


class _NoUnpickler:
    def __init__(self, *arguments, **options):
        raise NotUnpickled


def seal() -> None:
    """Take unpickling out of this process. Call it before anything of Dask is imported."""
    import _pickle

    for module in (pickle, _pickle):
        module.loads = _loads
        module.load = _NoUnpickler
        module.Unpickler = _NoUnpickler


def client(address: str, security: object, timeout: float):
    """A Dask client for this sealed process. Raises OSError, or what Dask raises, when no scheduler
    answers.
    """
    import dask
    from distributed import Client
    from distributed.comm import tcp

    class SealedClient(Client):
        def _handle_task_erred(self, key=None, exception=None, traceback=None):
            super()._handle_task_erred(key=key, exception=NotUnpickled(), traceback=None)

    _cap_messages(tcp)
    # Compressed messages would grow after their size was looked at.
    dask.config.set(
        {
            "distributed.comm.compression": False,
            "distributed.admin.large-graph-warning-threshold": "1TB",
        }
    )
    options = {"serializers": ["dask", "pickle"], "deserializers": ["dask", "msgpack", "error"]}
    return SealedClient(
        address, security=security, timeout=timeout, set_as_default=False, **options
    )


def _cap_messages(tcp: ModuleType) -> None:
    """Refuse what is over the limit before it is read."""
    read = tcp.read_bytes_rw

    async def read_capped(stream, size: int):
        if size > MAX_MESSAGE:
            raise ValueError(f"a message of {size} bytes is over the limit of {MAX_MESSAGE}")
        return await read(stream, size)

    tcp.read_bytes_rw = read_capped


def connected(scheduler: dict):
    """The client of a scheduler, by what the coordinator says of it. Raises as `client`."""
    import logging

    from distributed.security import Security

    logging.disable(logging.CRITICAL)  # what it would say is said in the faults
    names = {"tls_ca_file": "ca", "tls_client_cert": "cert", "tls_client_key": "key"}
    files = {name: scheduler[short] for name, short in names.items()} if scheduler["ca"] else {}
    security = Security(require_encryption=bool(files), **files)
    return client(scheduler["address"], security, scheduler["seconds"])
