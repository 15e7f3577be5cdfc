"""Every attacker of the catalogue keeps to the contract; attackers that do not are caught."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from tacita.attacks.microdata.attacker import Attacked, Scene, residual
from tacita.attacks.microdata.catalogue import ATTACKERS
from tacita.attacks.microdata.contract import breaches
from tacita.attacks.microdata.score import exact, rate_of, wilson
from tacita.errors import InputError, UsageError
from tacita.progress import Progress, silent

SLOW = {"probabilistic-linkage"}


@pytest.mark.parametrize("name", sorted(set(ATTACKERS.names()) - SLOW))
def test_attackers_keep_to_the_contract(name: str, scene: Scene) -> None:
    assert breaches(ATTACKERS.seeded(name, 1), scene) == []


@pytest.mark.slow
def test_splink_keeps_to_the_contract(scene: Scene) -> None:
    few = replace(scene, original=scene.original.taken(np.arange(60)), released=scene.original, origin=None)
    assert breaches(ATTACKERS.seeded("probabilistic-linkage", 1), few) == []


@dataclass(frozen=True)
class Boaster:
    """Somebody who says what the test wants of them."""

    success: float = 1.0
    guess: float = 0.0
    note: str = ""
    fails: bool = False
    name: ClassVar[str] = "boaster"

    def lacks(self, scene: Scene) -> Sequence[str]:
        return [] if len(scene.released) and scene.shared(scene.known) else ["everything"]

    def attack(self, scene: Scene, progress: Progress = silent) -> Attacked:
        if lacking := self.lacks(scene):
            raise InputError(lacking[0], do="give it")
        if self.fails and len(scene.original) == 1:
            raise ZeroDivisionError
        return Attacked(self.name, self.success, self.success, self.success, self.guess, 1, {}, (self.note,))


@pytest.mark.parametrize(
    ("attacker", "found"),
    [
        (Boaster(), "nothing to do with the people"),
        (Boaster(success=0.2, guess=0.2), "released as it is"),
        (Boaster(success=1.5), "is no share"),
        (Boaster(guess=1.0, note="those who are diseased"), "shows a value"),
        (Boaster(guess=1.0, fails=True), "ZeroDivisionError"),
    ],
)
def test_the_contract_catches(attacker: Boaster, found: str, scene: Scene) -> None:
    assert any(found in each for each in breaches(attacker, scene))


def test_nothing_is_wrong_with_one_who_guesses_and_says_so(scene: Scene) -> None:
    assert breaches(Boaster(guess=1.0), scene) == []


def test_the_catalogue_knows_names_and_parameters() -> None:
    with pytest.raises(UsageError, match="did you mean 'rank-interval'"):
        ATTACKERS.named("rank-intervall")
    with pytest.raises(UsageError, match="did you mean 'width'"):
        ATTACKERS.make("rank-interval", {"widht": 1})
    assert all(ATTACKERS.named(name).name == name for name in ATTACKERS.names())
    ATTACKERS.enter(Boaster)
    assert ATTACKERS.named("boaster") is Boaster
    ATTACKERS.withdraw("boaster")


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("rank-interval", {"width": 1.5}),
        ("rank-interval", {"width": float("nan")}),
        ("deviation-interval", {"guesses": 0}),
        ("attribute-inference", {"tolerance": -0.1}),
        ("attribute-inference", {"model": "oracle"}),
        ("distance-linkage", {"standardised": "never"}),
        ("probabilistic-linkage", {"pairs": 0}),
        ("membership-inference", {"seed": -1}),
        ("singling-out", {"attributes": 0}),
    ],
)
def test_parameters_that_make_no_sense(name: str, parameters: dict[str, object]) -> None:
    with pytest.raises(UsageError) as error:
        ATTACKERS.make(name, parameters)
    assert error.value.do


def test_a_scene_checks_its_origins(scene: Scene) -> None:
    for origin in (np.arange(3), np.full(150, 150), np.full(150, -2)):
        with pytest.raises(InputError):
            replace(scene, origin=origin)


def test_wilson_as_printed() -> None:
    """R. Newcombe, Statistics in Medicine 17 (1998), table I: score method without continuity correction."""
    assert [round(end, 4) for end in wilson(81, 263)] == [0.2553, 0.3662]
    assert [round(end, 4) for end in wilson(15, 148)] == [0.0624, 0.1605]
    assert [round(end, 4) for end in wilson(0, 20)] == [0.0, 0.1611]
    assert [round(end, 4) for end in wilson(1, 29)] == [0.0061, 0.1718]


@pytest.mark.parametrize(
    ("successes", "controls", "value", "interval"),
    [
        ((265, 1000), (225, 1000), 0.0516, (0.0041, 0.0989)),
        ((143, 500), (115, 500), 0.0727, (0.0044, 0.1403)),
        ((200, 200), (3, 150), 1.0, (0.9805, 1.0)),
        ((0, 50), (0, 50), 0.0, (0.0, 0.0523)),
        ((5, 50), (30, 50), 0.0, (0.0, 0.0)),
    ],
)
def test_the_risk_has_the_interval_of_anonymeter(
    successes: tuple[int, int], controls: tuple[int, int], value: float, interval: tuple[float, float]
) -> None:
    """Intervals by the formulas of M. Giomi et al., PoPETs 2023, section 3.2, computed by hand from the counts."""
    found = residual(rate_of(*successes), rate_of(*controls))
    assert found is not None
    assert round(found.value, 4) == value
    assert (round(found.lower, 4), round(found.upper, 4)) == interval


def test_a_control_that_always_succeeds_leaves_the_risk_open() -> None:
    """No control could be told from the success: that is not a risk of 0."""
    assert residual(rate_of(9, 9), exact(1.0)) is None
    assert residual(rate_of(9, 9), rate_of(9, 9)) is None
    assert Attacked("mine", 1.0, 0.9, 1.0, 0.1, 9, control=exact(1.0)).risk is None


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ATTACKERS.names()))
def test_every_attacker_has_a_control(name: str, scene: Scene) -> None:
    """With a hold-out each tells success, control and risk; by which control, in words."""
    few = np.arange(60)
    asked = replace(scene, original=scene.original.taken(few), released=scene.original.taken(few), origin=few)
    found = ATTACKERS.seeded(name, 1).attack(asked)
    assert found.risk is not None
    assert found.control_by
    bare = ATTACKERS.seeded(name, 1)
    asked = replace(asked, holdout=None)
    if ATTACKERS.fact(name, "by_holdout") and not bare.lacks(asked) and name != "attribute-inference":
        assert bare.attack(asked).risk is None
