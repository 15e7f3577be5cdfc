"""Reading hidden cells from single attributes: what must be found, and that chance finds nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.attacks.microdata.cluster_counts import Counted, cluster_clues
from tacita.attacks.microdata.derivation import DerivableValues, derivations
from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.lessons import Clue, Target

_N = 1_200


def _ranked(values: np.ndarray) -> Clue:  # type: ignore[type-arg]
    ranks = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return Clue("clue", ranks, ranks)


def _suppressed(truth: Codes, random: np.random.Generator, share: float = 0.05) -> Target:
    hidden = random.random(len(truth)) < share
    return Target("secret", truth, hidden, ~hidden)


def _only(clue: Clue, target: Target) -> DerivableValues:
    (found,) = derivations([clue], [target])
    return found


def test_a_code_is_found_also_where_the_release_shows_no_example() -> None:
    truth = np.repeat(np.arange(40), 30)[: _N - 3]
    truth = np.concatenate([truth, [40, 41, 42]])  # three values that occur once
    hidden = truth >= 40
    found = _only(Clue("code", 42 - truth), Target("secret", truth, hidden, ~hidden))
    assert (found.right, found.hidden, found.by, found.public) == (3, 3, "code", True)


def test_weights_of_strata_name_their_cells() -> None:
    """Three of eight strata have a weight of their own; the others share one."""
    random = np.random.default_rng(1)
    stratum = random.integers(0, 8, _N)
    target = _suppressed(stratum, random)
    weight = np.where(stratum < 3, stratum, 9)
    found = _only(_ranked(weight), target)
    assert found.right == found.named == int((target.hidden & (stratum < 3)).sum())
    assert found.by == "same value" and not found.public


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_a_number_without_repeated_values_names_its_band(noise: float) -> None:
    random = np.random.default_rng(2)
    income = random.lognormal(0, 1, _N) * (1 + noise * random.random(_N) / 10)
    band = np.digitize(income, [0.5, 1.0, 1.5, 2.5])
    target = _suppressed(band, random)
    found = _only(_ranked(income), target)
    assert found.by == "neighbours"
    assert found.right >= 0.9 * found.hidden


def test_a_near_dependency_is_one() -> None:
    random = np.random.default_rng(3)
    truth = random.integers(0, 10, _N)
    code = np.where(random.random(_N) < 0.02, random.integers(0, 10, _N), truth)
    found = _only(Clue("code", code), _suppressed(truth, random))
    assert found.right >= 0.9 * found.hidden


def test_a_copy_that_is_filled_for_one_value_only() -> None:
    random = np.random.default_rng(4)
    truth = random.integers(0, 10, _N)
    copy = np.where(truth == 7, 0, -1)
    target = _suppressed(truth, random, 0.2)
    found = _only(Clue("copy", copy), target)
    assert found.right == int((target.hidden & (truth == 7)).sum())


def test_what_was_cut_is_read_from_another_number() -> None:
    random = np.random.default_rng(5)
    income = np.sort(random.lognormal(0, 1, _N))
    tax = np.maximum(income - 0.2, 0) ** 1.2
    other = income > np.quantile(income, 0.8)
    tenth = np.where(other, (np.cumsum(other) - 1) * 10 // int(other.sum()), -1)
    cut = Target("income", tenth, other, ~other, other.astype(np.int64), is_coarse=True)
    assert _only(_ranked(tax), cut).right > 0.8 * other.sum()
    assert derivations([_ranked(random.random(_N))], [cut]) == ()


@pytest.mark.slow
def test_chance_finds_nothing() -> None:
    """Unrelated attributes of all sizes, skewed and even, against suppressed and against recoded cells."""
    random = np.random.default_rng(6)
    for _ in range(60):
        records = int(random.choice([12, 40, 200, 1_000]))
        truth = np.minimum(random.geometric(random.choice([0.1, 0.4, 0.9]), records), 20).astype(np.int64)
        clues = [
            Clue(f"clue {i}", c := random.integers(0, random.choice([2, 5, records // 3, records * 9]), records), c)
            for i in range(6)
        ]
        hidden = random.random(records) < random.choice([0.02, 0.2, 0.6])
        recoded = Target("secret", truth, np.ones(records, dtype=bool), np.zeros(records, dtype=bool), truth // 4)
        coarse = Target("secret", _tenths(random.random(records)), hidden, ~hidden, is_coarse=True)
        assert derivations(clues, [Target("secret", truth, hidden, ~hidden), recoded, coarse]) == ()


def test_correlation_is_not_determination() -> None:
    random = np.random.default_rng(7)
    x = random.normal(size=_N)
    truth = np.digitize(x + 0.5 * random.normal(size=_N), [-1, 0, 1])
    assert derivations([_ranked(x)], [_suppressed(truth, random)]) == ()


def test_what_can_be_counted_in_households() -> None:
    random = np.random.default_rng(8)
    sizes = random.integers(1, 7, 400)
    home = np.repeat(np.arange(400), sizes)
    age = random.integers(0, 90, len(home)).astype(float)
    sex = random.integers(0, 2, len(home))
    columns = [Counted("age", age.astype(np.int64), age), Counted("sex", sex, sex.astype(float))]
    clues = list(cluster_clues("hid", random.permutation(400)[home], columns))
    secrets = {
        "hsize": sizes[home],
        "women": np.bincount(home, sex)[home].astype(np.int64),
        "children": np.bincount(home, age < 18)[home].astype(np.int64),
        "youngest": np.minimum.reduceat(age, np.cumsum(sizes) - sizes)[home].astype(np.int64),
    }
    whole = (random.random(400) < 0.1)[home]  # suppressed for whole households: no member shows it
    for name, truth in secrets.items():
        found = derivations(clues, [Target(name, truth, whole, ~whole)])
        assert max(each.right for each in found) >= 0.7 * whole.sum(), name


def test_a_public_relation_needs_examples_in_other_households() -> None:
    """A code of regions is found; a number of the household beside another one is not, though members repeat it."""
    random = np.random.default_rng(9)
    home = np.repeat(np.arange(300), 4)
    region, income, rooms = random.integers(0, 6, 300), random.integers(0, 60, 300), random.permutation(300)
    whole = np.ones(_N, dtype=bool)
    found = derivations([Clue("code", 5 - region[home])], [Target("region", region[home], whole, ~whole)], home)
    assert [each.right for each in found] == [_N]
    clues = [Clue("rooms", rooms[home], rooms[home]), Clue("region", region[home], region[home])]
    blurred = Target("income", income[home], whole, ~whole, home // 12)
    assert derivations(clues, [Target("income", income[home], whole, ~whole), blurred], home) == ()
    assert derivations(clues, [blurred]), "without households their members look like examples"


def _tenths(values: Codes) -> Codes:
    return np.argsort(np.argsort(values, kind="stable"), kind="stable") * 10 // len(values)


def test_a_date_of_birth_tells_a_suppressed_age() -> None:
    """Also where hardly an age is shown; what goes along with the age, and what has nothing to do with it, does not."""
    random = np.random.default_rng(10)
    for shown in (0, 80):
        age = random.integers(0, 90, 600)
        late = random.random(600) < 0.5
        day = (2024 - age - late) * 365 + random.integers(0, 182, 600) + 183 * late
        hidden = np.arange(600) >= shown
        tenth = np.unique(age, return_index=True)[1]
        target = Target("age", _tenths(age)[tenth][np.unique(age, return_inverse=True)[1]], hidden, ~hidden, None, True)
        assert _only(_ranked(day), target).right > 0.6 * hidden.sum()
        assert derivations([_ranked(age + random.normal(0, 12, 600)), _ranked(random.random(600))], [target]) == ()
