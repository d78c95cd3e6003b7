"""Clusters by their address, as the command line names them."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from typing import Any

from bayesfloor.base.cluster import check_extra
from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import show

LOCAL = re.compile(r"local:([1-9]\d{0,3})")
"""Matches a cluster of so many processes on this machine."""
REMOTE = re.compile(r"(?!local:)(\w+://)?[\w.\[\]:-]+:\d{1,5}")
"""Matches the address of a scheduler, such as tcp://10.0.0.1:8786."""
PATIENCE = 10
"""Seconds that a scheduler has for its first answer. A judgement."""
WORKER_VARIABLES = "distributed.nanny.pre-spawn-environ"
"""Setting of Dask with the variables of the environment that workers start with."""
KEPT_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(2**30), "MALLOC_MMAP_THRESHOLD_": str(2**25)}
"""What lets the C library keep free memory, up to a gigabyte, and use it again for arrays of up to
32 MB. As Dask starts workers, all is returned at once and fetched anew from the system for every
array: an index took three times as long to build. Where nothing is set, that still is so for the
blocks of rows in which workers compute a trend."""
ANY_PORT = ":0"
"""Lets the scheduler choose a free port for its own page."""


@contextmanager
def open_cluster(name: str, address: str, *, patience: float = PATIENCE) -> Iterator[Any]:
    """Yield a client of the cluster at an address, or of one that is started here.

    Parameters
    ----------
    name : str
        Of the option, for messages.
    address : str
        Of a scheduler, or "local:N" for N processes of one thread on this machine.
    patience : float
        Seconds that a scheduler has for its first answer.
    """
    local = LOCAL.fullmatch(address)
    if local is None and REMOTE.fullmatch(address) is None:
        raise DataError(
            f"{name} is {show(address)}; pass the address of a scheduler, such as"
            " tcp://10.0.0.1:8786, or local:N for N processes on this machine"
        )
    check_extra(f"{name} needs Dask")
    distributed: Any = import_module("distributed")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is said in one line
    with ExitStack() as stack:
        target: Any = address
        if local is not None:
            stack.enter_context(_keeping_memory())
            target = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=int(local[1]),
                    threads_per_worker=1,
                    dashboard_address=ANY_PORT,
                    silence_logs=logging.CRITICAL,
                )
            )
        try:
            client = stack.enter_context(_connected(distributed.Client, target, patience))
        except Exception as problem:  # Dask says in many ways that an address is none
            raise DataError(
                f"no scheduler answers at {show(address)} within {patience:g} s; check the address,"
                " and that its scheduler runs"
            ) from problem
        yield client


def _keeping_memory() -> Any:
    """Let workers that are started here keep memory between arrays, as other processes do."""
    config: Any = import_module("dask").config
    variables = {**config.get(WORKER_VARIABLES, {}), **KEPT_MEMORY}
    return config.set({WORKER_VARIABLES: variables})


def _connected(kind: Any, target: Any, patience: float) -> Any:
    """Return a connected client; one that fails is closed at once.

    Dask closes it when it is collected, which waits for ever if that is while the next one starts.
    """
    client = kind.__new__(kind)
    try:
        kind.__init__(client, target, timeout=patience)
    except Exception:
        with suppress(Exception):
            client.close()
        raise
    return client
