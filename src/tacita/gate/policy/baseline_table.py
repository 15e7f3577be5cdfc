"""The values of a dependency in a policy file: bins, labels, and the baseline as a list, a table or a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from tacita.errors import TacitaError, listed
from tacita.gate.policy.baseline import BaselineOptions, Codes, value_scheme
from tacita.gate.policy.cells import MISSING, finite_number, folded
from tacita.gate.policy.columns import Columns
from tacita.gate.policy.values import Bins, CellReader, ListedValues, ValueScheme
from tacita.toml.checked import Checked

POPULATION = "population"
_ADVICE = 'a list of numbers, a table of categories, a file, or "population"'
Counted = tuple[tuple[CellReader, ...], dict[Codes, float]]
"""How cells become codes, and how many records each combination of codes has."""


def values_of(table: Checked, x: tuple[str, ...], columns: Columns) -> ValueScheme | None:
    """Return the values with their baseline."""
    has_missing = table.text("missing", "refuse", among=("refuse", "value")) == "value"
    bins = _bins(table, x, has_missing=has_missing)
    options = BaselineOptions(
        table.number("merge_below", None, least=0, above=True),
        table.number("merge_records", None, least=1),
        table.text("zeros", "", among=("merge",)) == "merge",
        table.number("pseudo_count", None, least=0, above=True),
        table.text("unlisted", "refuse", among=("refuse", "merge")) == "merge",
    )
    if (options.merge_below is None) != (options.merge_records is None):
        table.fault("merge_below", "merge_below and merge_records belong together: rare among how many records?")
    show = table.text("show", None, among=("bins", "values"))
    is_coarse = bool(bins) or options.merge_below is not None or options.merge_zeros
    if is_coarse and "show" not in table.table:
        table.fault("show", "do released records show the 'bins' that are controlled, or the finer 'values' as well?")
    if not is_coarse and show == "bins":
        table.fault("show", "there are no bins to show: give 'bins' or 'merge_below', or leave 'show' out")
    counted_values = _counted(table, x, bins, columns, has_missing=has_missing)
    if counted_values is None:
        return None
    readers, counts = counted_values
    return value_scheme(x, readers, counts, options, table.fault, shows_values=show != "bins")


def _bins(table: Checked, x: tuple[str, ...], *, has_missing: bool) -> dict[str, Bins]:
    given = table.table.get("bins", {})
    single = isinstance(given, list)
    edges_of = {x[0]: given} if single and len(x) == 1 else given
    if not isinstance(edges_of, dict):
        table.fault("bins", "'bins' must be a list of edges, or with several attributes a table of lists")
        return {}
    labels = table.texts("labels")
    if labels and not single:
        table.fault("labels", "'labels' name the bins of one attribute: give 'bins' as a list")
    bins = {}
    for name, edges in edges_of.items():
        is_numbers = isinstance(edges, list) and all(type(edge) in (int, float) for edge in edges)
        if name not in x:
            table.fault("bins", f"'{name}' is not in 'x'")
        elif not is_numbers or not edges or sorted(set(edges)) != edges or not np.isfinite(edges).all():
            table.fault("bins", f"the bins of '{name}' must be numbers that ascend")
        elif labels and single and len(labels) != len(edges) + 1:
            table.fault("labels", f"{len(labels)} labels for {len(edges) + 1} bins")
        else:
            bins[name] = Bins(tuple(map(float, edges)), labels if single else (), has_missing)
    return bins


def _counted(
    table: Checked, x: tuple[str, ...], bins: Mapping[str, Bins], columns: Columns, *, has_missing: bool
) -> Counted | None:
    given = table.table.get("baseline")
    if isinstance(given, list):
        return _of_list(table, x, bins, given)
    if isinstance(given, dict):
        return _of_table(table, x, bins, has_missing=has_missing)
    if isinstance(given, str):
        return _of_file(table, x, bins, columns, has_missing=has_missing)
    table.fault("baseline", f"a dependency needs a 'baseline', what everybody expects of 'x': {_ADVICE}")
    return None


def _of_list(table: Checked, x: tuple[str, ...], bins: Mapping[str, Bins], given: list[Any]) -> Counted | None:
    reader = bins.get(x[0])
    if reader is None or len(x) > 1:
        table.fault("baseline", "a list has a number for each bin: give 'bins', or a table of categories")
        return None
    if not all(type(count) in (int, float) and 0 <= count < np.inf for count in given):
        table.fault("baseline", "the baseline must be numbers from 0 on")
        return None
    if len(given) != len(reader.labels):
        table.fault("baseline", f"{len(given)} numbers for {len(reader.labels)} values: {listed(reader.labels, 20)}")
        return None
    return (reader,), {(place,): float(count) for place, count in enumerate(given)}


def _of_table(table: Checked, x: tuple[str, ...], bins: Mapping[str, Bins], *, has_missing: bool) -> Counted | None:
    below = table.open("baseline")
    counts = {name: below.number(name, None, least=0) for name in below.table}
    if len(x) > 1:
        table.fault("baseline", 'the baseline of several attributes comes from a file: name it, or say "population"')
        return None
    reader: CellReader
    if bins:
        reader = bins[x[0]]
        if unknown := [name for name in counts if name not in reader.labels]:
            table.fault("baseline", f"no bin is called {listed(unknown)}; they are {listed(reader.labels, 20)}")
        if absent := [label for label in reader.labels if label not in counts]:
            table.fault("baseline", f"the baseline does not say how many are {listed(absent)}")
    else:
        spellings = Counter(map(folded, counts))
        if double := [name for name in counts if spellings[folded(name)] > 1]:
            table.fault("baseline", f"{listed(double)} are spellings of one value")
        if has_missing and MISSING not in counts:
            table.fault("baseline", f'missing = "value" needs an entry "{MISSING}"')
        reader = ListedValues(tuple(counts))
    places = {label: place for place, label in enumerate(reader.labels)}
    if any(count is None for count in counts.values()) or set(counts) != set(places):
        return None
    return (reader,), {(places[name],): count for name, count in counts.items() if count is not None}


def _of_file(
    table: Checked, x: tuple[str, ...], bins: Mapping[str, Bins], columns: Columns, *, has_missing: bool
) -> Counted | None:
    key = POPULATION if table.table["baseline"] == POPULATION else "baseline"
    path = table.file(key)
    if path is None or not path.is_file():
        if path is None and key == POPULATION:
            table.fault("baseline", "baseline = \"population\" needs 'population', a file of all records")
        return None
    count = table.text("count", None)
    try:
        cells = columns(path, [*x, *((count,) if count else ())])
    except TacitaError as error:
        table.faults.add_error((*table.keys, key), error)
        return None
    weights: list[float] = [1.0] * len(cells[0])
    if count:
        numbers = [finite_number(cell) for cell in cells.pop()]
        if any(number is None or number < 0 for number in numbers):
            table.fault("count", f"'{count}' of the file has cells that are not numbers from 0 on")
            return None
        weights = [number or 0.0 for number in numbers]
    readers: list[CellReader] = []
    for name, column in zip(x, cells, strict=True):
        labels = {folded(cell): cell for cell in reversed(column) if cell}
        listed_labels = tuple(labels[key] for key in sorted(labels)) + ((MISSING,) if has_missing else ())
        readers.append(bins[name] if name in bins else ListedValues(listed_labels))
    counts: Counter[Codes] = Counter()
    for row, weight in zip(zip(*cells, strict=True), weights, strict=True):
        codes = tuple(reader.code(cell) for reader, cell in zip(readers, row, strict=True))
        if min(codes) >= 0:
            counts[codes] += weight  # type: ignore[assignment]
    if len(x) == 1:
        for place in range(len(readers[0].labels)):
            counts.setdefault((place,), 0)
    return tuple(readers), dict(sorted(counts.items()))
