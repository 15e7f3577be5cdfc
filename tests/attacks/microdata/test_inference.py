"""Inference of values and of membership, replicated uniques, singling out: by hand, and with files of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.attacks.microdata.conftest import people

from tacita.attacks.microdata.attacker import Scene
from tacita.attacks.microdata.inference.attribute import AttributeInference, _best_guess
from tacita.attacks.microdata.inference.membership import MembershipInference, area_under_curve
from tacita.attacks.microdata.inference.replicated_uniques import ReplicatedUniques
from tacita.attacks.microdata.inference.singling_out import SinglingOut
from tacita.model.records import Categories, Numbers, Records

KNOWN = ("age", "sex", "region", "height")


def test_a_statistic_is_told_and_not_counted_as_excess() -> None:
    """Illness mostly follows from a known attribute: what is learnt holds for people outside the file as well."""
    random = np.random.default_rng(1)

    def file(number: int) -> Records:
        group = random.integers(0, 4, number)
        ill = (group + (random.random(number) < 0.1)) % 2
        return Records(
            {
                "group": Categories(group.astype(np.int32), ("a", "b", "c", "d")),
                "ill": Categories(ill.astype(np.int32), ("healthy", "diseased")),
            }
        )

    original, released, others = file(200), file(200), file(200)
    found = AttributeInference().attack(Scene(original, released, None, ("group",), ("ill",), others))
    assert found.success > 0.85
    assert found.control is not None
    assert found.control_by == "records that were not in the data"
    assert found.control.value > 0.85
    assert found.risk is not None
    assert found.risk.lower == 0
    assert found.guess == pytest.approx(original.categories("ill").counts.max() / 200)


@pytest.mark.parametrize("how", ["hold-out", "sample", "halves"])
def test_what_only_the_own_record_tells_is_excess(how: str) -> None:
    original, others = people(200, 5), people(200, 6)
    rows = np.arange(100) if how == "sample" else np.arange(200)
    scene = Scene(original, original.taken(rows), rows, KNOWN, ("wage",), others if how == "hold-out" else None)
    asked = replace(scene, original=original)
    found = AttributeInference().attack(asked)
    assert found.control is not None
    assert found.risk is not None
    assert found.control.value < 0.3
    if how != "sample":  # there half of the people are not in the file
        assert found.success == 1
        assert found.risk.value == 1


def test_without_others_there_is_no_control_and_a_note() -> None:
    original = people(60, 7)
    found = AttributeInference().attack(Scene(original, people(60, 8), None, KNOWN, ("wage", "ill")))
    assert found.control is None
    assert found.risk is None
    assert any("no person is known to be outside" in note for note in found.notes)
    assert found.attempts == 120


@pytest.mark.slow
def test_boosting_is_a_model_too() -> None:
    original = people(120, 9)
    scene = Scene(original, original, np.arange(120), KNOWN, ("wage", "ill"))
    found = AttributeInference(model="boosting", trees=10).attack(scene)
    assert found == AttributeInference(model="boosting", trees=10).attack(scene)
    assert found.guess < found.success < AttributeInference().attack(scene).success


def test_the_best_guess_is_where_most_intervals_overlap() -> None:
    """10 % around 100, 105, 200, 0: 100 and 105 can be met by one answer."""
    assert _best_guess(np.array([100.0, 105.0, 200.0, 0.0]), 0.1) == 2
    assert _best_guess(np.array([0.0, 0.0, 0.0, 5.0]), 0.1) == 3
    assert _best_guess(np.array(["=a", "=b", "=a"], dtype=object), 0.1) == 2
    random = np.random.default_rng(2)
    truth = random.gamma(2, size=60)
    answers = np.linspace(0, truth.max() * 1.2, 40_000)
    tried = max(int((np.abs(answer - truth) <= 0.1 * truth).sum()) for answer in answers)
    assert _best_guess(truth, 0.1) == tried


def test_area_under_the_curve_is_the_share_of_pairs() -> None:
    random = np.random.default_rng(3)
    members, others = random.integers(0, 9, 40).astype(float), random.integers(1, 11, 30).astype(float)
    pairs = np.sign(others[None, :] - members[:, None])
    assert area_under_curve(members, others) == pytest.approx(float(((pairs + 1) / 2).mean()))


def test_membership_is_seen_where_records_are_copied() -> None:
    original, others, new = people(300, 11), people(300, 12), people(300, 13)
    copies = original.taken(np.arange(150))
    half = Records(
        {
            name: Numbers(np.concatenate([copies.numbers(name).values, new.numbers(name).values[:150]]))
            for name in ("age", "height", "wage")
        }
    )
    known = ("age", "height", "wage")
    found = MembershipInference().attack(Scene(original, half, None, known, holdout=others))
    assert found.figures["copied members"] == 0.5
    assert found.figures["copied non-members"] == 0
    assert found.lower > 0.6
    assert found.figures["advantage"] > 0.3
    none = MembershipInference().attack(Scene(original, new, None, known, holdout=others))
    assert none.lower <= 0.5 <= none.upper
    assert abs(none.figures["advantage"]) < 0.2


def test_the_interval_of_the_area_covers_what_it_should() -> None:
    """Of intervals for files that have nothing to do with anybody about 95 % hold one half."""
    random = np.random.default_rng(4)
    held = 0
    for _ in range(200):
        original, released, others = (Records({"x": Numbers(random.normal(size=40))}) for _ in range(3))
        found = MembershipInference().attack(Scene(original, released, None, ("x",), holdout=others))
        held += found.lower <= 0.5 <= found.upper
    assert held >= 180


def test_membership_needs_a_hold_out_with_the_same_attributes(scene: Scene) -> None:
    assert MembershipInference().lacks(replace(scene, holdout=None))
    assert MembershipInference().lacks(replace(scene, holdout=scene.original.only(["age"])))


def labels(*columns: str) -> Records:
    return Records({f"c{place}": Categories.of(list(column)) for place, column in enumerate(columns)})


def test_replicated_uniques_by_hand() -> None:
    original, released = labels("aabc", "uuvw"), labels("bbcdd", "vvwuu")
    others = labels("dbc", "uww")  # du, bw, and cw: the last would not be unique among the originals
    found = ReplicatedUniques().attack(Scene(original, released, None, ("c0", "c1"), holdout=others))
    assert (found.attempts, found.success) == (2, 1.0)  # bv and cw
    assert found.figures == {"uniques": 0.5, "unique again": 0.5}
    assert found.control is not None
    assert found.control.value == 0.5  # du is in the released file, bw is not
    assert found.guess == pytest.approx(1 - (1 - 1 / 16) ** 5)


def test_the_guess_of_replicated_uniques_is_what_invented_records_give() -> None:
    random = np.random.default_rng(5)

    def draw(number: int) -> Records:
        return Records(
            {
                f"c{place}": Categories(
                    random.choice(8, number, p=np.arange(8, 0, -1) / 36).astype(np.int32), tuple("abcdefgh")
                )
                for place in range(3)
            }
        )

    original = draw(300)
    shuffled = [
        Records({name: column.taken(random.permutation(300)) for name, column in original.columns.items()})
        for _ in range(30)
    ]
    found = [ReplicatedUniques().attack(Scene(original, released, None, original.names)) for released in shuffled]
    assert np.mean([each.success for each in found]) == pytest.approx(found[0].guess, abs=0.02)


def test_singling_out_by_hand() -> None:
    """Released uniques av, bu: one original is bu, none is av, and two are alike."""
    original, released = labels("aaab", "uuwu"), labels("abcc", "vuww")
    found = SinglingOut(attributes=2).attack(Scene(original, released, None, ("c0", "c1")))
    assert (found.attempts, found.success) == (2, 0.5)


def test_nothing_to_describe() -> None:
    original = labels("aabb", "uuvv")
    found = SinglingOut().attack(Scene(original, original, np.arange(4), ("c0", "c1")))
    assert (found.attempts, found.success) == (0, 0.0)
    assert (found.lower, found.upper) == (0.0, 1.0)
    assert any("nothing can be described" in note for note in found.notes)
    none = ReplicatedUniques().attack(Scene(original, original, np.arange(4), ("c0", "c1")))
    assert "no original is unique" in none.notes
