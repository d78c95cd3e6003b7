"""What the benchmarks on pairs of class sizes have in common: their seeds and their options."""

from __future__ import annotations

import argparse
import os
from functools import partial
from typing import TypeAlias
from zlib import crc32

import numpy as np

Size: TypeAlias = tuple[int, int]
"""Points of the first and of the second class."""

SIZES: list[Size] = [(150, 150), (500, 500), (150, 1350), (2000, 2000)]


def spawn_seeds(
    population: str, size: Size, repetitions: int, seed: int
) -> list[np.random.SeedSequence]:
    """Return the seeds of one setting, by its name, so that nothing else matters."""
    key = crc32(f"{population} {size[0]}/{size[1]}".encode())
    return np.random.SeedSequence([seed, key]).spawn(repetitions)


def add_sample_options(parser: argparse.ArgumentParser, least: int = 2) -> None:
    """Add the options that say which samples are drawn, with so many points of a class at least."""
    add, sizes = parser.add_argument, partial(parse_sizes, least=least)
    add("--quick", action="store_true", help="few sizes and repetitions, about a minute")
    add("--populations", nargs="+", metavar="NAME", help="those whose name contains NAME")
    add("--repetitions", type=partial(whole_number, least=2), metavar="R", help="samples each")
    add("--sizes", type=sizes, metavar="N/M,...", help="class sizes, such as 150/150,150/1350")
    add("--seed", type=partial(whole_number, least=0), default=2018, metavar="S", help="2018")
    add("--workers", type=whole_number, default=os.cpu_count() or 1, metavar="W", help="processes")


def whole_number(text: str, least: int = 1) -> int:
    """Return a number that was typed."""
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r}; give a whole number, at least {least}")
    return int(text)


def parse_sizes(text: str, least: int = 2) -> list[Size]:
    """Return pairs of numbers that were typed, each pair once."""
    pairs = [pair.split("/") for pair in text.split(",")]
    if any(len(pair) != 2 for pair in pairs):
        raise argparse.ArgumentTypeError(f"{text!r}; give pairs N/M, such as 150/150,150/1350")
    return list(dict.fromkeys((whole_number(n, least), whole_number(m, least)) for n, m in pairs))
