from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bayesfloor.base.errors import DataError
from bayesfloor.base.memory import (
    UNKNOWN_MEMORY,
    available_memory,
    check_memory,
    memory_errors,
    show_size,
)

MEMINFO = "MemTotal:  16000 kB\nMemAvailable:    8000 kB\n"


def system(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


CASES = {
    "nothing known": ({}, UNKNOWN_MEMORY),
    "system": ({"proc/meminfo": MEMINFO}, 8000 * 1024),
    "second version": (
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/b/memory.max": "5000\n",
            "sys/fs/cgroup/a/b/memory.current": "3000\n",
            "sys/fs/cgroup/a/b/memory.stat": "anon 2000\ninactive_file 1000\n",
        },
        3000,
    ),
    "group above": (
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/b/memory.max": "max\n",
            "sys/fs/cgroup/a/b/memory.current": "3000\n",
            "sys/fs/cgroup/a/memory.max": "7000\n",
            "sys/fs/cgroup/a/memory.current": "3000\n",
        },
        4000,
    ),
    "container": (
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "0::/../../elsewhere\n",
            "sys/fs/cgroup/memory.max": "9000\n",
            "sys/fs/cgroup/memory.current": "0\n",
        },
        9000,
    ),
    "first version": (
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "5:cpu:/x\n4:hugetlb,memory:/docker/abc\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "6000\n",
            "sys/fs/cgroup/memory/memory.usage_in_bytes": "1000\n",
            "sys/fs/cgroup/memory/memory.stat": "inactive_file 5\ntotal_inactive_file 500\n",
        },
        5500,
    ),
    "used up": (
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "0::/\n",
            "sys/fs/cgroup/memory.max": "10\n",
            "sys/fs/cgroup/memory.current": "20\n",
        },
        0,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_least_of_system_and_container_is_what_is_there(case: str, tmp_path: Path) -> None:
    files, expected = CASES[case]
    assert available_memory(system(tmp_path, files)) == expected


@pytest.mark.skipif(sys.platform == "win32", reason="there is no ulimit on Windows")
@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_the_limit_of_a_shell_counts_what_is_used_already(limit: str) -> None:
    code = (
        f"import resource; resource.setrlimit(resource.{limit}, (10**9, 10**9))\n"
        "from bayesfloor.base.memory import available_memory as left\n"
        "before = left(); room = bytearray(10**8); print(before, before - left())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, taken = map(int, run.stdout.split())
    assert 3e8 < before < 1e9
    assert 0.9e8 < taken < 1.1e8


@pytest.mark.parametrize(
    ("given", "size"),
    [(1, 1), (8e9, 8 * 10**9), ("500000", 500_000), ("8G", 8 * 10**9), ("2 kib", 2048)],
)
def test_sizes_are_numbers_with_or_without_a_unit(given: object, size: int) -> None:
    assert check_memory("max_memory", given) == size


@pytest.mark.parametrize("wrong", [0, -1, "", "8 XB", "GB", True, None, float("nan"), "1e400"])
def test_what_is_no_size_is_refused(wrong: object) -> None:
    with pytest.raises(DataError, match=r"max_memory is .*; pass a size such as 500MB or 8GB"):
        check_memory("max_memory", wrong)


def test_sizes_are_written_to_two_digits() -> None:
    written = [show_size(size) for size in (12, 1234, 9.96e6, 1.54e9, 1.2e13)]
    assert written == ["12 bytes", "1.2 kB", "10 MB", "1.5 GB", "12 TB"]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no ulimit on Windows")
def test_a_library_that_would_end_the_process_is_not_loaded() -> None:
    code = (
        "import resource, bayesfloor, bayesfloor.tables\n"
        "from bayesfloor.base.memory import unloaded_space\n"
        "assert unloaded_space() == 0\n"
        "resource.setrlimit(resource.RLIMIT_AS, (9 * 10**8, 9 * 10**8))\n"
        "assert unloaded_space() > 10**9\n"
        "try: bayesfloor.read_table('table.csv', label='y')\n"
        "except bayesfloor.DataError as problem: print(problem)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("polars needs about")
    assert run.stdout.endswith("are left; raise the limit (ulimit -v)\n")


@pytest.mark.skipif(sys.platform != "linux", reason="reads its size from /proc")
@pytest.mark.parametrize(("limit", "drawn"), [("RLIMIT_AS", False), ("RLIMIT_DATA", True)])
def test_an_engine_that_would_end_the_process_draws_nothing(limit: str, drawn: bool) -> None:
    code = (
        "import resource, bayesfloor\n"
        "from bayesfloor.base.memory import check_space_for_drawing\n"
        f"resource.setrlimit(resource.{limit}, (2 * 10**10, 2 * 10**10))\n"
        "try: print(check_space_for_drawing())\n"
        "except bayesfloor.DataError as problem: print(problem)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    needs = "charts need about 70 GB of address space to be drawn, and 20 GB are left; raise the"
    assert run.stdout.startswith("None" if drawn else needs)


def test_memory_that_cannot_be_had_is_one_line() -> None:
    for problem in (MemoryError(), RuntimeError("can't start new thread")):
        with pytest.raises(DataError, match="not enough memory left"), memory_errors():
            raise problem
    with pytest.raises(RuntimeError, match="something else"), memory_errors():
        raise RuntimeError("something else")
