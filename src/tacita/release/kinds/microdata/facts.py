"""What the manifests of microdata state: for everybody, and for those who must prove the claim.

The public one helps to check that nothing was changed on the way. It names the measure and says how empty cells were
counted, and nothing that narrows a guess: no threshold, no k, no seed, no row, no exact number of changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tacita.cycle.outcome import Claim, Outcome
from tacita.model.microdata import Microdata
from tacita.release.manifest import versions
from tacita.release.records.data_file import reading, source_facts
from tacita.release.records.identifiers import identifiers_of
from tacita.release.records.tuples import Tuples
from tacita.risk.null_semantics import Nulls, Semantics
from tacita.views.json_values import plain
from tacita.views.outcome import claim_dict, state_dict

FEW = 10
"""Counts below it are not told: an exact small number is a fact about single records."""


def public_facts(outcome: Outcome, released: Microdata, data: str) -> dict[str, Any]:
    """Return what everybody may know."""
    changed = outcome.decisions.per_attribute()
    whole = {name for name, level in outcome.recoded.items() if level}
    return {
        "data": data,
        "versions": versions(),
        "measure": " and ".join(dict.fromkeys(Path(name).name for name, _ in outcome.claim.measures)),
        "empty_cells": null_semantics(outcome.claim),
        "changed_cells": {
            name: {
                "suppressed": rounded_count(changed.get(name, (0, 0))[0]),
                "coarsened": "all" if name in whole else rounded_count(changed.get(name, (0, 0))[1]),
            }
            for name in (column.name for column in released.columns)
            if name in changed or name in whole
        },
        "reading": reading(released),
    }


def internal_facts(
    outcome: Outcome, tuples: Tuples, seed: int, data: str, notes: Iterable[str], checked: Mapping[str, Any]
) -> dict[str, Any]:
    """Return everything."""
    return {
        "data": data,
        "versions": versions(),
        "source": source_facts(outcome.original),
        "claim": plain(claim_dict(outcome.claim)),
        "settings": plain(outcome.settings),
        "seed": seed,
        "records": outcome.records,
        "before": plain(state_dict(outcome.before)),
        "after": plain(state_dict(outcome.after)),
        "checked": plain(checked),
        "nulls": outcome.nulls,
        "changed_cells": {
            name: {"suppressed": suppressed, "coarsened": coarsened}
            for name, (suppressed, coarsened) in outcome.decisions.per_attribute().items()
        },
        "recoded": plain(outcome.recoded),
        "loss": plain(outcome.loss),
        "identifiers": list(identifiers_of(outcome.original, outcome.protected)),
        "dropped": list(tuples.dropped),
        "pseudonymised": list(tuples.pseudonymised),
        "renumbered": list(tuples.renumbered),
        "shuffled": tuples.order is not None,
        "weights": None
        if tuples.weights is None
        else {"attribute": tuples.weights.attribute, "largest_deviation": tuples.weights.largest_deviation},
        "derivable": [derivation.to_dict() for derivation in tuples.derivable],
        "notes": [*outcome.notes, *notes],
    }


def null_semantics(claim: Claim) -> str:
    """Return how empty cells count, in a word."""
    if claim.nulls.get("missing_as") == "category":
        return "category"
    nulls = Nulls.from_words(claim.nulls)
    return "strict" if nulls.semantics is Semantics.ALPHA and nulls.alpha == 0 else str(nulls.semantics)


def rounded_count(count: int) -> int | str:
    """Return a count that tells how much, and not how many.

    >>> rounded_count(0), rounded_count(3), rounded_count(14), rounded_count(12_345)
    (0, 'fewer than 10', 10, 12000)
    """
    if count == 0:
        return 0
    if count < FEW:
        return f"fewer than {FEW}"
    digits = max(len(str(count)) - 2, 1)
    return int(round(count, -digits))
