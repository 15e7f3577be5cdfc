"""The same records have the same noise, in every table and in every order, and the noise is that of the design."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.tables.grids import crossed

from tacita.errors import InputError, TacitaError, UsageError
from tacita.model.table import Dimension, Equations, Table
from tacita.tables.cell_key.cell_keys import cell_keys, record_codes
from tacita.tables.cell_key.perturbation_table import design, perturb
from tacita.tables.cell_key.record_keys import given_keys, record_keys

REGION = Dimension.tree("region", {"Total": {"north": ["n1", "n2"], "south": ["s1"]}})
SEX = Dimension.flat("sex", ["f", "m"])
AGE = Dimension.flat("age", ["young", "old"])
SECRET = b"a secret of some length"


def counted(dimensions: tuple[Dimension, ...], records: dict[str, list[str]], name: str = "people") -> Table:
    """A table of counts over all combinations of codes."""
    return crossed(dimensions, Counter(zip(*(records[each.name] for each in dimensions), strict=True)), name=name)


def people(count: int, seed: int) -> tuple[dict[str, list[str]], list[str]]:
    random = np.random.default_rng(seed)
    return {
        "region": random.choice(["n1", "n2", "s1"], count, p=[0.5, 0.4, 0.1]).tolist(),
        "sex": random.choice(["f", "m"], count).tolist(),
        "age": random.choice(["young", "old"], count).tolist(),
    }, [f"person {each}" for each in range(count)]


def by_name(table: Table, values: NDArray[np.float64]) -> dict[frozenset[str], float]:
    return {
        frozenset(
            f"{each.name}={code}"
            for each, code in zip(table.dimensions, table.cell_codes(cell), strict=True)
            if code != each.total
        ): float(values[cell])
        for cell in range(len(table))
    }


@pytest.mark.slow
def test_the_same_records_have_the_same_noise_in_linked_tables_and_in_any_order() -> None:
    records, names = people(200, 1)
    noise = design(5, 2.0, smallest=1)
    first = counted((REGION, SEX), records)
    keys = cell_keys(first, record_codes(first, records), record_keys(names, SECRET))
    here = by_name(first, perturb(first, keys, noise).values)
    order = np.random.default_rng(2).permutation(200)
    mixed = {name: [column[at] for at in order] for name, column in records.items()}
    second = counted((AGE, REGION), mixed)
    other = cell_keys(second, record_codes(second, mixed), record_keys([names[at] for at in order], SECRET))
    there = by_name(second, perturb(second, other, noise).values)
    shared = here.keys() & there.keys()
    assert len(shared) == len(REGION.codes)
    assert all(here[each] == there[each] for each in shared)
    assert any(here[each] != value for each, value in by_name(first, first.values).items())


def test_cells_at_a_middle_level_of_a_less_deep_linked_table_have_their_records() -> None:
    records, names = people(60, 3)
    table = counted((REGION, SEX), records)
    kept = np.flatnonzero((table.codes[:, 0] == REGION.position("north")) & (table.codes[:, 1] > 0))
    alone = Table("north", table.dimensions, table.codes[kept], table.values[kept], Equations.of([]), is_count=True)
    keys = record_keys(names, SECRET)
    whole = cell_keys(table, record_codes(table, records), keys)
    assert (cell_keys(alone, record_codes(alone, records), keys) == whole[kept]).all()


def test_the_noise_has_the_distribution_of_the_design() -> None:
    noise = design(3, 1.0)
    keys = record_keys([str(each) for each in range(40000)], SECRET)
    shares = (keys >> np.uint64(11)).astype(float) * 2.0**-53
    changes = noise.changes(np.full(40000, 2), shares)
    seen = np.bincount(changes + 3, minlength=7) / 40000
    assert np.abs(seen - noise.probabilities[2]).max() < 0.012
    assert abs(changes.mean()) < 0.02


@pytest.mark.slow
def test_zeros_stay_and_small_counts_are_never_published() -> None:
    records, names = people(40, 5)
    table = counted((REGION, SEX, AGE), records)
    noise = design(8, 3.0, smallest=2)
    keys = cell_keys(table, record_codes(table, records), record_keys(names, SECRET))
    values = perturb(table, keys, noise).values
    assert (values[table.values == 0] == 0).all()
    assert not np.isin(values, (1, 2)).any()
    assert (values >= 0).all()


def test_keys_given_in_a_column_sum_exactly_whatever_the_order() -> None:
    shares = np.random.default_rng(7).random(1000)
    keys = given_keys(shares)
    assert keys.sum() == keys[::-1].sum()
    assert abs(float(keys.sum()) / 2.0**64 - shares.sum() % 1) < 1e-9


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: record_keys(["a", "a"], SECRET),
        lambda: record_keys(["a", None], SECRET),
        lambda: record_keys(["a"], b"short"),
        lambda: given_keys(np.array([0.5, 1.0])),
        lambda: given_keys(np.array([0.5, np.nan])),
        lambda: given_keys(np.repeat([0.25, 0.75], 50)),
    ],
)
def test_keys_that_would_not_protect_are_refused(wrong: object) -> None:
    with pytest.raises(TacitaError):
        wrong()  # type: ignore[operator]


def test_other_records_than_those_of_the_table_are_refused() -> None:
    records, names = people(50, 9)
    table = counted((REGION, SEX), records)
    codes, keys = record_codes(table, records), record_keys(names, SECRET)
    with pytest.raises(InputError, match="other records"):
        cell_keys(table, codes[1:], keys[1:])
    with pytest.raises(InputError, match="no leaf"):
        cell_keys(table, np.where(codes == REGION.position("n1"), 0, codes).astype(np.int32), keys)


@pytest.mark.slow
def test_magnitudes_have_no_cell_key() -> None:
    records, _ = people(20, 9)
    table = counted((SEX,), records)
    money = Table("money", table.dimensions, table.codes, table.values, table.equations, is_count=False)
    with pytest.raises(UsageError, match="counts"):
        perturb(money, np.zeros(3, np.uint64), design(3, 1.0))
