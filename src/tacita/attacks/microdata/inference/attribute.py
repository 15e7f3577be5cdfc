"""Attribute inference: a model learns from the released file what people keep secret."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.attacks.microdata.inference.features import Floats, features_of
from tacita.attacks.microdata.score import (
    HOLDOUT,
    check_count,
    check_seed,
    check_share,
    lacking,
    left_out,
    rate_of,
    require,
    scored,
    usable_holdout,
)
from tacita.errors import UsageError
from tacita.model.hierarchy import text_of
from tacita.model.records import Numbers, Records
from tacita.progress import Progress, Step, silent

Answers = NDArray[Any]
Rows = NDArray[np.int64]

ABSENT = "people without a released record"
HALVES = "each half of the people, by the released records of the other half"

_MOST_BY_DEFAULT = 50_000
"""With more records it takes long, and attacks only if it is named."""


@dataclass(frozen=True, slots=True)
class AttributeInference:
    """Train a model on the released file, known attributes to secret ones, and ask it about the original people.

    Success is the share of secret values that the model tells: the category, or a number to within `tolerance` of the
    truth (0 only by 0). The guess is the best that can be said of everybody without the file: the most frequent
    category, or the number that is within `tolerance` of most.

    Statistics exist to teach: whoever learns from a file that surgeons earn more learns it about surgeons who are not
    in the file as well. So the control is the success with people whose records the model has not seen: those of the
    hold-out; without one, the people of whom nothing is released; without those, each half of the people by a model
    trained on the released records of the other half. Records masked together, such as groups with a common mean, tell
    of each other: where the recipe is known, a hold-out by the recipe is the better control.

    The forest (extremely randomised trees, grown until leaves are pure) remembers single records; boosting (gradient
    boosting) generalises more. Source of the control: M. Giomi, F. Boenisch, C. Wehmeyer and B. Tasnadi, "A unified
    framework for quantifying privacy risk in synthetic data", PoPETs 2023.

    Limits: one family of models, and known attributes are used as they are. A better model finds more.
    """

    tolerance: float = 0.1
    """How near a number must come, as a share of the truth."""
    model: Literal["forest", "boosting"] = "forest"
    trees: int = 30
    seed: int = 1
    name: ClassVar[str] = "attribute-inference"
    threat: ClassVar[str] = "attribute"
    by_holdout: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_share("tolerance", self.tolerance)
        check_count("trees", self.trees)
        check_seed(self.seed)
        if self.model not in ("forest", "boosting"):
            raise UsageError("the model is neither a forest nor boosting", do="use forest or boosting")

    @staticmethod
    def by_default(scene: Scene, *, paired: bool) -> bool:
        """Return whether it attacks if nobody chose attackers."""
        return bool(scene.secret) and len(scene.released) <= _MOST_BY_DEFAULT

    def lacks(self, scene: Scene) -> Sequence[str]:
        """Return whether records, known or secret attributes are missing."""
        missing = lacking(scene)
        return missing if _secrets(scene) else [*missing, "no secret attribute is in both files"]

    def attack(self, scene: Scene, progress: Progress = silent) -> Attacked:
        """Return the share of secret values that a model trained on the released file tells."""
        require(self.lacks(scene))
        secrets = _secrets(scene)
        known = [name for name in scene.shared(scene.known) if name not in secrets]
        notes = left_out(scene, (*scene.known, *scene.secret))
        holdout = usable_holdout(scene, (*known, *secrets))
        files = features_of([scene.released, scene.original, *([holdout] if holdout is not None else [])], known)
        hits = attempts = best = control_hits = 0.0
        trials = 0
        figures: dict[str, float] = {}
        for place, secret in enumerate(secrets):
            progress(Step(f"learning '{secret}'", place, len(secrets)))
            answers = [_answers(file, secret) for file in (scene.released, scene.original)]
            there = np.flatnonzero(~_missing(answers[1]))
            right = self._right(files[0], answers[0], files[1][there], answers[1][there])
            hits += float(right.sum())
            attempts += len(there)
            best += _best_guess(answers[1][there], self.tolerance)
            figures[secret] = float(right.mean()) if len(right) else 0.0
            others = self._control(scene, holdout, secret, files, answers)
            control_hits += float(others.sum())
            trials += len(others)
        control = rate_of(control_hits, trials, trials // len(secrets)) if trials else None
        if control is None:
            notes.append("no person is known to be outside the file: what any statistic tells is part of the success")
        guess = best / attempts if attempts else 0.0
        people = int(attempts) // len(secrets)
        by = HOLDOUT if holdout is not None else self._instead(scene)
        return scored(self.name, hits, int(attempts), guess, figures, notes, independent=people, control=control, by=by)

    @staticmethod
    def _instead(scene: Scene) -> str:
        """Return what the control is where there is no hold-out."""
        everybody = scene.origin is not None and len(np.unique(scene.origin[scene.origin >= 0])) == len(scene.original)
        return HALVES if everybody else ABSENT

    def _control(
        self, scene: Scene, holdout: Records | None, secret: str, files: list[Floats], answers: list[Answers]
    ) -> NDArray[np.bool_]:
        """Return whether the values of people are told whose records the model has not seen."""
        if holdout is not None:
            theirs = _answers(holdout, secret)
            there = np.flatnonzero(~_missing(theirs))
            return self._right(files[0], answers[0], files[2][there], theirs[there])
        if scene.origin is None:
            return np.empty(0, dtype=bool)
        there = np.flatnonzero(~_missing(answers[1]))
        outside = there[~np.isin(there, scene.origin)]
        if len(outside):
            return self._right(files[0], answers[0], files[1][outside], answers[1][outside])
        half = np.random.default_rng(self.seed).permutation(len(scene.original)) % 2
        side = np.where(scene.origin >= 0, half[scene.origin], -1)
        right = []
        for own in (0, 1):
            people, seen = there[half[there] == own], np.flatnonzero(side != own)
            right.append(self._right(files[0][seen], answers[0][seen], files[1][people], answers[1][people]))
        return np.concatenate(right)

    def _right(self, features: Floats, answers: Answers, people: Floats, truth: Answers) -> NDArray[np.bool_]:
        """Return whether a model trained on some records tells the truth about others."""
        seen = ~_missing(answers)
        if not len(truth) or not seen.any():
            return np.zeros(len(truth), dtype=bool)
        features, answers = features[seen], answers[seen]
        if not features.shape[1] or (answers == answers[0]).all():
            said = np.full(len(truth), _usual(answers), dtype=answers.dtype)
        else:
            said = self._trained(features, answers).predict(people)
        return _agree(said, truth, self.tolerance)

    def _trained(self, features: Floats, answers: Answers) -> Any:
        from sklearn import ensemble
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        numbers = answers.dtype.kind == "f"
        if self.model == "forest":
            forest = ensemble.ExtraTreesRegressor if numbers else ensemble.ExtraTreesClassifier
            model = forest(n_estimators=self.trees, random_state=self.seed, n_jobs=1)
        elif numbers:
            model = ensemble.HistGradientBoostingRegressor(
                loss="absolute_error", max_iter=self.trees, random_state=self.seed, early_stopping=False
            )
        else:
            model = ensemble.HistGradientBoostingClassifier(
                max_iter=self.trees, random_state=self.seed, early_stopping=False
            )
        # threads of boosting wait for each other by spinning, which costs more than it gains where others work too
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The number of unique classes", category=UserWarning)
            return model.fit(features, answers)


def _secrets(scene: Scene) -> tuple[str, ...]:
    return scene.shared(scene.secret)


def _answers(records: Records, name: str) -> Answers:
    """Return secret values: numbers with NaN, or texts with an empty one where missing."""
    column = records[name]
    if isinstance(column, Numbers):
        return np.where(np.isfinite(column.values), column.values, np.nan)
    texts = np.array([*(f"={text_of(value)}" for value in column.values), ""], dtype=object)
    return texts[column.codes]


def _missing(answers: Answers) -> NDArray[np.bool_]:
    missing: NDArray[np.bool_] = np.isnan(answers) if answers.dtype.kind == "f" else answers == ""
    return missing


def _usual(answers: Answers) -> Any:
    if answers.dtype.kind == "f":
        return np.median(answers)
    values, counts = np.unique(answers.astype(str), return_counts=True)
    return values[np.argmax(counts)]


def _agree(said: Answers, truth: Answers, tolerance: float) -> NDArray[np.bool_]:
    if truth.dtype.kind != "f" or said.dtype.kind != "f":
        texts: NDArray[np.bool_] = said.astype(str) == truth.astype(str)
        return texts
    near: NDArray[np.bool_] = np.abs(said - truth) <= tolerance * np.abs(truth) * (1 + 1e-9)
    return near


def _best_guess(truth: Answers, tolerance: float) -> float:
    """Return how many values the best single answer tells: where most intervals around the truth overlap."""
    if not len(truth):
        return 0.0
    if truth.dtype.kind != "f":
        return float(np.unique(truth.astype(str), return_counts=True)[1].max())
    half = tolerance * np.abs(truth) * (1 + 1e-9)
    ends = np.concatenate([truth - half, truth + half])
    opens = np.concatenate([np.ones(len(truth)), -np.ones(len(truth))])
    order = np.lexsort((-opens, ends))  # an interval that begins where another ends overlaps it
    return float(np.cumsum(opens[order]).max())
