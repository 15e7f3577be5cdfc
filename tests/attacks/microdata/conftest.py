"""People to attack: all different in what is known, and a hold-out of others like them."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.attacks.microdata.attacker import Scene
from tacita.model.records import Categories, Numbers, Records


def people(number: int, seed: int) -> Records:
    random = np.random.default_rng(seed)
    age, sex, region = random.integers(18, 90, number), random.integers(0, 2, number), random.integers(0, 6, number)
    wage = np.exp(random.normal(7 + 0.01 * age + 0.2 * sex, 0.5))
    ill = random.random(number) < 0.2 + 0.005 * (age - 18)
    return Records(
        {
            "age": Numbers.of(age, is_whole=True),
            "sex": Categories(sex.astype(np.int32), ("woman", "manly")),
            "region": Categories(
                region.astype(np.int32), ("northern", "eastern", "southern", "western", "inner", "outer")
            ),
            "height": Numbers.of(random.normal(170, 9, number)),
            "wage": Numbers.of(wage),
            "ill": Categories(ill.astype(np.int32), ("healthy", "diseased")),
        }
    )


@pytest.fixture(scope="session")
def scene() -> Scene:
    original, others = people(150, 1), people(150, 2)
    return Scene(original, original, np.arange(150), ("age", "sex", "region", "height"), ("wage", "ill"), others)
