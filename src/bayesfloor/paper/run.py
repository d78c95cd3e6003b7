"""Simulate, save, draw: figure by figure, going on where an earlier run stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bayesfloor import __version__
from bayesfloor.base.errors import DataError
from bayesfloor.base.files import write_whole
from bayesfloor.base.memory import check_space_for_drawing
from bayesfloor.base.processes import Pool, open_pool
from bayesfloor.base.progress import progress_bar
from bayesfloor.paper.charts import draw_figure, exports
from bayesfloor.paper.claims import Verdict, verdicts
from bayesfloor.paper.figures import FIGURES, QUICK_REPETITIONS, REPETITIONS, Figure, scenarios
from bayesfloor.paper.page import make_page, render_page
from bayesfloor.paper.replicates import FigureData, read_figure_data
from bayesfloor.paper.robot import Robot, fetch_robot, read_robot
from bayesfloor.paper.simulation import Chunk, chunk_rows, make_chunks
from bayesfloor.paper.store import Store

ROBOT_FIGURE = 5
"""The figure whose data are measured and come at run time."""


@dataclass(frozen=True, slots=True)
class PaperOptions:
    """What the user asked for."""

    folder: Path
    quick: bool
    repetitions: int | None
    seed: int
    workers: int
    robot: Path | None
    figures: Mapping[int, Figure] = field(default_factory=lambda: FIGURES)

    def samples(self, figure: Figure) -> int:
        """Return how many samples of each kind a figure takes."""
        usual = QUICK_REPETITIONS if self.quick else REPETITIONS
        return (self.repetitions or usual) * figure.repeat

    @property
    def summary(self) -> str:
        """Say what a reader must know to make the same data."""
        count = self.repetitions or (QUICK_REPETITIONS if self.quick else REPETITIONS)
        quick = ", small sizes only" if self.quick else ""
        return f"{count} repetitions{quick}, seed {self.seed}, bayesfloor {__version__}"

    def sizes(self, figure: Figure) -> tuple[int, ...]:
        """Return the numbers of rows a class."""
        return figure.quick_sizes if self.quick else figure.sizes


@dataclass(frozen=True, slots=True)
class FigureWork:
    """A figure, its files, and the chunks that are not done."""

    figure: Figure
    store: Store
    chunks: tuple[Chunk, ...]
    missing: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """Data of the figures that are complete, and why others are not there."""

    data: dict[int, FigureData]
    absent: dict[int, str]

    @property
    def verdicts(self) -> list[Verdict]:
        """Decide each claim from the data."""
        return verdicts(self.data, self.absent)


def run(options: PaperOptions, numbers: Sequence[int], talk: Callable[[str], None]) -> Results:
    """Simulate and draw the figures asked for; return all that the folder has of these settings.

    Raises
    ------
    DataError
        If the file of robot data is not what it should be, or nothing else was asked for and it
        cannot be had.
    """
    check_space_for_drawing()
    options.folder.mkdir(parents=True, exist_ok=True)
    absent = {number: "not asked for" for number in options.figures if number not in numbers}
    todo = []
    for number in numbers:
        try:
            todo.append(figure_work(options, options.figures[number]))
        except DataError as problem:
            if options.robot or len(numbers) == 1:
                raise
            absent[number] = str(problem)
            talk(f"figure {number} is left out: {problem}")
    _make_all(todo, options)
    stores = {n: make_store(options, figure, None) for n, figure in options.figures.items()}
    data = {n: read_figure_data(store.data) for n, store in stores.items() if store.is_complete()}
    for number in data.keys() - set(numbers):
        if not stores[number].data.with_suffix(".svg").exists():
            _draw(stores[number], number)
    results = Results(data, {n: why for n, why in absent.items() if n not in data})
    _write_page(options, results)
    return results


def figure_work(options: PaperOptions, figure: Figure) -> FigureWork:
    """Return what is left to do for a figure."""
    robot = _robot(options) if figure.number == ROBOT_FIGURE else None
    store = make_store(options, figure, robot)
    if store.is_complete():
        return FigureWork(figure, store, (), ())
    sources = (robot,) if robot else figure.sources
    chunks = tuple(
        chunk
        for scenario in scenarios(figure, sources, options.sizes(figure))
        for chunk in make_chunks(scenario, options.samples(figure), options.seed)
    )
    return FigureWork(figure, store, chunks, tuple(c for c in chunks if not store.has_part(c)))


def make_store(options: PaperOptions, figure: Figure, robot: Robot | None) -> Store:
    """Return the files of a figure under the settings that determine its data."""
    settings: dict[str, Any] = {
        "figure": figure.number,
        "sources": [source.name for source in figure.sources] or ["robot"],
        "sizes": list(options.sizes(figure)),
        "methods": list(figure.methods),
        "samples": options.samples(figure),
        "seed": options.seed,
        "version": __version__,
    }
    if robot:
        settings["robot"] = robot.digest
    return Store(options.folder, figure.name, settings)


def _robot(options: PaperOptions) -> Robot | None:
    """Return the robot data, or None if the figure is complete without looking at them."""
    if options.robot:
        return read_robot(options.robot)
    done = make_store(options, options.figures[ROBOT_FIGURE], None).is_complete()
    return None if done else fetch_robot()


def _make_all(todo: Sequence[FigureWork], options: PaperOptions) -> None:
    """Simulate and draw figure by figure."""
    total = sum(chunk.cost for work in todo for chunk in work.missing)
    bar = progress_bar("Simulating", total, show=total > 0)
    with open_pool(options.workers) as pool, bar as advance:
        for work in todo:
            _simulate(work, pool, advance or (lambda _: None))
            _draw(work.store, work.figure.number)


def _simulate(work: FigureWork, pool: Pool, advance: Callable[[int], None]) -> None:
    """Do what is missing, the longest chunks first, and save it piece by piece."""
    tasks = sorted(work.missing, key=lambda chunk: -chunk.cost)
    for chunk, rows in pool.run(chunk_rows, tasks):
        work.store.save_part(chunk, rows)
        advance(chunk.cost)
    if work.chunks:
        work.store.complete(work.chunks)


def _draw(store: Store, number: int) -> None:
    for ending, content in exports(draw_figure(number, read_figure_data(store.data))).items():
        write_whole(store.data.with_suffix(f".{ending}"), content)


def _write_page(options: PaperOptions, results: Results) -> None:
    """Write the verdicts with all figures in one file."""
    drawings = {
        number: (options.folder / f"{options.figures[number].name}.svg").read_text(encoding="utf-8")
        for number in results.data
    }
    page = make_page(results.verdicts, drawings, options.summary)
    write_whole(options.folder / "index.html", render_page(page))
