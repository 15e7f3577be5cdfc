"""Prediction: a trained model guesses what people hide, from all that they show and from which cells they hide.

For each confidential attribute a model (gradient boosting) learns from the records that show it, and is asked about
people who keep it confidential. Its inputs are the other attributes where they are shown, and for each of them whether
the person hides it: who hides what may tell as much as a value.

People who hide an attribute usually hide others with it, which those who show it do not. A model that learnt to rely on
these would fail, and the attack would look weaker than it is. So each record to learn from is given the hidden cells of
a person who is asked about, drawn at random, on top of its own; whether the record itself hides a cell stays an input.

Hiding may depend on the value. If the intruder knows the totals, the hidden people's distribution is known, and the
model's probabilities are corrected by it: P(v | x) is multiplied by the share of v among hidden values over its share
among shown ones (M. Saerens, P. Latinne and C. Decaestecker, Neural Computation 14, 2002, with the new shares known).

*Score.* Numbers count in classes, at most six, between quantiles of the values that are shown, or, where a threshold
is given, within that of the truth. The baseline is the best single answer for the people asked about, which is never
below a guess by their distribution (the sum of squared shares). The gain is (accuracy - baseline) / (1 - baseline), not
below 0. Its interval takes the errors of both shares as independent, and is rather too wide (`residual`).

Limits: one small model; a better one finds more. Work is bounded by numbers of records, drawn by the seed.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.dependencies.concealed_file import ConcealedFile, Mask
from tacita.attacks.microdata.attacker import Rate, residual
from tacita.attacks.microdata.inference.features import features_of
from tacita.attacks.microdata.score import check_count, check_seed, check_share, rate_of
from tacita.errors import InputError, counted, did_you_mean, listed
from tacita.model.records import Categories, Numbers, Records
from tacita.progress import Progress, Step, silent

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_CLASSES = 6
_MOST_CLASSES = 24
"""Rarer values are one class of their own, which is never right."""
_FULL_CLASSES, _FEWEST_ROUNDS = 4, 10
"""A round grows a tree for each class: above so many classes there are fewer rounds."""
_MISSING = -1


class PeoplePart(StrEnum):
    """Which of the people who hide an attribute are asked about; who is in which part depends on seed and row only."""

    ALL = "all"
    SELECTION = "selection"
    """The half by which attributes to hide are chosen."""
    REPORT = "report"
    """The other half, by which the effect is reported."""


@dataclass(frozen=True, slots=True)
class PredictionOptions:
    """How a model is trained and asked."""

    seed: int = field(default=1, repr=False)
    part: PeoplePart = PeoplePart.ALL
    training: int = 10_000
    """How many records a model learns from at most."""
    people: int = 5_000
    """How many people are asked about at most, for each attribute."""
    rounds: int = 60
    """How many rounds of boosting there are; fewer if there are more than four classes."""
    within: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """For numbers that count as known if they are this near to the truth, instead of by classes."""

    def __post_init__(self) -> None:
        check_seed(self.seed)
        for name in ("training", "people", "rounds"):
            check_count(name, getattr(self, name))
        for name, limit in self.within.items():
            check_share(f"the distance of '{name}'", limit)
        object.__setattr__(self, "part", PeoplePart(self.part))
        object.__setattr__(self, "within", MappingProxyType(dict(self.within)))


@dataclass(frozen=True, slots=True)
class PredictionScore:
    """How well a model guesses an attribute of people who keep it confidential."""

    attribute: str
    accuracy: Rate
    baseline: Rate
    """The share of the best single answer for the people asked about."""
    gain: Rate | None
    """(accuracy - baseline) / (1 - baseline), not below 0, with its 95 % interval; None if all these people have the
    same value: then totals tell it, and there is nothing left to gain."""
    people: int
    training: int
    hidden: int
    """How many people keep it confidential, in all parts."""


@dataclass(frozen=True, slots=True)
class PredictionReport:
    """How well a model guesses each confidential attribute."""

    scores: tuple[PredictionScore, ...]
    """In the order of the file."""
    part: PeoplePart
    notes: tuple[str, ...] = ()

    @property
    def largest_gain(self) -> float:
        """The largest gain over all attributes, 0 if there is none."""
        return max((score.gain.value for score in self.scores if score.gain is not None), default=0.0)

    def of(self, attribute: str) -> PredictionScore:
        """Return the score of an attribute."""
        for score in self.scores:
            if score.attribute == attribute:
                return score
        names = [score.attribute for score in self.scores]
        raise InputError(f"'{attribute}' was not predicted{did_you_mean(attribute, names)}", do=f"use {listed(names)}")


def predict(
    file: ConcealedFile,
    attributes: Sequence[str] | None = None,
    options: PredictionOptions | None = None,
    progress: Progress = silent,
) -> PredictionReport:
    """Return how well a model guesses confidential attributes; all of them unless some are named.

    The same file, options and seed give the same result.
    """
    options = options or PredictionOptions()
    names = tuple(file.confidential) if attributes is None else tuple(attributes)
    scores, notes = [], []
    for place, name in enumerate(names):
        progress(Step(f"predicting '{name}'", place, len(names)))
        task = task_of(file, name, options)
        if not len(task.people):
            notes.append(f"No value of '{name}' is kept confidential by anybody of this part.")
            continue
        others = [other for other in file.truth.names if other != name]
        scores.append(task.score(task.right(others)))
        notes += task.notes
        if scores[-1].gain is None:
            notes.append(
                f"Everybody asked about has the same value of '{name}': there is nothing to gain over the mode."
            )
    return PredictionReport(tuple(scores), options.part, tuple(notes))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PredictionTask:
    """One attribute to be predicted: who is learnt from, who is asked about, and the truth."""

    file: ConcealedFile
    attribute: str
    options: PredictionOptions
    people: Ints
    """The records asked about."""
    training: Ints
    """The records learnt from."""
    classes: Ints
    """The class of each record, -1 where the value is missing; scored by it unless a threshold is given."""
    prior: Floats | None
    """The share of each class among the hidden values; None if the intruder does not know it."""
    hidden: int
    notes: tuple[str, ...]

    def right(self, names: Sequence[str]) -> Mask:
        """Return for each person whether a model that uses some attributes says the truth."""
        import sklearn.ensemble  # noqa: F401  (limits hold for libraries that are loaded)
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        # threads of boosting wait for each other by spinning, which costs more than it gains where others work too, and
        # sums in another order would give another result
        with threadpool_limits(1):
            if self.attribute in self.options.within:
                return self._within(names)
            right: Mask = self._answers(names) == self.classes[self.people]
            return right

    def score(self, right: Mask) -> PredictionScore:
        """Return the score of a model by who was guessed right."""
        accuracy = rate_of(int(right.sum()), len(right))
        baseline = rate_of(self._best_single_answer(), len(right))
        gain = residual(accuracy, baseline)
        return PredictionScore(self.attribute, accuracy, baseline, gain, len(right), len(self.training), self.hidden)

    def _inputs(self, names: Sequence[str]) -> tuple[Floats, Floats]:
        """Return what a model sees of the records to learn from, and of the people asked about."""
        random = np.random.default_rng([self.options.seed, 1])
        lent = self.people[random.integers(0, len(self.people), len(self.training))]
        shown, masks = [], []
        for rows, also in ((self.training, lent), (self.people, self.people)):
            columns = {}
            for name in names:
                hidden = self.file.is_hidden(name)
                columns[name] = _without(self.file.truth[name].taken(rows), hidden[rows] | hidden[also])
            shown.append(Records(columns))
            masks.append([self.file.is_hidden(name)[rows] for name in names])
        told_apart = [place for place in range(len(names)) if any(mask[place].any() for mask in masks)]
        values = features_of(shown, names)
        inputs = [
            np.column_stack([matrix, *(mask[place].astype(np.float64) for place in told_apart)])
            for matrix, mask in zip(values, masks, strict=True)
        ]
        return inputs[0], inputs[1]

    def _answers(self, names: Sequence[str]) -> Ints:
        """Return the class that a model says for each person; -1 for a rare one."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        learnt = self.classes[self.training]
        count = int(self.classes.max()) + 1
        shown = np.bincount(learnt, minlength=count).astype(np.float64)
        kept = np.sort(np.argsort(-shown, kind="stable")[:_MOST_CLASSES])
        kept = kept[shown[kept] > 0]
        if len(kept) < 2 or not names:
            return np.full(len(self.people), self._usual(shown))
        number = np.full(count, len(kept))
        number[kept] = np.arange(len(kept))
        inputs, questions = self._inputs(names)
        rounds = max(_FEWEST_ROUNDS, min(self.options.rounds, _FULL_CLASSES * self.options.rounds // len(kept)))
        model = HistGradientBoostingClassifier(
            max_iter=rounds, max_leaf_nodes=15, early_stopping=False, random_state=self.options.seed
        )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The number of unique classes", category=UserWarning)
            model.fit(inputs, number[learnt])  # few records of many classes are guessed badly, and that is said
        chances = np.zeros((len(questions), len(kept) + 1))
        chances[:, model.classes_.astype(np.int64)] = model.predict_proba(questions)
        last = _MISSING
        if self.prior is not None:
            chances[:, :-1] *= self.prior[kept] * (shown.sum() / shown[kept])
            # a class that nobody shows is as likely as the prior says, whatever is known of the person
            last = int(np.argmax(np.where(shown == 0, self.prior, -1.0)))
            chances[:, -1] = self.prior[last] if shown[last] == 0 else 0.0
        said: Ints = np.append(kept, last)[chances.argmax(axis=1)]
        return said

    def _usual(self, shown: Floats) -> int:
        """Return the answer without a model: the most frequent class of hidden values, or of shown ones."""
        return int(np.argmax(shown if self.prior is None else self.prior))

    def _within(self, names: Sequence[str]) -> Mask:
        """Return for each person whether a model comes near enough to the number."""
        from sklearn.ensemble import HistGradientBoostingRegressor

        values = self.file.truth.numbers(self.attribute).values
        learnt, truth = values[self.training], values[self.people]
        if not len(learnt):
            return np.zeros(len(truth), dtype=bool)
        if not names or (learnt == learnt[0]).all():
            said = np.full(len(truth), np.median(learnt))
        else:
            inputs, questions = self._inputs(names)
            model = HistGradientBoostingRegressor(
                loss="absolute_error",
                max_iter=self.options.rounds,
                max_leaf_nodes=15,
                early_stopping=False,
                random_state=self.options.seed,
            )
            said = model.fit(inputs, learnt).predict(questions)
        near: Mask = np.abs(said - truth) <= self.options.within[self.attribute] * (1 + 1e-9)
        return near

    def _best_single_answer(self) -> int:
        """Return for how many people the best single answer is right."""
        if self.attribute not in self.options.within:
            return int(np.bincount(self.classes[self.people]).max())
        truth = np.sort(self.file.truth.numbers(self.attribute).values[self.people])
        width = 2 * self.options.within[self.attribute] * (1 + 1e-9)
        return int((np.searchsorted(truth, truth + width, side="right") - np.arange(len(truth))).max())


def task_of(
    file: ConcealedFile, attribute: str, options: PredictionOptions, among: Mask | None = None
) -> PredictionTask:
    """Return the task of predicting an attribute of the people of a part, of all or of those among some records."""
    for name in options.within:
        file.truth.numbers(name)  # raises if there is no such attribute, or no number
    if among is not None and among.shape != (len(file.truth),):
        raise InputError("the people in question are not one true or false for each record", do="give a mask")
    hidden, confidential = file.is_hidden(attribute), file.is_confidential(attribute)
    classes = _classes(file.truth, attribute, ~hidden)
    there = classes != _MISSING
    random = np.random.default_rng([options.seed, 0])
    turn = random.permutation(len(file.truth))  # the same people first, whatever else is hidden
    part = {
        PeoplePart.ALL: np.ones(len(turn), dtype=bool),
        PeoplePart.SELECTION: turn % 2 == 0,
        PeoplePart.REPORT: turn % 2 == 1,
    }[options.part]
    wanted = confidential & there if among is None else confidential & there & among
    people, is_cut = _drawn(wanted & part, turn, options.people)
    training, learns_less = _drawn(~hidden & there, turn, options.training)
    prior = None
    if file.knows_total(attribute) and (hidden & there).any():
        counts = np.bincount(classes[hidden & there], minlength=int(classes.max()) + 1)
        prior = counts / counts.sum()
    notes = []
    if is_cut:
        notes.append(f"'{attribute}' was predicted for {counted(len(people), 'person')} drawn at random.")
    if learns_less:
        notes.append(f"The model of '{attribute}' learnt from {counted(len(training), 'record')} drawn at random.")
    if not len(training):
        notes.append(f"No record shows '{attribute}': the model has nothing to learn from.")
    return PredictionTask(
        file, attribute, options, people, training, classes, prior, int(confidential.sum()), tuple(notes)
    )


def _drawn(rows: Mask, turn: Ints, most: int) -> tuple[Ints, bool]:
    """Return places in the order of the file, at most so many, by turn; and whether some were left out."""
    places = np.flatnonzero(rows)
    chosen = places[np.argsort(turn[places], kind="stable")[:most]]
    return np.sort(chosen), len(places) > most


def _classes(truth: Records, name: str, shown: Mask) -> Ints:
    """Return the class of each value: its own, or for numbers with many values that between quantiles of shown ones."""
    column = truth[name]
    if isinstance(column, Categories):
        return column.codes.astype(np.int64)
    values = column.values
    finite = np.isfinite(values)
    distinct = np.unique(values[finite])
    if len(distinct) > _CLASSES:
        seen = values[shown & finite] if (shown & finite).any() else values[finite]
        distinct = np.unique(np.quantile(seen, np.arange(1, _CLASSES) / _CLASSES, method="inverted_cdf"))
        return np.where(finite, np.searchsorted(distinct, values, side="left"), _MISSING)
    return np.where(finite, np.searchsorted(distinct, values), _MISSING)


def _without(column: Numbers | Categories, hidden: Mask) -> Numbers | Categories:
    """Return a column without its hidden values."""
    if isinstance(column, Categories):
        return column.with_codes(np.where(hidden, _MISSING, column.codes).astype(np.int32))
    return column.with_values(np.where(hidden, np.nan, column.values))
