"""A model that must still hold: its coefficients before and after, and how far their confidence intervals agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError, counted
from tacita.model.records import Records
from tacita.utility.analyses.design import Design, designs
from tacita.utility.analyses.fit import Fit, Kind, fitted
from tacita.utility.analyses.formula import Formula
from tacita.utility.columns import shared_codes, weights_of
from tacita.utility.loss import Lost


@dataclass(frozen=True, slots=True)
class Regression:
    """A regression that users would run: ``y ~ a + b + C(c) + a:b``, linear, logistic or Poisson, also by subgroup.

    The figure is 1 minus the mean overlap of the confidence intervals of the coefficients before and after,
    ``((U - L)/(U1 - L1) + (U - L)/(U2 - L2)) / 2`` with [L, U] the part that two intervals share, 0 if none (Karr,
    Kohnen, Oganian, Reiter and Sanil, "A framework for evaluating the utility of data altered to protect
    confidentiality", The American Statistician 2006). Beside it: the share of coefficients whose sign changed, and of
    those that became or ceased to be significant; the mean of ``|b' - b| / se(b)``; and by how much the mean of the
    fitted values moved (sdcMicro's ``lm``). A coefficient, or subgroup, that can be estimated before and not after
    counts as lost: overlap 0.

    `by` fits the model in every subgroup; `weights` names an attribute, records of weight 0 do not count. Records with
    a missing or infinite value in the model are left out, in each file. The attributes are those of the formula,
    whatever attributes are asked for. Categories and subgroups are told by their place in the file before, not by
    their value.

    Limits: classical standard errors; of microaggregated or synthetic data they are too small (see the combining rules
    for synthetic data), and a survey's design is not taken into account.

    >>> from tacita.model.records import Numbers
    >>> before = Records({"x": Numbers.of([1, 2, 3, 4]), "y": Numbers.of([2, 4, 5, 4])})
    >>> after = before.with_columns({"y": Numbers.of([2, 4, 5, 5])})
    >>> found = Regression("y ~ x").lost(before, after, [])
    >>> round(found.attributes["x"]["after"], 12), round(found.figure, 3)
    (1.0, 0.17)
    """

    name: ClassVar[str] = "regression"
    needs_pairs: ClassVar[bool] = False

    formula: str
    kind: Kind = "linear"
    by: tuple[str, ...] = ()
    weights: str = ""
    confidence: float = 0.95
    _parsed: Formula = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in {"linear", "logistic", "poisson"}:
            raise UsageError(f"no kind '{self.kind}' of regression", do="use linear, logistic or poisson")
        if not 0 < self.confidence < 1:
            raise UsageError("'confidence' of 'regression' must lie between 0 and 1", do="give a share such as 0.95")
        object.__setattr__(self, "_parsed", Formula.parsed(self.formula))
        if clash := set(self.by) & set(self._parsed.attributes):
            raise UsageError(f"'{min(clash)}' makes the subgroups and is in the model", do="use it for one of the two")

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return how far the model still holds, in all and by coefficient."""
        one, two = designs(self._parsed, before, after, binary=self.kind == "logistic")
        weights = [weights_of(records, self.weights) for records in (before, after)]
        notes: list[str] = []
        for design, weight, which in ((one, weights[0], "before"), (two, weights[1], "after")):
            if gone := int(np.sum(~design.usable & (weight > 0))):
                notes.append(f"the model leaves out {counted(gone, 'record')} {which} with a missing or infinite value")
        single: dict[str, dict[str, float]] = {}
        moved: list[float] = []
        unknown = vanished = 0
        for label, first, second in self._subgroups(before, after):
            fits = self._fit(one, weights[0], first), self._fit(two, weights[1], second)
            if fits[0] is None:
                unknown += 1
                continue
            vanished += fits[1] is None
            single |= {f"{label}{name}": row for name, row in self._rows(list(one.columns), fits[0], fits[1]).items()}
            if fits[1] is not None and fits[0].fitted_mean:
                moved.append(abs(fits[1].fitted_mean / fits[0].fitted_mean - 1))
        groups = "the model" if not self.by else "the model of a subgroup"
        if unknown:
            notes.append(f"{groups} cannot be estimated before ({counted(unknown, 'time')}), and is left out")
        if vanished:
            notes.append(f"{groups} can no longer be estimated ({counted(vanished, 'time')}): all of it is lost")
        return Lost(self.name, _summary(single, moved), single, tuple(notes))

    def _fit(self, design: Design, weights: NDArray[np.float64], rows: NDArray[np.int64]) -> Fit | None:
        used = rows[design.usable[rows] & (weights[rows] > 0)]
        columns = [column[used] for column in design.columns.values()]
        return fitted(self.kind, design.response[used], columns, weights[used])

    def _subgroups(self, before: Records, after: Records) -> Iterator[tuple[str, NDArray[np.int64], NDArray[np.int64]]]:
        """Yield each subgroup of the file before, and the places of its records in both."""
        if not self.by:
            yield "", np.arange(len(before)), np.arange(len(after))
            return
        codes = [shared_codes(before, after, name)[:2] for name in self.by]
        stacked = np.stack([np.concatenate(pair) for pair in codes], axis=1)
        groups, own = np.unique(stacked, axis=0, return_inverse=True)
        own = own.reshape(-1)
        one, two = (_places(part, len(groups)) for part in (own[: len(before)], own[len(before) :]))
        for group, first, second in zip(groups, one, two, strict=True):
            if len(first) and (group >= 0).all():
                label = ", ".join(f"{name}[{code + 1}]" for name, code in zip(self.by, group, strict=True))
                yield f"{label}: ", first, second

    def _rows(self, names: list[str], one: Fit, two: Fit | None) -> dict[str, dict[str, float]]:
        """Return what became of each coefficient that could be estimated before."""
        low, high = one.interval(self.confidence)
        empty = np.full(len(names), np.nan)
        second, error = (two.coefficients, two.errors) if two is not None else (empty, empty)
        bottom, top = two.interval(self.confidence) if two is not None else (empty, empty)
        rows = {}
        for i, name in enumerate(names):
            if np.isnan(one.coefficients[i]):
                continue
            is_known = not np.isnan(second[i])
            overlap = _overlap((low[i], high[i]), (bottom[i], top[i])) if is_known else 0.0
            rows[name] = {
                "before": float(one.coefficients[i]),
                "standard error before": float(one.errors[i]),
                "after": float(second[i]),
                "standard error after": float(error[i]),
                "overlap": overlap,
                "sign changed": float(not is_known or np.sign(one.coefficients[i]) != np.sign(second[i])),
                "significance changed": float(not is_known or (low[i] * high[i] > 0) != (bottom[i] * top[i] > 0)),
            }
        return rows


def _places(groups: NDArray[np.int64], number: int) -> list[NDArray[np.int64]]:
    """Return the places of the records of each group, in their order."""
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.cumsum(np.bincount(groups, minlength=number))[:-1]) if number else []


def _summary(single: dict[str, dict[str, float]], moved: list[float]) -> dict[str, float]:
    rows = list(single.values())
    if not rows:
        return dict.fromkeys(
            ("overlap lost", "signs changed", "significance changed", "standardised difference", "fitted mean"), np.nan
        )
    apart = [
        abs(row["after"] - row["before"]) / row["standard error before"]
        for row in rows
        if row["standard error before"] > 0 and not np.isnan(row["after"])
    ]
    return {
        "overlap lost": max(0.0, 1 - float(np.mean([row["overlap"] for row in rows]))),
        "signs changed": float(np.mean([row["sign changed"] for row in rows])),
        "significance changed": float(np.mean([row["significance changed"] for row in rows])),
        "standardised difference": float(np.mean(apart)) if apart else np.nan,
        "fitted mean": float(np.mean(moved)) if moved else np.nan,
    }


def _overlap(one: tuple[float, float], two: tuple[float, float]) -> float:
    """Return the mean share of two intervals that both have.

    >>> _overlap((0.0, 2.0), (1.0, 5.0))
    0.375
    """
    shared = min(one[1], two[1]) - max(one[0], two[0])
    if shared < 0:
        return 0.0
    widths = (one[1] - one[0], two[1] - two[0])
    # an interval of no width is a point: inside, all of it is shared
    return float(sum(shared / width if width > 0 else 1.0 for width in widths) / 2)
