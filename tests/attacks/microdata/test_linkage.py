"""Linkage by distance and by probability: what they find in masked files, by hand and in reference files."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest
from tests.attacks.microdata.conftest import people

from tacita.attacks.microdata.attacker import Scene, scene_with_oracle
from tacita.attacks.microdata.linkage.blocking import rules_for
from tacita.attacks.microdata.linkage.comparisons import WIDTHS, comparison_of
from tacita.attacks.microdata.linkage.distance import DistanceLinkage, links_alone
from tacita.attacks.microdata.linkage.linkability import Linkability
from tacita.attacks.microdata.linkage.probabilistic import ProbabilisticLinkage
from tacita.attacks.microdata.linkage.splinking import _agreeing
from tacita.attacks.microdata.space import axes_of
from tacita.errors import InputError, UsageError
from tacita.generators.firms import FirmSurvey
from tacita.generators.oracle import Oracle
from tacita.model.hierarchy import ValueHierarchy
from tacita.model.records import Categories, Numbers, Records
from tacita.progress import Step


def numbers(matrix: np.ndarray) -> Records:
    return Records({f"x{place}": Numbers(column) for place, column in enumerate(matrix.T)})


# --- by distance ---


def test_by_hand() -> None:
    """Released 1, 1, 9 from originals 0, 2, 10: the first two are as near to 0 as to 2."""
    before, after = numbers(np.array([[0.0], [2.0], [10.0]])), numbers(np.array([[1.0], [1.0], [9.0]]))
    found = DistanceLinkage().attack(Scene(before, after, np.arange(3), ("x0",)))
    assert found.success == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert found.figures["from people"] == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert found.figures["among two nearest"] == pytest.approx(1)
    assert found.guess == pytest.approx(1 / 3)
    assert found.attempts == 3


def test_people_who_are_not_released_and_records_of_nobody() -> None:
    before = numbers(np.array([[0.0], [10.0], [20.0], [30.0]]))
    after = numbers(np.array([[21.0], [1.0], [19.0]]))
    found = DistanceLinkage().attack(Scene(before, after, np.array([2, 0, -1]), ("x0",)))
    assert found.success == pytest.approx(2 / 3)  # nobody stands behind the third
    assert found.guess == pytest.approx(2 / 3 / 4)
    assert found.figures["from people"] == pytest.approx((0.5 + 1) / 2)  # 21 and 19 are as near to 20
    assert found.figures["people without a released record"] == 0.5


@pytest.mark.parametrize("k", [3, 5, 10])
def test_microaggregated_files_of_sdcmicro(shared: Path, k: int) -> None:
    """Of k records that are the same at most one has the nearest original: 1/k at most, whatever MDAV does."""
    before, after = (
        numbers(np.stack([column.to_numpy() for column in pc.read_csv(path).columns], axis=1).astype(float))
        for path in (
            shared / "data" / "sdcmicro" / "CASCrefmicrodata.csv",
            shared / "sdcmicro" / f"microagg_CASC_mdav_{k}.csv",
        )
    )
    found = DistanceLinkage().attack(Scene(before, after, np.arange(len(before)), before.names))
    assert found.guess * 50 < found.success <= 1 / k
    assert found.figures["from people"] <= 1 / k


def test_more_noise_links_less_and_a_guess_is_reached() -> None:
    random = np.random.default_rng(2)
    values, noise = random.normal(size=(400, 3)), random.normal(size=(400, 3))
    found = [
        DistanceLinkage().attack(
            Scene(numbers(values), numbers(values + part * noise), np.arange(400), ("x0", "x1", "x2"))
        )
        for part in (0, 0.1, 0.5, 100)
    ]
    shares = [each.success for each in found]
    assert shares[0] == 1
    assert shares == sorted(shares, reverse=True)
    assert found[-1].lower <= found[-1].guess * 3
    assert all(each.lower <= each.success <= each.upper for each in found)


def test_a_released_file_that_was_scaled_is_linked_when_standardised_apart() -> None:
    values = np.random.default_rng(3).normal(size=(200, 2))
    scene = Scene(numbers(values), numbers(values * 5 + 40), np.arange(200), ("x0", "x1"))
    assert DistanceLinkage(standardised="apart").attack(scene).success == 1
    assert DistanceLinkage().attack(scene).success < 0.1


def test_what_the_intruder_lacks(scene: Scene) -> None:
    for attacker in (DistanceLinkage(), ProbabilisticLinkage()):
        assert attacker.lacks(replace(scene, origin=None))
        assert attacker.lacks(replace(scene, known=("shoe size",)))
        with pytest.raises(InputError):
            attacker.attack(replace(scene, known=()))
    note = DistanceLinkage().attack(replace(scene, known=("age", "shoe size"))).notes[0]
    assert note == "not in both files, and left out: shoe size"


def test_progress_is_told(scene: Scene) -> None:
    steps: list[Step] = []
    DistanceLinkage().attack(scene, steps.append)
    assert {step.doing for step in steps} == {"nearest originals", "nearest released records"}


# --- with an oracle ---


def test_linkage_to_the_identity_oracle_of_a_survey() -> None:
    survey = FirmSurvey.named("R1A4W", seed=3)
    tables = [pa.Table.from_batches(list(batches)) for batches in (survey.batches(), Oracle(survey).batches())]
    asked, register = (
        Records({name: Categories.of(table.column(name).to_pylist()) for name in ("Id", "Area", "Sector", "Employees")})
        for table in tables
    )
    scene = scene_with_oracle(asked.only(["Area", "Sector", "Employees"]), asked, register, by="Id")
    assert scene.origin is not None
    assert scene.origin.min() >= 0
    assert len(scene.original) > len(scene.released)
    found = DistanceLinkage().attack(scene)
    # labels alone: a link is shared by all firms of the oracle with the same labels
    counts: dict[tuple[str, ...], int] = {}
    rows = list(zip(*(tables[1].column(name).to_pylist() for name in scene.known), strict=True))
    for row in rows:
        counts[row] = counts.get(row, 0) + 1
    own = zip(*(tables[0].column(name).to_pylist() for name in scene.known), strict=True)
    assert found.success == pytest.approx(np.mean([1 / counts[row] for row in own]))
    assert found.success > 2 * found.guess


def test_an_oracle_needs_an_identifier() -> None:
    register = Records({"Id": Categories.of(["a", "a"]), "x": Numbers.of([1, 2])})
    with pytest.raises(InputError, match="'Id' is missing or the same"):
        scene_with_oracle(register.only(["x"]), register, register, by="Id")


# --- by probability ---


def test_chances_are_those_of_all_pairs() -> None:
    random = np.random.default_rng(6)
    one, two = (
        Records(
            {"x": Numbers.of(random.normal(size=80)), "c": Categories.of(random.choice(list("aabbbc"), 80).tolist())}
        )
        for _ in range(2)
    )
    axes, _ = axes_of(one, two, one.names)
    for place, axis in enumerate(axes):
        comparison = comparison_of(axis, place, random)
        if axis.numbers is not None:
            gaps = np.abs(axis.numbers[0][:, None] - axis.numbers[1][None, :])
            shares = np.diff([0, *(float((gaps <= width).mean()) for width in WIDTHS), 1])
        else:
            agree = float((axis.levels[0][0][:, None] == axis.levels[0][1][None, :]).mean())
            shares = np.array([agree, 1 - agree])
        np.testing.assert_allclose([level.chance for level in comparison.levels], shares, atol=1e-7)


def test_blocking_keeps_to_its_budget_and_finds_the_same_records() -> None:
    random = np.random.default_rng(7)
    values = random.normal(size=(2000, 4))
    axes, _ = axes_of(
        numbers(values), numbers(values + 0.01 * random.normal(size=values.shape)), ("x0", "x1", "x2", "x3")
    )
    rules = rules_for(axes, (2000, 2000), 200_000)
    assert 0 < sum(rule.pairs for rule in rules) <= 200_000
    paired = np.zeros(2000, dtype=bool)
    for rule in rules:
        one, two = (np.stack([keys[side] for keys in rule.keys.values()], axis=1) for side in (0, 1))
        paired |= (one == two).all(axis=1)
    assert paired.mean() > 0.99


@pytest.mark.slow
def test_splink_links_what_was_masked_a_little(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(8)
    values = random.normal(size=(120, 3))
    sectors = random.integers(0, 8, 120)
    moved = np.where(random.random(120) < 0.1, random.integers(0, 8, 120), sectors)
    names = [f"sector of kind {letter}" for letter in "abcdefgh"]
    before, after = (
        numbers(matrix).with_columns({"sector": Categories.of([names[code] for code in codes])})
        for matrix, codes in ((values, sectors), (values + 0.05 * random.normal(size=values.shape), moved))
    )
    scene = Scene(before, after, np.arange(120), before.names)
    with caplog.at_level(logging.DEBUG):
        found = ProbabilisticLinkage().attack(scene)
    assert found.lower > 0.8
    assert found.figures["without candidate"] == 0
    assert capfd.readouterr() == ("", "")
    assert not [record for record in caplog.records if record.name.startswith("splink")]
    assert list(tmp_path.iterdir()) == []
    assert logging.getLogger("splink").level == logging.NOTSET


@pytest.mark.slow
def test_splink_with_blocking_is_repeated_and_near_the_nearest() -> None:
    random = np.random.default_rng(9)
    values = random.normal(size=(1500, 4))
    scene = Scene(
        numbers(values),
        numbers(values + 0.03 * random.normal(size=values.shape)),
        np.arange(1500),
        ("x0", "x1", "x2", "x3"),
    )
    found = ProbabilisticLinkage(pairs=60_000).attack(scene)
    assert found == ProbabilisticLinkage(pairs=60_000).attack(scene)
    assert found.success > 0.75 * DistanceLinkage().attack(scene).success
    assert found.figures["without candidate"] < 0.05


@pytest.mark.slow
def test_texts_that_are_misspelt_are_nearly_the_same() -> None:
    random = np.random.default_rng(10)
    names = ["".join(random.choice(list("abcdefghijklmnop"), 9)) for _ in range(60)]
    misspelt = [name[:-1] + "z" if place % 3 == 0 else name for place, name in enumerate(names)]
    before = Records({"name": Categories.of(names), "x": Numbers.of(random.normal(size=60))})
    after = before.with_columns({"name": Categories.of(misspelt)})
    axes, _ = axes_of(after, before, ["name"])
    assert [level.condition for level in comparison_of(axes[0], 0, random).levels][1].startswith("levenshtein")
    found = ProbabilisticLinkage().attack(Scene(before, after, np.arange(60), ("name",)))
    assert found.success == 1


@pytest.mark.slow
def test_generalised_labels_are_linked_to_what_is_below_them() -> None:
    """24 towns in 6 areas: a released area fits the originals of its four towns, and no others."""
    random = np.random.default_rng(11)
    towns = [f"town {place:02d}" for place in range(24)]
    tree = ValueHierarchy.from_paths("town", [(town, f"area {i // 4}", "*") for i, town in enumerate(towns)])
    codes, sex = random.integers(0, 24, 200), random.integers(0, 2, 200)
    before = Records(
        {
            "town": Categories.of([towns[code] for code in codes], hierarchy=tree),
            "sex": Categories(sex.astype(np.int32), ("f", "m")),
        }
    )
    after = before.with_columns({"town": Categories.of([f"area {code // 4}" for code in codes])})
    scene = Scene(before, after, np.arange(200), ("town", "sex"))
    _, groups, sizes = np.unique(codes // 4 * 2 + sex, return_inverse=True, return_counts=True)
    expected = float(np.mean(1 / sizes[groups]))
    assert DistanceLinkage().attack(scene).success == pytest.approx(expected)
    # the model cannot learn whether sex is reliable: the area alone may be all that it goes by
    assert expected / 2.5 < ProbabilisticLinkage().attack(scene).success <= expected * 1.001


def test_agreement_never_speaks_against_a_pair() -> None:
    levels = [
        {"is_null_level": True},
        {"m_probability": 0.1, "u_probability": 0.3},
        {"m_probability": 0.9, "u_probability": 0.7},
    ]
    _agreeing(levels)
    assert levels[1]["m_probability"] == pytest.approx(0.3)
    kept = [{"m_probability": 0.8, "u_probability": 0.3}, {"m_probability": 0.2, "u_probability": 0.7}]
    _agreeing(kept)
    assert [level["m_probability"] for level in kept] == pytest.approx([0.8, 0.2])


def test_linkability_is_what_the_file_makes_of_two_sources() -> None:
    """Released as it is, every person is linked; drawn from the same population, as many as of a hold-out."""
    members, others, drawn = people(400, 1), people(400, 2), people(400, 3)
    known = ("age", "sex", "region", "height", "wage")
    sources = (("age", "region"), ("height", "wage"))
    plain = Linkability().attack(Scene(members, members, None, known, holdout=others, sources=sources))
    assert plain.risk is not None
    assert plain.success > 0.95
    assert plain.risk.value > 0.95
    none = Linkability().attack(Scene(members, drawn, None, known, holdout=others, sources=sources))
    assert none.risk is not None
    assert none.risk.lower == 0
    assert none == Linkability().attack(Scene(members, drawn, None, known, holdout=others, sources=sources))


def test_linkability_by_hand() -> None:
    """Of two records that are equally near, each source draws one of its own."""
    before = Records({"a": Categories.of(list("uuv" * 100)), "b": Categories.of(list("xxy" * 100))})
    after = Records({"a": Categories.of(list("uuv")), "b": Categories.of(list("xxy"))})
    found = Linkability(neighbours=1, people=300).attack(Scene(before, after, None, ("a", "b")))
    assert found.success == pytest.approx((200 / 2 + 100) / 300, abs=0.08)
    assert found.control is None
    assert found.guess == pytest.approx(1 / 3)


def test_sources_have_nothing_in_common() -> None:
    before = numbers(np.zeros((3, 2)))
    with pytest.raises(UsageError, match="in common"):
        Scene(before, before, None, ("x0",), sources=(("x0",), ("x0", "x1")))
    assert Linkability().lacks(Scene(before, before, None, ("x0",)))


def test_one_attribute_that_is_hardly_masked_is_tried_alone() -> None:
    """Five attributes in random order drown a sixth that is only rounded; by itself it links nearly all records."""
    random = np.random.default_rng(4)
    n = 400
    names = tuple(f"x{place}" for place in range(5))
    before = {name: random.normal(size=n) for name in names} | {"turnover": random.lognormal(12, 1, n)}
    after = {name: random.permutation(before[name]) for name in names} | {"turnover": before["turnover"].round(-1)}
    one, two = (Records({name: Numbers(values) for name, values in each.items()}) for each in (before, after))
    scene = Scene(one, two, np.arange(n), one.names)
    found = DistanceLinkage().attack(scene)
    assert found.success == found.figures["turnover alone"] > 0.9
    assert "'turnover' alone links more records than all known attributes together" in found.notes
    assert found.control is not None
    assert found.control.value == 1 / n
    assert DistanceLinkage(alone=False).attack(scene).success < 0.5


def test_a_link_by_one_attribute_is_shared_among_ties() -> None:
    """20 is as near to 10 as to two of 30; labels of which several are the same share the link; gaps link nothing."""
    one = Records({"a": Numbers.of([10, 30, 30, None]), "b": Categories.of(["x", "x", "y", None])})
    two = Records({"a": Numbers.of([20, 31, None, 10]), "b": Categories.of(["x", "y", "y", "x"])})
    axes, _ = axes_of(two, one, ("a", "b"))
    found = links_alone(axes, np.arange(4), np.arange(4))
    assert found["a"].tolist() == pytest.approx([1 / 3, 1 / 2, 0, 0])
    assert found["b"].tolist() == [0.5, 0, 1, 0]
