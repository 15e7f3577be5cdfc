"""Records checked before they are tabulated: every fault is counted, and all are told together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.engines.protocol import Relation
from tacita.errors import InputError, counted, faults_text
from tacita.tables.build.microdata.layout import MicrodataLayout
from tacita.tables.build.microdata.plans import DECIMALS, checks


@dataclass(frozen=True, slots=True)
class TabulatedRecords:
    """What the check found."""

    number: int
    decimals: int | None
    """Decimals that hold every weighted response, None if it takes too many."""
    response_decimals: int | None
    negative: bool
    without_contributor: bool
    without_holding: bool


def checked_records(relation: Relation, layout: MicrodataLayout, where: str) -> TabulatedRecords:
    """Return what is known of the records, or raise with all that is unusable about them."""
    for name in (layout.response, layout.weight, layout.frequency):
        if name is not None and not relation.column(name).type.is_numeric:
            raise InputError(
                f"'{name}' is not a number, so it cannot be summed", where=where, do="choose a column of numbers"
            )
    counts = {name: int(number) for name, number in relation.engine.run(checks(relation, layout))[0].items()}
    faults = _faults(layout, counts)
    if not counts["records"]:
        faults.append("there is no record")
    if faults:
        raise InputError(
            faults_text(faults),
            where=where,
            do='correct these records; missing_response = "zero" or "leave_out" says what a missing response means'
            if counts.get("response_missing")
            else "correct these records",
        )
    of_response = _decimals(counts, "response") if layout.response else 0
    of_weight = _decimals(counts, "weight") if layout.weight else 0
    together = None if of_response is None or of_weight is None else of_response + of_weight
    return TabulatedRecords(
        counts["records"],
        together,
        of_response,
        bool(counts.get("response_negative")),
        bool(counts.get("contributor_missing")),
        bool(counts.get("holding_missing")),
    )


def _faults(layout: MicrodataLayout, counts: dict[str, int]) -> list[str]:
    faults = []

    def fault(kind: str, said: str) -> None:
        if number := counts.get(kind, 0):
            faults.append(f"{counted(number, 'record')} {said}")

    response = f"the response '{layout.response}'"
    if layout.missing_response == "refuse":
        fault("response_missing", f"without {response}")
    fault("response_infinite", f"in which {response} is not finite")
    if not layout.negative:
        fault(
            "response_negative",
            f"in which {response} is negative: values below zero need an attacker without a lower bound "
            '(lower = "none" in [attacker])',
        )
    weight = f"the weight '{layout.weight}'"
    fault("weight_missing", f"without {weight}")
    fault("weight_infinite", f"in which {weight} is not finite")
    fault("weight_zero", f"in which {weight} is zero")
    fault("weight_negative", f"in which {weight} is negative")
    frequency = f"the frequency '{layout.frequency}'"
    fault("frequency_missing", f"without {frequency}")
    fault("frequency_infinite", f"in which {frequency} is not finite")
    fault("frequency_negative", f"in which {frequency} is negative")
    fault("frequency_0", f"in which {frequency} is not a whole number")
    return faults


def _decimals(counts: dict[str, int], name: str) -> int | None:
    return next((places for places in DECIMALS if not counts[f"{name}_{places}"]), None)


def settled(sums: NDArray[np.float64], decimals: int | None) -> NDArray[np.float64]:
    """Return sums without what floating point added to them in the order of the day.

    Numbers with a few decimals have sums with as many. Sums of other numbers are cut to twelve digits of the largest.
    The same data then gives the same table in every run, however the engine shared out the work.

    >>> settled(np.array([0.1 + 0.2]), 1).tolist()
    [0.3]
    """
    if decimals is None:
        most = float(np.abs(sums).max(initial=0.0))
        decimals = 12 - int(np.ceil(np.log10(most))) if most > 0 else 0
    if decimals > 300:
        return sums
    return np.round(sums, decimals) + 0.0
