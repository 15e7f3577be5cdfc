"""Interval disclosure: dRisk of sdcMicro, ranks by hand, gaps."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.csv as pc
import pytest

from tacita.attacks.microdata.attacker import Scene
from tacita.attacks.microdata.interval.deviation import DeviationInterval
from tacita.attacks.microdata.interval.rank import RankInterval
from tacita.model.records import Categories, Numbers, Records


def numbers(matrix: np.ndarray) -> Records:
    return Records({f"x{place}": Numbers(column) for place, column in enumerate(matrix.T)})


def scene(before: np.ndarray, after: np.ndarray) -> Scene:
    names = tuple(f"x{place}" for place in range(before.shape[1]))
    return Scene(numbers(before), numbers(after), np.arange(len(after)), names)


@pytest.fixture(scope="module")
def casc(shared: Path) -> dict[str, np.ndarray]:
    """The four maskings of CALLS.json."""

    def read(path: Path) -> np.ndarray:
        return np.stack([column.to_numpy() for column in pc.read_csv(path).columns], axis=1).astype(float)

    x = read(shared / "data" / "sdcmicro" / "CASCrefmicrodata.csv")
    mdav = read(shared / "sdcmicro" / "microagg_CASC_mdav_3.csv")
    rounded = np.round(x / 1000) * 1000
    return {"x": x, "xm1": x * 1.02, "xm2": x + 0.04 * x.std(axis=0, ddof=1), "xm3": rounded, "xm4": mdav}


@pytest.mark.parametrize("width", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("masking", ["xm1", "xm2", "xm3", "xm4"])
def test_deviations_are_drisk_of_sdcmicro(
    shared: Path, casc: dict[str, np.ndarray], masking: str, width: float
) -> None:
    """sdcMicro 5.8.1, dRisk(x, xm=., k=.) on CASCrefmicrodata."""
    printed = json.loads((shared / "sdcmicro" / "drisk_dutility_casc.json").read_text())[masking][f"dRisk_k{width:g}"]
    found = DeviationInterval(width=width, guesses=2).attack(scene(casc["x"], casc[masking]))
    assert found.success == pytest.approx(printed, abs=1e-9)
    assert found.guess < 0.01


def test_ranks_by_hand() -> None:
    """Ten values and a width of 40 %: from two ranks below to two ranks above."""
    after = np.arange(10.0, 101.0, 10.0)[:, None]
    before = after.copy()
    before[0], before[5], before[9] = 30, 81, 80  # within [10, 30]; outside [40, 80]; within [80, 100]
    found = RankInterval(width=0.4).attack(scene(before, after))
    assert found.success == pytest.approx(0.9)
    line = np.sort(before[:, 0])
    low, high = np.clip(after[:, 0] - 20, 10, 100), np.clip(after[:, 0] + 20, 10, 100)
    held = [np.mean((line >= a) & (line <= b)) for a, b in zip(low, high, strict=True)]
    assert found.guess == pytest.approx(np.mean(held))


def test_a_guess_is_what_shuffled_records_give() -> None:
    random = np.random.default_rng(1)
    before = random.gamma(2, size=(3000, 2))
    shuffled = scene(before, before[random.permutation(3000)])
    for attacker in (RankInterval(), DeviationInterval(width=0.5)):
        found = attacker.attack(shuffled)
        assert found.lower <= found.guess <= found.upper


def test_missing_originals_are_nothing_to_find_and_missing_releases_find_nothing() -> None:
    before = np.array([[1.0, 5.0], [np.nan, 6.0], [3.0, 7.0], [np.nan, np.nan], [5.0, np.inf]])
    after = before.copy()
    after[0, 1] = np.nan
    found = RankInterval().attack(scene(before, after))
    assert found.attempts == 6
    assert found.success == pytest.approx(5 / 6)
    assert found.figures["all attributes"] == pytest.approx(3 / 4)
    whole = DeviationInterval().attack(scene(before, after))
    assert (whole.attempts, whole.success) == (4, 0.75)


def test_labels_are_left_out_with_a_note() -> None:
    people = Records({"wage": Numbers.of([1, 2, 3]), "sex": Categories.of(["f", "m", "f"])})
    found = RankInterval().attack(Scene(people, people, np.arange(3), ("wage", "sex")))
    assert found.notes == ("no numbers, and left out: sex",)
    labels = Scene(people, people, np.arange(3), ("sex",))
    assert (
        RankInterval().lacks(labels) == DeviationInterval().lacks(labels) == ["no attribute is a number in both files"]
    )


def test_sampled_records_are_compared_with_their_own_originals() -> None:
    before = np.arange(20.0)[:, None]
    rows = np.array([3, 17, 8])
    one = Scene(numbers(before), numbers(before[rows]), rows, ("x0",))
    assert DeviationInterval(width=0).attack(one).success == 1
    assert RankInterval(width=0).attack(one).success == 1


def test_codes_of_categories_are_not_numbers() -> None:
    """A sector of code 20 is not near one of code 21; ordered codes have ranks, and stay."""
    held = {"sector": Categories.of([10, 20, 21]), "size": Categories.of([1, 2, 3], order=[1, 2, 3])}
    records = Records(held | {"wage": Numbers.of([5, 6, 7])})
    found = RankInterval().attack(Scene(records, records, np.arange(3), records.names))
    assert set(found.figures) == {"size", "wage", "all attributes"}
    assert "no numbers, and left out: sector" in found.notes
    codes = Scene(records, records, np.arange(3), ("sector",))
    assert all(
        "no attribute is a number in both files" in each.lacks(codes) for each in (RankInterval(), DeviationInterval())
    )
