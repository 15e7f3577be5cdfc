"""Recipes beside each other and beside the unmasked file: all judged on the same ground, several at a time."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace

from tacita.errors import TacitaError, UsageError, counted
from tacita.interruption import interrupt_queries
from tacita.model.microdata import Microdata
from tacita.model.result import Result
from tacita.progress import Progress, Step, silent
from tacita.recipes.carry_out import MaskedMicrodata, StepReport, carry_out, fresh_seed
from tacita.recipes.evaluation import Evaluation, evaluate, is_number, reasons_against
from tacita.recipes.ground import Ground, ground_for, judgement_of
from tacita.recipes.kinds import with_kinds
from tacita.recipes.recipe import Judgement, Recipe

UNMASKED = "unmasked file"
_LEAST_GAIN = 0.1
"""A recipe that takes less than this part of the unmasked file's risk away protects nobody, however cheap it is."""


@dataclass(frozen=True, slots=True, repr=False)
class Point:
    """One recipe on the R-U map."""

    recipe: Recipe
    """With the seed that was used."""
    evaluation: Evaluation | None
    steps: tuple[StepReport, ...] = ()
    notes: tuple[str, ...] = ()
    failed: str | None = None
    """Why the recipe could not be carried out on these data; None if it was."""
    against: tuple[str, ...] = ()
    """Limits that are not kept: this recipe would not be released."""

    @property
    def place(self) -> tuple[float, float] | None:
        """DR and IL; None if one of them could not be measured."""
        if self.evaluation is None:
            return None
        both = (self.evaluation.disclosure_risk, self.evaluation.information_loss)
        return both if all(map(is_number, both)) else None


@dataclass(frozen=True, slots=True, repr=False)
class RecipeComparison(Result):
    """All points, on one ground, and the unmasked file as the baseline."""

    points: tuple[Point, ...]
    ground: Ground
    notes: tuple[str, ...] = ()
    baseline: Evaluation | None = None
    """The unmasked file, judged as the recipes are; None if no recipe could be carried out."""
    name: str = ""
    """The name of the microdata."""

    def _in_short(self) -> str:
        best = f"point {self.best + 1} has the lowest score" if self.best is not None else self.verdict
        return f"'{self.name}': {counted(len(self.points), 'recipe')}, {best}"

    @property
    def better(self) -> tuple[int, ...]:
        """The places of points that are better than the unmasked file: a lower score, and less risk by a tenth."""
        base = self.baseline
        judged = [(place, point.evaluation) for place, point in enumerate(self.points) if point.place is not None]
        return tuple(
            place
            for place, own in judged
            if own is not None
            and (
                base is None
                or not is_number(base.score)
                or (own.score < base.score and own.disclosure_risk <= (1 - _LEAST_GAIN) * base.disclosure_risk)
            )
        )

    @property
    def frontier(self) -> tuple[int, ...]:
        """The places of points, of those better than the unmasked file, that are not dominated, by falling risk."""
        there = [(n, place) for n in self.better if (place := self.points[n].place) is not None]
        return tuple(there[i][0] for i in frontier([place for _, place in there]))

    @property
    def best(self) -> int | None:
        """The place of the lowest score among points that are better than the unmasked file and keep all limits."""
        scored = [(e.score, n) for n in self.better if (e := self.points[n].evaluation) and not self.points[n].against]
        return min(scored)[1] if scored else None

    @property
    def verdict(self) -> str:
        """Why no point is the best, in a sentence; empty if one is."""
        if self.best is not None:
            return ""
        if self.better:
            return "No recipe that is better than the unmasked file keeps the limits."
        return "No recipe is better than the unmasked file."

    def marks(self, place: int) -> tuple[str, ...]:
        """What has to be said of a point in few words."""
        point = self.points[place]
        if point.evaluation is None:
            return (point.failed or "",)
        words = ["lowest score"] if place == self.best else []
        words += ["frontier"] if place in self.frontier else []
        words += ["no better than the unmasked file"] if point.place is not None and place not in self.better else []
        return (*words, *(["over a limit"] if point.against else []))


def compare_recipes(
    microdata: Microdata,
    recipes: Sequence[Recipe],
    *,
    judgement: Judgement | None = None,
    seed: int | None = None,
    at_once: int | None = None,
    must_run: bool = True,
    progress: Progress = silent,
) -> RecipeComparison:
    """Return recipes carried out on the same microdata and judged on the same ground.

    A recipe without a seed gets `seed`, or a fresh one. With `must_run` a recipe that cannot be carried out is an
    error; otherwise its point says why. Records that are invented have no pairs, so if one recipe invents them, all are
    judged without pairs, and a note says so.
    """
    if not recipes:
        raise UsageError("there is no recipe", do="name at least one")
    shared = judgement if judgement is not None else judgement_of(recipes)
    seed = fresh_seed() if seed is None else seed
    recipes = [recipe if recipe.seed is not None else recipe.with_(seed=seed) for recipe in recipes]
    microdata = with_kinds(microdata)
    workers = at_once or min(len(recipes), os.cpu_count() or 1)
    done = _all([_carry(microdata, recipe, must_run=must_run) for recipe in recipes], workers, "carrying out", progress)
    masked = [result for result in done if isinstance(result, MaskedMicrodata)]
    if not masked:
        return RecipeComparison(
            tuple(p for p in done if isinstance(p, Point)), ground_for(microdata, [], shared), name=microdata.name
        )
    ground = ground_for(microdata, masked, shared)
    paired = all(result.origin is not None for result in masked)
    notes = () if paired else ("some recipes invent their records: all are judged by what needs no pairs of records",)
    unmasked = carry_out(microdata, Recipe((), UNMASKED, seed, is_baseline=True))
    judged = iter(
        _all([_judge(result, ground, paired) for result in (unmasked, *masked)], workers, "judging", progress)
    )
    base = next(judged)
    points = [next(judged) if isinstance(result, MaskedMicrodata) else result for result in done]
    judged_points = tuple(point for point in points if isinstance(point, Point))
    baseline = base.evaluation if isinstance(base, Point) else None
    return RecipeComparison(judged_points, ground, (*notes, *ground.notes), baseline, microdata.name)


class _Stopped(Exception):
    """Raised in a thread whose result nobody waits for any more."""


Work = Callable[[Progress], MaskedMicrodata | Point]


def _carry(microdata: Microdata, recipe: Recipe, *, must_run: bool) -> Work:
    def work(progress: Progress) -> MaskedMicrodata | Point:
        try:
            return carry_out(microdata, recipe, progress=progress)
        except TacitaError as error:
            if must_run:
                raise
            return Point(recipe, None, failed=error.found)

    return work


def _judge(masked: MaskedMicrodata, ground: Ground, paired: bool) -> Work:
    def work(progress: Progress) -> Point:
        evaluation = evaluate(masked, ground, paired=paired, progress=progress)
        _forget(masked)
        against = reasons_against(masked.recipe.with_(judgement=ground.wishes), evaluation)
        return Point(masked.recipe, evaluation, masked.steps, masked.notes, against=tuple(against))

    return work


def _forget(masked: MaskedMicrodata) -> None:
    """Drop the released records: a comparison keeps figures, not files."""
    relation = masked.released.relation
    if relation is not masked.original.relation:
        relation.engine.drop(relation)


def _all(work: Sequence[Work], workers: int, doing: str, progress: Progress) -> list[MaskedMicrodata | Point]:
    """Return what comes of all pieces of work, in their order.

    If one fails, or somebody interrupts, the others end with their query or at their next progress.
    """
    is_over = threading.Event()

    def unless_over(_: Step) -> None:
        if is_over.is_set():
            raise _Stopped

    threads: set[int] = set()
    with (
        warnings.catch_warnings(),
        ThreadPoolExecutor(workers, initializer=lambda: threads.add(threading.get_ident())) as pool,
    ):
        # Which warnings are heard belongs to the whole process: a library that sets this aside in one thread, as
        # scikit-learn does, would make others warn in the next one.
        warnings.simplefilter("ignore")
        warnings.showwarning = _unheard
        futures = {pool.submit(piece, unless_over): place for place, piece in enumerate(work)}
        results: dict[int, MaskedMicrodata | Point] = {}
        try:
            for future in as_completed(futures):
                results[futures[future]] = future.result()
                progress(Step(f"{doing} recipes", len(results), len(work)))
        except BaseException:
            is_over.set()
            pool.shutdown(wait=False, cancel_futures=True)
            while not all(future.done() for future in futures):
                interrupt_queries(threads)
                time.sleep(0.05)  # one that begins just now forgets an interrupt
            raise
    return [results[place] for place in range(len(work))]


def _unheard(*warning: object, **more: object) -> None:
    """Say nothing."""


def with_title(recipe: Recipe, title: str) -> Recipe:
    """Return a recipe under a name, unless it has one."""
    return recipe if recipe.title else replace(recipe, title=title)


def frontier(points: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Return the places of points that are not dominated, by falling risk; of equal points the first.

    A point dominates another if it is lower in one figure and not higher in the other.

    >>> frontier([(10.0, 50.0), (20.0, 20.0), (30.0, 30.0), (5.0, 80.0)])
    (1, 0, 3)
    """
    order = sorted(range(len(points)), key=lambda i: (points[i][0], points[i][1], i))
    kept: list[int] = []
    least = float("inf")
    for place in order:
        if points[place][1] < least:
            kept.append(place)
            least = points[place][1]
    return tuple(reversed(kept))
