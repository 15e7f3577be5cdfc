"""Names that a package allows: a column whose name it refuses gets the nearest one that it takes, and says so."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

from tacita.files.statistical import limits
from tacita.files.statistical.limits import Limits
from tacita.files.statistical.outgoing import Losses
from tacita.files.statistical.packages import Package, kind_of
from tacita.model.microdata import Microdata

_LONGEST = {Package.STATA: 32, Package.SPSS: 64, Package.SAS: 32}


def fitting(microdata: Microdata, ending: str) -> tuple[Microdata, tuple[str, ...]]:
    """Return the microdata as a file of that ending can name it, and what had to be renamed, in words."""
    losses = Losses(kind_of(ending).package)
    return with_fitting_names(microdata, losses.package, losses), losses.sentences()


def with_fitting_names(microdata: Microdata, package: Package, losses: Losses) -> Microdata:
    """Return the microdata under names that the package allows; a name that had to go becomes the column's label."""
    rules = {Package.STATA: limits.STATA, Package.SPSS: limits.SPSS, Package.SAS: limits.SAS_8}[package]
    new = fitting_names(microdata.dictionary.names, rules, _LONGEST[package])
    changed = {name for name, fitting in new.items() if name != fitting}
    if not changed:
        return microdata
    for name in sorted(changed):
        losses.note(
            "{package} does not allow some names, which are written otherwise: {columns}", f"{name} is {new[name]}"
        )
    dictionary = microdata.dictionary
    renamed = replace(
        dictionary,
        attributes=tuple(
            a.with_(name=new[a.name], description=a.description or (a.name if a.name in changed else ""))
            for a in dictionary
        ),
        scenarios={scenario: tuple(new[n] for n in names) for scenario, names in dictionary.scenarios.items()},
    )
    relation = microdata.relation
    columns = [replace(column, name=new[column.name]) for column in relation.columns]
    return replace(microdata, relation=relation.renamed(columns), dictionary=renamed)


def fitting_names(names: tuple[str, ...], rules: Limits, longest: int) -> dict[str, str]:
    """Return for each name itself, or the nearest one that the rules allow and that no other column has.

    >>> fitting_names(("Residential Rev.", "2nd", "Area", "area"), limits.SPSS, 64)
    {'Residential Rev.': 'Residential_Rev', '2nd': 'v2nd', 'Area': 'Area', 'area': 'area_2'}
    """
    # A name that fits keeps its place, whatever the others turn into.
    taken: set[str] = set()
    result = {}
    for name in names:
        if limits.allowed(name, rules) and _key(name, rules) not in taken:
            result[name] = name
            taken.add(_key(name, rules))
    for name in names:
        if name not in result:
            result[name] = _nearest(name, rules, longest, taken)
            taken.add(_key(result[name], rules))
    return {name: result[name] for name in names}


def _key(name: str, rules: Limits) -> str:
    return name.casefold() if rules.ignores_case else name


def _nearest(name: str, rules: Limits, longest: int, taken: set[str]) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    base = re.sub(r"[^A-Za-z0-9_]+", "_", plain).strip("_") or "v"
    base = base if base[0].isalpha() else f"v{base}"
    number, candidate = 1, base[:longest]
    while _key(candidate, rules) in taken or not limits.allowed(candidate, rules):
        number += 1
        ending = f"_{number}"
        candidate = base[: longest - len(ending)] + ending
    return candidate
