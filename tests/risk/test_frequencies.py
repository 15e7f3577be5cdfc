"""Frequencies under every meaning of a null: sdcMicro's figures, the paper's Figure 5, and a naive twin."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.risk.samples import ALL_NULLS, CATEGORY, EXPECTED, HALF, MARGINAL, MAYBE, STANDARD, column, microdata

import tacita as tc
from tacita.errors import UsageError
from tacita.risk import null_patterns
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.identity.reidentification import Reidentification
from tacita.risk.null_semantics import STRICT, Nulls, Semantics
from tacita.risk.sample import Sample

Row = tuple[Any, ...]


def frequencies(rows: list[Row], weights: list[float], nulls: Nulls) -> tuple[list[float], list[float]]:
    """Frequency and population as the package has them."""
    names = [f"q{i}" for i in range(len(rows[0]))]
    data = [dict(zip(names, row, strict=True)) | {"w": w} for row, w in zip(rows, weights, strict=True)]
    sample = Sample.of(microdata(data, quasi=names, weight="w").microdata, names, nulls)
    found = Reidentification().risks(sample)
    return column(found, "frequency"), column(found, "population")


# -- the naive twin: every pair of records ----------------------------------------------------------------------------


def naive(rows: list[Row], weights: list[float], nulls: Nulls) -> tuple[list[float], list[float]]:
    if nulls == EXPECTED:
        return at_least_strictly(rows, weights, naive_conditional(rows, weights))
    if nulls == MARGINAL:
        return at_least_strictly(rows, weights, counted(rows, weights, marginal_match(rows)))
    agree = {
        CATEGORY: lambda a, b: float(a == b),
        MAYBE: lambda a, b: float(compatible(a, b)),
        STANDARD: lambda a, b: float((a == b and None not in a) or all(x is None for x in a)),
        HALF: lambda a, b: alpha_match(a, b, 0.5),
        STRICT: lambda a, b: alpha_match(a, b, 0.0),
    }[nulls]
    return counted(rows, weights, agree)


def at_least_strictly(
    rows: list[Row], weights: list[float], expected: tuple[list[float], list[float]]
) -> tuple[list[float], list[float]]:
    certain = counted(rows, weights, lambda a, b: alpha_match(a, b, 0.0))
    pairs = zip(zip(*certain, strict=True), zip(*expected, strict=True), strict=True)
    taken = [sure if sure[0] > likely[0] + 1e-9 else likely for sure, likely in pairs]
    return [f for f, _ in taken], [p for _, p in taken]


def counted(rows: list[Row], weights: list[float], agree: Any) -> tuple[list[float], list[float]]:
    frequency, population = [], []
    for i, mine in enumerate(rows):
        met = [1.0 if i == j else agree(mine, other) for j, other in enumerate(rows)]
        frequency.append(sum(met))
        population.append(sum(m * w for m, w in zip(met, weights, strict=True)))
    return frequency, population


def compatible(a: Row, b: Row) -> bool:
    return all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))


def alpha_match(mine: Row, other: Row, alpha: float) -> float:
    if not compatible(mine, other):
        return 0.0
    if mine == other or all(x is None for x in mine) or (None in mine and None not in other):
        return 1.0
    return alpha


def marginal_match(rows: list[Row]) -> Any:
    shares = []
    for place in range(len(rows[0])):
        counts = Counter(row[place] for row in rows if row[place] is not None)
        shares.append({value: n / counts.total() for value, n in counts.items()})

    def match(a: Row, b: Row) -> float:
        product = 1.0
        for x, y, share in zip(a, b, shares, strict=True):
            if x is None and y is None:
                product *= sum(s * s for s in share.values())
            elif x is None or y is None:
                product *= share[y if x is None else x]
            else:
                product *= x == y
        return product

    return match


def naive_conditional(rows: list[Row], weights: list[float]) -> tuple[list[float], list[float]]:
    complete = Counter(row for row in rows if None not in row)

    def fall(row: Row) -> dict[Row, float]:
        cells = {cell: n for cell, n in complete.items() if compatible(row, cell)}
        total = sum(cells.values())
        return {cell: n / total for cell, n in cells.items()}

    falls = [fall(row) for row in rows]
    frequency, population = [], []
    for i, mine in enumerate(falls):
        met = [
            1.0 if i == j else sum(p * other.get(cell, 0.0) for cell, p in mine.items())
            for j, other in enumerate(falls)
        ]
        frequency.append(sum(met))
        population.append(sum(m * w for m, w in zip(met, weights, strict=True)))
    return frequency, population


RECORDS = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.tuples(*[st.sampled_from([None, "a", "b", "c"]) for _ in range(width)]), min_size=1, max_size=12
    )
)


@pytest.mark.slow
@pytest.mark.parametrize("nulls", [*ALL_NULLS, STRICT], ids=str)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(RECORDS, st.sampled_from([0, 3, 1000]))
def test_kernel_and_naive_twin_agree(nulls: Nulls, rows: list[Row], dear: int) -> None:
    """Whether patterns of nulls are counted in tables, or records are compared one by one, or both."""
    weights = [1.0 + i % 5 for i in range(len(rows))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(null_patterns, "_DEAR", dear)
        frequency, population = frequencies(rows, weights, nulls)
    expected_frequency, expected_population = naive(rows, weights, nulls)
    assert frequency == pytest.approx(expected_frequency, rel=1e-9)
    assert population == pytest.approx(expected_population, rel=1e-9)


def test_many_attributes_with_large_domains_are_numbered_without_overflow() -> None:
    """The product of the domains is far beyond 64 bits: 40 attributes of 200 values."""
    rows = [tuple(None if i == 7 and j == 3 else (i * 7 + j) % 200 for j in range(40)) for i in range(200)]
    rows += [rows[5], rows[7]]
    frequency, _ = frequencies(rows, [1.0] * len(rows), MAYBE)
    assert frequency[5] == frequency[200] == 2
    assert frequency[7] == frequency[201] == 2
    assert frequency[9] == 1


# -- printed figures --------------------------------------------------------------------------------------------------


def test_figure_5_of_the_paper() -> None:
    """One labelled null and one roll-up: (1,2,2,2,2,1,1) becomes (5,3,3,3,3,2,2)."""
    data = tc.sample("figure-5")
    known = list(data.dictionary.quasi_identifiers)
    before = KAnonymity(2).risks(Sample.of(data.microdata, known))
    assert column(before, "frequency") == [1, 2, 2, 2, 2, 1, 1]
    rows = [dict(row) for batch in data.batches() for row in batch.to_pylist()]
    rows[0]["Sector"] = None
    for row in rows:
        row["Area"] = {"Milano": "North", "Torino": "North"}.get(row["Area"], row["Area"])
    after = KAnonymity(2).risks(Sample.of(microdata(rows, quasi=known).microdata, known, MAYBE))
    assert column(after, "frequency") == [5, 3, 3, 3, 3, 2, 2]


KEYS = ["Key1", "Key2", "Key3", "Key4"]


def francdat(shared: Path, holes: list[tuple[int, str]]) -> tc.Dataset:
    """sdcMicro's francdat with some cells emptied; rows from 1."""
    rows = [
        dict(row) for batch in tc.read(shared / "data/sdcmicro/francdat.csv").batches() for row in batch.to_pylist()
    ]
    for row, name in holes:
        rows[row - 1][name] = None
    return microdata(rows, quasi=KEYS, weight="w")


def reference(shared: Path, name: str) -> list[dict[str, str]]:
    with (shared / "sdcmicro" / name).open() as file:
        return list(csv.DictReader(file))


HOLES = [(3, "Key3"), (4, "Key1"), (4, "Key2"), (5, "Key4"), (6, "Key1")]


@pytest.mark.parametrize("alpha", [1, 0.5, 0.1, 0])
def test_alpha_is_sdcmicros(shared: Path, alpha: float) -> None:
    nulls = Nulls(semantics=Semantics.ALPHA, alpha=alpha)
    found = Reidentification().risks(Sample.of(francdat(shared, HOLES).microdata, KEYS, nulls))
    rows = reference(shared, "freqcalc_francdat_na_alpha.csv")
    assert column(found, "frequency") == pytest.approx([float(row[f"fk_a{alpha:g}"]) for row in rows], rel=1e-9)
    assert column(found, "population") == pytest.approx([float(row[f"Fk_a{alpha:g}"]) for row in rows], rel=1e-9)


@pytest.mark.parametrize("alpha", [1, 0.5, 0])
def test_a_record_that_is_all_null(shared: Path, alpha: float) -> None:
    """It meets everybody, and everybody meets it, as uncertainly as any other incomplete record.

    sdcMicro agrees with a single key, and for incomplete records with several; complete ones do not meet it there. Ours
    are higher by alpha then, and by alpha times its weight.
    """
    nulls = Nulls(semantics=Semantics.ALPHA, alpha=alpha)
    holes = [*HOLES, *((8, key) for key in KEYS)]
    found = Reidentification().risks(Sample.of(francdat(shared, holes).microdata, KEYS, nulls))
    rows = reference(shared, "freqcalc_francdat_allna_row.csv")
    theirs = [float(row[f"fk_a{alpha:g}"]) for row in rows]
    weights = [float(row[f"Fk_a{alpha:g}"]) for row in rows]
    own = float(rows[7]["w"])
    forgotten = [all(row[key] for key in KEYS) for row in rows]
    assert [i + 1 for i, complete in enumerate(forgotten) if complete] == [1, 2, 7]
    assert column(found, "frequency") == pytest.approx(
        [f + alpha * complete for f, complete in zip(theirs, forgotten, strict=True)]
    )
    assert column(found, "population") == pytest.approx(
        [f + alpha * own * complete for f, complete in zip(weights, forgotten, strict=True)]
    )
    single = Reidentification().risks(Sample.of(francdat(shared, [(2, "Key1")]).microdata, ["Key1"], nulls))
    rows = reference(shared, "freqcalc_francdat_onekey_na.csv")
    assert column(single, "frequency") == pytest.approx([float(row[f"fk_a{alpha:g}"]) for row in rows])


@pytest.mark.parametrize("alpha", [1, 0.5, 0])
def test_alpha_on_4580_records(shared: Path, alpha: float) -> None:
    known = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    rows = [dict(row) for b in tc.read(shared / "data/sdcmicro/testdata.csv").batches() for row in b.to_pylist()]
    for step, name in ((10, "water"), (7, "roof"), (33, "relat")):
        for row in rows[step - 1 :: step]:
            row[name] = None
    data = microdata(rows, quasi=known, weight="sampling_weight")
    nulls = Nulls(semantics=Semantics.ALPHA, alpha=alpha)
    found = Reidentification().risks(Sample.of(data.microdata, known, nulls))
    rows_ = reference(shared, "freqcalc_testdata_na_kv7.csv")
    assert column(found, "frequency") == pytest.approx([float(row[f"fk_a{alpha:g}"]) for row in rows_], rel=1e-9)


# -- what must hold ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(RECORDS, st.randoms(use_true_random=False))
def test_adding_a_record_never_raises_a_k_anonymity_risk(rows: list[Row], random: Any) -> None:
    added = tuple(random.choice([None, *"abcd"]) for _ in rows[0])
    for nulls in (CATEGORY, MAYBE, STANDARD):
        names = [f"q{i}" for i in range(len(rows[0]))]
        few, more = (
            KAnonymity(2).risks(
                Sample.of(
                    microdata([dict(zip(names, r, strict=True)) for r in part], quasi=names).microdata, names, nulls
                )
            )
            for part in (rows, [*rows, added])
        )
        assert all(b <= a for a, b in zip(column(few, "risk"), column(more, "risk"), strict=False))


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(RECORDS)
def test_coarsening_never_raises_a_risk(rows: list[Row]) -> None:
    """Two values become one."""
    names = [f"q{i}" for i in range(len(rows[0]))]
    coarse = [tuple("b" if value == "c" else value for value in row) for row in rows]
    for nulls in (CATEGORY, MAYBE):
        for wanted in (KAnonymity(3), Reidentification()):
            fine, coarser = (
                wanted.risks(
                    Sample.of(
                        microdata(
                            [dict(zip(names, r, strict=True)) | {"w": 1.0 + i % 3} for i, r in enumerate(part)],
                            quasi=names,
                            weight="w",
                        ).microdata,
                        names,
                        nulls,
                    )
                )
                for part in (rows, coarse)
            )
            pairs = zip(column(fine, "risk"), column(coarser, "risk"), strict=True)
            assert all(after <= before + 1e-12 for before, after in pairs)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(RECORDS)
def test_an_intruder_who_knows_less_never_finds_more(rows: list[Row]) -> None:
    """Dropping an attribute is the coarsest recoding."""
    names = [f"q{i}" for i in range(len(rows[0]))]
    data = microdata([dict(zip(names, row, strict=True)) for row in rows], quasi=names)
    for nulls in (CATEGORY, MAYBE):
        all_ = KAnonymity(3).risks(Sample.of(data.microdata, names, nulls))
        fewer = KAnonymity(3).risks(Sample.of(data.microdata, names[:1], nulls))
        assert all(b <= a for a, b in zip(column(all_, "risk"), column(fewer, "risk"), strict=True))


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(RECORDS)
def test_hiding_a_value_cannot_make_the_expected_frequency_of_others_jump(rows: list[Row]) -> None:
    """By maybe-match a record that is all null raises each frequency by 1; expected, all of them together by 1."""
    names = [f"q{i}" for i in range(len(rows[0]))]

    def f(part: list[Row], nulls: Nulls) -> list[float]:
        data = microdata([dict(zip(names, row, strict=True)) for row in part], quasi=names)
        return column(KAnonymity(2).risks(Sample.of(data.microdata, names, nulls)), "frequency")

    whole = [tuple(value or "a" for value in row) for row in rows]
    hidden = [*whole, tuple(None for _ in names)]
    before, after = f(whole, EXPECTED), f(hidden, EXPECTED)
    cells = {row: (b, a) for row, b, a in zip(whole, before, after, strict=False)}
    assert sum(a - b for b, a in cells.values()) == pytest.approx(1)
    assert [a - b for b, a in zip(f(whole, MAYBE), f(hidden, MAYBE), strict=False)] == [1] * len(whole)


def test_alpha_is_checked() -> None:
    with pytest.raises(UsageError, match="alpha is 2"):
        Nulls(semantics=Semantics.ALPHA, alpha=2)
