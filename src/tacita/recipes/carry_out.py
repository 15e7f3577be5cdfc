"""Carrying out a recipe: microdata in, treated microdata out, with what each step says of itself."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from tacita.engines.records import microdata_of, records_of
from tacita.errors import TacitaError, UsageError, listed
from tacita.masking.method import Method, Treated
from tacita.masking.within import treated_within
from tacita.model.attribute import Category
from tacita.model.microdata import Microdata
from tacita.model.records import Records, same_values
from tacita.progress import Progress, Step, silent
from tacita.recipes.clusters import RecordClusters, torn_apart, treat_by_cluster
from tacita.recipes.engine_methods import EngineMethod
from tacita.recipes.kinds import with_kinds
from tacita.recipes.methods import METHODS
from tacita.recipes.recipe import Recipe, RecipeStep

_OVERTAKEN = "a later step changes the same attributes or leaves records out: what this one promises need not hold then"


@dataclass(frozen=True, slots=True)
class StepReport:
    """What a step says of itself."""

    label: str
    promises: str
    limits: str
    attributes: tuple[str, ...]
    """The attributes that were changed."""
    figures: Mapping[str, float]
    notes: tuple[str, ...]
    is_random: bool = False
    keeps_records: bool = True
    """Whether every record came out, and none beside."""
    is_overtaken: bool = False
    """Whether a later step changed the same attributes or left out records, so that the promise need not hold."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MaskedMicrodata:
    """Microdata after a recipe."""

    recipe: Recipe
    """The recipe as it was carried out: with the seed that was used."""
    original: Microdata
    released: Microdata
    origin: NDArray[np.int64] | None
    """For each released record the place of its original; None if the records are invented."""
    changed: tuple[str, ...]
    """The attributes of which some step rewrote the column."""
    dropped: tuple[str, ...]
    """Attributes that stand in another table now, or nowhere."""
    steps: tuple[StepReport, ...]
    beside: Mapping[str, Records] = field(default_factory=lambda: MappingProxyType({}))
    """Further tables that are released, by name."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a steward has to know, of all steps."""
        return tuple(dict.fromkeys(note for step in self.steps for note in step.notes))


def fresh_seed() -> int:
    """Return a seed that nobody can guess, as a recipe can hold it."""
    return secrets.randbits(63)


def carry_out(microdata: Microdata, recipe: Recipe, *, progress: Progress = silent) -> MaskedMicrodata:
    """Return microdata after all steps of a recipe.

    Whole numbers of which the dictionary does not tell the kind are codes where `describe` calls them categorical, and
    a method that computes with numbers refuses them.
    Each step has randomness of its own, so that changing the parameters of one leaves the draws of the others as they
    were. A recipe without a seed gets one, which the result's recipe holds.

    >>> import tacita as tc
    >>> from tacita.recipes.recipe import Recipe, RecipeStep
    >>> recipe = Recipe((RecipeStep("intervals", {"attributes": ["W"], "width": 100}),), seed=1)
    >>> carry_out(tc.sample("figure-1").microdata, recipe).changed
    ('W',)
    """
    recipe = recipe if recipe.seed is not None else recipe.with_(seed=fresh_seed())
    microdata = with_kinds(microdata)
    sources = np.random.SeedSequence(recipe.seed).spawn(len(recipe.steps))
    work = _Work(microdata)
    for number, (step, source) in enumerate(zip(recipe.steps, sources, strict=True), 1):
        where = f"step {number}, '{step.method}'"
        progress(Step(step.label, number - 1, len(recipe.steps)))
        try:
            work.add(step, np.random.default_rng(source), progress)
        except TacitaError as error:
            if not error.where:
                error.where = where
            raise
    return work.finished(recipe)


class _Work:
    """The microdata between two steps."""

    def __init__(self, original: Microdata) -> None:
        self._original = self._now = original
        self._origin: NDArray[np.int64] | None = np.arange(original.relation.count())
        self._changed: dict[str, None] = {}
        self._dropped: dict[str, None] = {}
        self._beside: dict[str, Records] = {}
        self._done: list[StepReport] = []

    def add(self, step: RecipeStep, random: np.random.Generator, progress: Progress) -> None:
        method = METHODS.make(step.method, step.parameters)
        for name in (*step.within, *method.attributes):
            self._now.column(name)
        if isinstance(method, EngineMethod):
            self._in_engine(step, method, progress)
        else:
            self._on_records(step, method, random, progress)

    def _in_engine(self, step: RecipeStep, method: EngineMethod, progress: Progress) -> None:
        if step.within:
            raise UsageError(f"'{step.method}' does not work within strata", do="leave 'within' out")
        if step.by_cluster:
            raise UsageError(f"'{step.method}' does not work by cluster", do="leave 'by_cluster' out")
        before = self._now
        self._now, notes = method.applied(before, progress)
        rewritten = method.attributes or before.dictionary.quasi_identifiers
        if (clusters := RecordClusters.of(before)) is not None:
            old, new = (records_of(microdata, list(rewritten)) for microdata in (before, self._now))
            notes += torn_apart(clusters, old, new, rewritten)
        self._note(step, method, rewritten, {}, notes)

    def _on_records(self, step: RecipeStep, method: Method, random: np.random.Generator, progress: Progress) -> None:
        identifiers = {attribute.name for attribute in self._now.dictionary.of(Category.IDENTIFIER)}
        if named := identifiers & {*method.attributes, *step.within}:
            raise UsageError(
                f"{listed(sorted(named))} names respondents", do="leave it out: identifiers are not released"
            )
        keys = {attribute.name for attribute in self._now.dictionary.of(Category.CLUSTER_KEY)}
        if named := keys & {*method.attributes}:
            raise UsageError(
                f"{listed(sorted(named))} tells who belongs together", do="leave it out: such keys are not released"
            )
        # Neither identifiers nor keys are released; a method sees a key only if it names it, as record swapping does.
        hidden = identifiers | (keys - {*step.within, *_texts(step.parameters)})
        records = records_of(self._now, [name for name in self._now.dictionary.names if name not in hidden])
        clusters = RecordClusters.of(self._now)
        if step.by_cluster:
            treated = treat_by_cluster(method, records, step.within, clusters, random, progress)
        else:
            treated = treated_within(method, records, step.within, random, progress)
        rewritten = _rewritten(records, treated)
        if treated.origin is not None and np.array_equal(treated.origin, np.arange(len(records))):
            treated = replace(treated, notes=treated.notes + torn_apart(clusters, records, treated.records, rewritten))
        gone = [name for name in records.names if name not in treated.records.columns]
        gone += sorted(hidden) if treated.origin is None else []
        before = self._now
        self._now = microdata_of(treated.records, before, treated.origin, rewritten, gone)
        if before is not self._original:
            self._forget(before)
        if treated.origin is None or self._origin is None:
            self._origin = None
        else:
            self._origin = self._origin[treated.origin]
        self._dropped.update(dict.fromkeys(gone))
        for name, table in treated.beside.items():
            self._beside[_free(name, self._beside)] = table
        keeps_records = treated.origin is not None and len(np.unique(treated.origin)) == len(records)
        self._note(step, method, rewritten, treated.figures, treated.notes, keeps_records=keeps_records)

    def _forget(self, microdata: Microdata) -> None:
        """Drop records between two steps, unless they are those of the file."""
        relation, first = microdata.relation, self._original.relation
        if relation.table != first.table:
            relation.engine.drop(relation)

    def _note(
        self,
        step: RecipeStep,
        method: Method | EngineMethod,
        changed: Sequence[str],
        figures: Mapping[str, float],
        notes: tuple[str, ...],
        *,
        keeps_records: bool = True,
    ) -> None:
        self._changed.update(dict.fromkeys(changed))
        fixed = MappingProxyType(dict(figures))
        self._done.append(
            StepReport(
                step.label,
                method.promises,
                method.limits,
                tuple(changed),
                fixed,
                notes,
                method.is_random,
                keeps_records,
            )
        )

    def finished(self, recipe: Recipe) -> MaskedMicrodata:
        there = {column.name for column in self._now.columns}
        return MaskedMicrodata(
            recipe,
            self._original,
            self._now,
            self._origin,
            tuple(name for name in self._changed if name in there),
            tuple(name for name in self._dropped if name not in there),
            _overtaken(self._done),
            MappingProxyType(self._beside),
        )


def _rewritten(records: Records, treated: Treated) -> tuple[str, ...]:
    """Return the attributes that are new, or of which a cell differs from that of its origin."""
    if treated.origin is None:
        return treated.records.names
    in_place = np.array_equal(treated.origin, np.arange(len(records)))
    names = []
    for name, column in treated.records.columns.items():
        before = records.columns.get(name)
        if before is column and in_place:
            continue
        if before is None or not same_values(before if in_place else before.taken(treated.origin), column):
            names.append(name)
    return tuple(names)


def _texts(value: object) -> set[str]:
    """Return every text in the parameters of a step.

    >>> sorted(_texts({"household": "hid", "similar": [["size"]], "k": 3}))
    ['hid', 'size']
    """
    if isinstance(value, str):
        return {value}
    if isinstance(value, Mapping):
        return set().union(*map(_texts, value.values()))
    return set().union(*map(_texts, value)) if isinstance(value, list | tuple) else set()


def _overtaken(done: Sequence[StepReport]) -> tuple[StepReport, ...]:
    """Return what steps say of themselves, with a note where a later step may have undone what one promises."""
    steps = list(done)
    for place, step in enumerate(done):
        later = done[place + 1 :]
        again = any(set(other.attributes) & set(step.attributes) for other in later)
        fewer = bool(step.attributes) and not all(other.keeps_records for other in later)
        if again or fewer:
            steps[place] = replace(step, is_overtaken=True, notes=(*step.notes, _OVERTAKEN))
    return tuple(steps)


def _free(name: str, taken: Mapping[str, Records]) -> str:
    number = 2
    wanted = name
    while wanted in taken:
        wanted, number = f"{name} {number}", number + 1
    return wanted
