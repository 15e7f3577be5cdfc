"""Targeted record swapping: counts per area stay, households stay together, those at risk move first."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.masking.noise.samples import mixed

from tacita.errors import InputError, UsageError
from tacita.masking.contract import breaches
from tacita.masking.swapping.record_swapping import RecordSwapping
from tacita.model.records import Categories, Numbers, Records


def census(households: int, seed: int, areas: int = 4) -> Records:
    """Two regions of some areas, households of one to four, jobs of which one is rare."""
    draw = np.random.default_rng(seed)
    size = draw.integers(1, 5, households)
    home = np.repeat(np.arange(households), size)
    area = np.repeat(draw.integers(0, 2 * areas, households), size)
    return Records(
        {
            "home": Numbers.of(home, is_whole=True),
            "region": Categories.of([f"r{a // areas}" for a in area]),
            "area": Categories.of([f"r{a // areas}-{a % areas}" for a in area]),
            "place": Numbers.of(area * 10.0),
            "job": Categories.of(draw.choice(["a", "b", "c", "rare"], len(home), p=[0.4, 0.4, 0.195, 0.005]).tolist()),
            "sex": Categories.of(draw.choice(["f", "m"], len(home)).tolist()),
        }
    )


AREAS = ("region", "area")


def counts(records: Records, *names: str) -> Counter[tuple[int, ...]]:
    return Counter(zip(*(records.categories(name).codes.tolist() for name in names), strict=True))


def moved(before: Records, after: Records) -> np.ndarray:
    return before.categories("area").codes != after.categories("area").codes


def test_contract() -> None:
    method = RecordSwapping(AREAS, quasi_identifiers=("job", "school"), similar=(("school",), ()), share=0.3)
    assert breaches(method, mixed()) == []


@settings(max_examples=40, deadline=None)
@given(
    households=st.integers(2, 60),
    seed=st.integers(0, 1000),
    share=st.floats(0, 1),
    k=st.integers(1, 6),
    similar=st.sampled_from([(), (("sex",),), (("sex", "job"), ("sex",))]),
)
def test_what_is_kept(households: int, seed: int, share: float, k: int, similar: tuple[tuple[str, ...], ...]) -> None:
    records = census(households, seed)
    method = RecordSwapping(
        AREAS, ("job", "sex"), household="home", similar=similar, k=k, share=share, carried=("place",)
    )
    found = method.treated(records, np.random.default_rng(seed)).records
    assert counts(found, "area") == counts(records, "area")
    assert counts(found, "region", "area", "place").keys() <= counts(records, "region", "area", "place").keys()
    sizes = np.bincount(records.numbers("home").values.astype(int))[records.numbers("home").values.astype(int)]
    sized = [each.with_columns({"size": Numbers.of(sizes, is_whole=True)}) for each in (records, found)]
    assert counts(sized[0], "area", "size") == counts(sized[1], "area", "size")
    if similar:
        assert counts(found, "area", "sex") == counts(records, "area", "sex")
    # Every household has one area, and moved as a whole or not at all.
    assert len(counts(found, "home", "area", "place")) == households
    assert len(set(zip(records.numbers("home").values, moved(records, found), strict=True))) == households


def test_those_at_risk_move_first_and_to_the_right_level() -> None:
    records = census(3000, 1)
    found = RecordSwapping(AREAS, ("job",), household="home", k=5, share=0).treated(records, np.random.default_rng(2))
    cells = counts(records, "area", "job")
    rows = list(zip(records.categories("area").codes.tolist(), records.categories("job").codes.tolist(), strict=True))
    rare = np.array([cells[row] < 5 for row in rows])
    assert 0 < rare.sum() < 0.05 * len(rare)
    assert moved(records, found.records)[rare].all()
    assert found.figures["households at risk that stayed"] == 0
    # None is rare in its region, so nobody left it.
    assert min(counts(records, "region", "job").values()) >= 5
    assert np.array_equal(records.categories("region").codes, found.records.categories("region").codes)
    # What is rare in its region does leave it.
    strict = RecordSwapping(AREAS, ("job",), household="home", k=30, share=0).treated(records, np.random.default_rng(2))
    wide = counts(records, "region", "job")
    pairs = list(
        zip(records.categories("region").codes.tolist(), records.categories("job").codes.tolist(), strict=True)
    )
    rare = np.array([wide[pair] < 30 for pair in pairs])
    assert rare.any()
    assert np.all((records.categories("region").codes != strict.records.categories("region").codes)[rare])


def test_the_share_is_reached_and_favours_the_rare() -> None:
    records = census(4000, 3)
    found = RecordSwapping(AREAS, ("job",), household="home", k=1, share=0.2).treated(records, np.random.default_rng(2))
    assert 0.2 <= found.figures["share of households swapped"] < 0.2 + 2 / 4000
    away = moved(records, found.records)
    job = records.categories("job")
    assert away[job.codes == job.values.index("rare")].mean() > 2 * away[job.codes == job.values.index("a")].mean()
    plain = RecordSwapping(AREAS, household="home", share=0.2).treated(records, np.random.default_rng(2))
    assert abs(moved(records, plain.records).mean() - 0.2) < 0.03


def test_profiles_are_tried_in_turn() -> None:
    records = Records(
        {
            "area": Categories.of(["n", "s", "n", "s"]),
            "job": Categories.of(["miner", "cook", "cook", "cook"]),
            "sex": Categories.of(["m", "f", "f", "f"]),
        }
    )
    strict = RecordSwapping(("area",), ("job",), similar=(("sex",),), k=2, share=0)
    found = strict.treated(records, np.random.default_rng(1))
    assert "households at risk" in found.figures and found.figures["households at risk that stayed"] >= 1
    assert any("at risk found no similar one" in note for note in found.notes)
    loose = RecordSwapping(("area",), ("job",), similar=(("sex",), ()), k=2, share=0)
    after = loose.treated(records, np.random.default_rng(1)).records.categories("area")
    assert after.values[after.codes[0]] == "s"


def test_records_without_area_stay() -> None:
    records = census(200, 5)
    codes = records.categories("area").codes.copy()
    codes[records.numbers("home").values < 20] = -1
    holes = records.with_columns({"area": records.categories("area").with_codes(codes)})
    found = (
        RecordSwapping(AREAS, ("job",), household="home", share=0.9).treated(holes, np.random.default_rng(1)).records
    )
    assert np.array_equal(found["area"].missing, holes["area"].missing)
    assert counts(found, "area") == counts(holes, "area")


def test_bad_input() -> None:
    records = census(50, 1)
    apart = records.with_columns({"home": Numbers.of(np.zeros(len(records)))})
    with pytest.raises(InputError, match="than others of their household"):
        RecordSwapping(AREAS, household="home").treated(apart, np.random.default_rng(1))
    unknown = records.with_columns({"home": Numbers.of([None] * len(records))})
    with pytest.raises(InputError, match="records have no 'home'"):
        RecordSwapping(AREAS, household="home").treated(unknown, np.random.default_rng(1))
    with pytest.raises(UsageError, match="names no"):
        RecordSwapping(())
    with pytest.raises(UsageError, match="moves with the area"):
        RecordSwapping(AREAS, quasi_identifiers=("area",))
    for wrong in ({"k": 0}, {"share": 1.5}, {"share": -0.1}):
        with pytest.raises(UsageError):
            RecordSwapping(AREAS, **wrong)  # type: ignore[arg-type]


def test_a_single_area_has_no_elsewhere() -> None:
    records = Records({"area": Categories.of(["n"] * 4), "job": Categories.of(["miner", "cook", "cook", "cook"])})
    found = RecordSwapping(("area",), ("job",), k=2).treated(records, np.random.default_rng(1))
    assert found.notes[0] == "1 household at risk found no similar one and stayed"
    assert found.notes[1].startswith("fewer households moved than the share asks for")
