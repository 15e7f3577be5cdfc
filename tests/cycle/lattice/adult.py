"""Adult with its nine hierarchies, and what ARX 3.9.2 answers on it."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import tacita as tc
from tacita.cycle.lattice.models import (
    BetaLike,
    Close,
    DistinctDiverse,
    EntropyDiverse,
    KAnonymous,
    PrivacyModel,
    RecursiveDiverse,
)
from tacita.cycle.lattice.problem import LatticeTerms, Problem
from tacita.model.hierarchy import read_csv
from tacita.model.microdata import Microdata
from tacita.risk.combinations import codes
from tacita.risk.sample import Sample


@functools.cache
def microdata(shared: Path) -> Microdata:
    """Return the records with their hierarchies."""
    folder = shared / "data" / "adult"
    data = tc.read(folder / "adult.csv").microdata
    names = [column.name for column in data.columns]
    return replace(data, hierarchies={name: read_csv(folder / f"adult_hierarchy_{name}.csv", name) for name in names})


@functools.cache
def results(shared: Path) -> Mapping[str, Any]:
    """Return ARX's results by name."""
    found: Mapping[str, Any] = json.loads((shared / "arx" / "adult.json").read_text())["results"]
    return found


def models(text: str) -> list[PrivacyModel]:
    """Return the models that ARX was asked for: k5+rl4:3."""
    found: list[PrivacyModel] = []
    for part in text.split("+"):
        kind, number = (part[0], part[1:]) if part[0] == "k" else (part[:2], part[2:])
        match kind:
            case "k":
                found.append(KAnonymous(int(number)))
            case "dl":
                found.append(DistinctDiverse(int(number)))
            case "el":
                found.append(EntropyDiverse(float(number)))
            case "rl":
                c, diversity = number.split(":")
                found.append(RecursiveDiverse(float(c), int(diversity)))
            case "et":
                found.append(Close(float(number)))
            case "ht":
                found.append(Close(float(number), "hierarchical"))
            case "eb":
                found.append(BetaLike(float(number)))
    return found


@functools.cache
def sample(shared: Path, known: tuple[str, ...]) -> Sample:
    """Return the records as met by an intruder; the combinations are counted once."""
    return Sample.of(microdata(shared), known=known)


def problem(shared: Path, name: str) -> Problem:
    """Return what ARX solved under a name."""
    told = results(shared)[name]
    settings = told["settings"]
    sensitive = settings.get("sensitive")
    wider = sample(shared, (*told["qis"], *([sensitive] if sensitive else [])))
    return Problem.of(
        wider.known,
        codes(wider),
        wider.microdata.hierarchies,
        models(settings["models"]),
        LatticeTerms(float(settings["supp"]), "arithmetic" if settings.get("agg") == "mean" else "geometric"),
        sensitive=sensitive,
        sample=wider,
    )
