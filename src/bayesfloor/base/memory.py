"""How much memory this process can still take, and sizes as people write them.

Limits come from the system (available memory), from the container (control groups, both versions)
and from the shell (`ulimit -v` and `-d`); the least of them counts.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import show

UNKNOWN_MEMORY = 4 * 2**30
"""Bytes that are assumed to be free where the system does not tell: 4 GiB, a judgement."""
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
"""What the letter before "B" stands for in a size."""
SIZE = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)
"""Matches a size such as 500000, 8GB, 1.5 g or 512MiB."""
LIBRARY_SPACE = {"polars": 800 * 10**6, "numba": 220 * 10**6, "sklearn": 140 * 10**6}
"""Bytes of address space without which libraries do not start, most of them never used: from runs
on a small table under limits that were raised step by step."""
THREAD_SPACE = 72 * 2**20
"""Bytes of address space that a thread takes: a stack and an arena of the C library."""
THREADED = frozenset({"polars", "sklearn"})
"""Libraries that start a thread for each core."""
DRAWING_LIBRARY, DRAWING_SPACE = "vl_convert", 70 * 10**9
"""The library that draws charts, and the bytes of address space that its engine reserves, without
using them: it ended the process with 68.5 GB left, and drew with 69."""
NO_THREAD = "can't start new thread"
"""What Python says where there is no memory for the stack of a thread."""
ROOT = Path("/")
"""Where the files of the system are; another folder is for tests."""


def available_memory(root: Path = ROOT) -> int:
    """Return the bytes that this process can still take before a limit is reached."""
    found = [*_system_memory(root), *_container_memory(root), *_shell_memory(root)]
    return max(0, min(found)) if found else UNKNOWN_MEMORY


def check_space_for(library: str) -> None:
    """Refuse to load a library for which `ulimit -v` leaves no room: that may end the process."""
    space = 0 if library in sys.modules else _space_of(library)
    left = min(_shell_memory(ROOT), default=space) if space else 0
    if left < space:
        needs = f"{library} needs about {show_size(space)} of address space"
        raise DataError(
            f"{needs} to start, and {show_size(max(left, 0))} are left; raise the limit (ulimit -v)"
        )


def check_space_for_drawing() -> None:
    """Refuse to draw where `ulimit -v` leaves no room for the engine: that would end the process.

    Other limits do not count what is reserved and not used.
    """
    left = min(_shell_memory(ROOT, ("RLIMIT_AS",)), default=DRAWING_SPACE)
    if DRAWING_LIBRARY not in sys.modules and left < DRAWING_SPACE:
        needs = f"charts need about {show_size(DRAWING_SPACE)} of address space to be drawn"
        raise DataError(
            f"{needs}, and {show_size(max(left, 0))} are left; raise the limit (ulimit -v)"
        )


@contextmanager
def memory_errors() -> Iterator[None]:
    """Turn memory that cannot be had after all into a DataError."""
    try:
        yield
    except (MemoryError, RuntimeError) as problem:
        if isinstance(problem, RuntimeError) and str(problem) != NO_THREAD:
            raise
        raise DataError(
            "there is not enough memory left; pass fewer rows or columns, or fewer workers="
        ) from problem


def unloaded_space() -> int:
    """Return the address space that libraries still to be loaded would take; 0 if it is free."""
    limited = any(True for _ in _shell_memory(ROOT))
    return sum(_space_of(name) for name in LIBRARY_SPACE if limited and name not in sys.modules)


def _space_of(library: str) -> int:
    threads = (os.cpu_count() or 1) * THREAD_SPACE if library in THREADED else 0
    return LIBRARY_SPACE[library] + threads


def check_memory(name: str, value: object) -> int:
    """Return a size in bytes, given as a number or with a unit, such as "8GB".

    Examples
    --------
    >>> check_memory("max_memory", "1.5 GB"), check_memory("max_memory", "512MiB")
    (1500000000, 536870912)
    """
    match = None if isinstance(value, bool) else SIZE.fullmatch(str(value))
    size = 0
    if match:
        number, letter, binary = match.groups()
        unit = UNITS[letter.lower()]
        if binary and letter:
            unit = 2 ** (10 * "kmgt".index(letter.lower()) + 10)
        size = int(float(number) * unit)
    if size < 1:
        raise DataError(f"{name} is {show(value)}; pass a size such as 500MB or 8GB")
    return size


def show_size(size: float) -> str:
    """Write a number of bytes to two digits.

    Examples
    --------
    >>> show_size(0), show_size(999), show_size(1_540_000_000), show_size(23e9)
    ('0 bytes', '999 bytes', '1.5 GB', '23 GB')
    """
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            number = size / unit
            return f"{number:.1f} {name}" if number < 9.95 else f"{number:,.0f} {name}"
    return f"{size:.0f} bytes"


def _system_memory(root: Path) -> Iterator[int]:
    """Yield what the system says is available without swapping."""
    available = _fields(root / "proc/meminfo").get("MemAvailable")
    if available is not None:
        yield available
    elif root == ROOT:  # macOS and others
        with suppress(AttributeError, ValueError, OSError):
            yield os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _container_memory(root: Path) -> Iterator[int]:
    """Yield what is left of the limit of each control group that this process is in.

    Pages of files count as used, but are given back when they are wanted.
    """
    names = {2: ("memory.max", "memory.current"), 1: ("memory.limit_in_bytes",)}
    names[1] += ("memory.usage_in_bytes",)
    for version, folder in _control_groups(root):
        limit, used = (_number(folder / name) for name in names[version])
        if limit is not None and used is not None:
            stat = _fields(folder / "memory.stat")
            files = stat.get("total_inactive_file", stat.get("inactive_file", 0))
            yield limit - max(0, used - files)


def _control_groups(root: Path) -> Iterator[tuple[int, Path]]:
    """Yield the version and folder of each group that this process is in, and of those above it.

    Inside a container the folder of the group is often mounted as the root, so that the path is
    not found; the root itself then has the limits.
    """
    for line in _lines(root / "proc/self/cgroup"):
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "memory" not in controllers.split(","):
            continue
        version = 1 if controllers else 2
        base = root / "sys/fs/cgroup" / ("memory" if controllers else "")
        inner = PurePosixPath(path.strip().lstrip("/"))
        for part in (inner, *inner.parents):
            if ".." not in part.parts:
                yield version, base / part


def _shell_memory(
    root: Path, limits: tuple[str, ...] = ("RLIMIT_AS", "RLIMIT_DATA")
) -> Iterator[int]:
    """Yield what is left of the limits that a shell sets with `ulimit`."""
    try:
        import resource
    except ImportError:  # Windows
        return
    status = _fields(root / "proc/self/status")
    counted = {"RLIMIT_AS": "VmSize", "RLIMIT_DATA": "VmData"}
    for limit in limits:
        most = resource.getrlimit(getattr(resource, limit))[0]
        if most != resource.RLIM_INFINITY:
            yield most - status.get(counted[limit], 0)


def _fields(path: Path) -> dict[str, int]:
    """Return the numbers of a file with a name and a number a line, in bytes."""
    found = {}
    for line in _lines(path):
        words = line.replace(":", " ").split()
        if len(words) >= 2 and words[1].isdecimal():
            found[words[0]] = int(words[1]) * (1024 if words[2:3] == ["kB"] else 1)
    return found


def _number(path: Path) -> int | None:
    """Return the number in a file, or None if there is no file or no limit."""
    text = "".join(_lines(path)).strip()
    return int(text) if text.isdecimal() else None


def _lines(path: Path) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readlines()
    except OSError:
        return []
