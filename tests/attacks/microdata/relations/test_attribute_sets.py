"""Sets of attributes that determine a hidden one: what must be found, and that chance finds nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.lessons import Clue, Target, lessons_of
from tacita.attacks.microdata.relations.attribute_sets import ATTRIBUTES, SetSearch, set_derivations
from tacita.attacks.microdata.relations.set_screen import ClueIndex, promising_sets


def _numbered(values: Codes) -> Codes:
    return np.unique(values, return_inverse=True)[1].astype(np.int64).reshape(-1)


def _noise(random: np.random.Generator, records: int, sizes: tuple[int, ...]) -> list[Clue]:
    return [Clue(f"noise {size}", _numbered(random.integers(0, size, records))) for size in sizes]


def _search(clues: list[Clue], truth: Codes, hidden: np.ndarray) -> SetSearch:  # type: ignore[type-arg]
    return set_derivations(clues, [Target("secret", _numbered(truth), hidden, ~hidden)])


@pytest.mark.parametrize("members", [2, 3])
@pytest.mark.parametrize("exceptions", [0.0, 0.03])
@pytest.mark.parametrize("share", [0.02, 0.3])
def test_a_random_table_of_several_attributes_is_found(members: int, exceptions: float, share: float) -> None:
    random = np.random.default_rng(members)
    for records in (2_500, 12_000):
        sizes = random.choice([4, 6, 8], members)
        parts = [random.integers(0, size, records) for size in sizes]
        cells = np.ravel_multi_index(parts, tuple(sizes))
        truth = random.integers(0, 5, int(np.prod(sizes)))[cells]
        truth = np.where(random.random(records) < exceptions, random.integers(0, 5, records), truth)
        clues = [Clue(f"part {at}", part) for at, part in enumerate(parts)]
        clues += _noise(random, records, (2, 9, 60, records // 4))
        hidden = random.random(records) < share
        (derived,) = _search(clues, truth, hidden).derivations
        assert derived.of == tuple(f"part {at}" for at in range(members)) and derived.by == "set"
        assert derived.right >= 0.9 * derived.named
        told = derived.transcript
        assert told is not None and told.right >= 0.95 * told.tried
        assert all(hidden[row - 1] for row in told.rows)


def test_what_is_determined_in_some_groups_only() -> None:
    random = np.random.default_rng(5)
    one, two = random.integers(0, 8, 8_000), random.integers(0, 8, 8_000)
    loose = random.random(64) < 0.5
    cells = one * 8 + two
    truth = np.where(loose[cells], random.integers(0, 6, 8_000), random.integers(0, 6, 64)[cells])
    hidden = random.random(8_000) < 0.1
    clues = [Clue("one", one), Clue("two", two), *_noise(random, 8_000, (3, 40))]
    (derived,) = _search(clues, truth, hidden).derivations
    firm = int((hidden & ~loose[cells]).sum())
    assert derived.of == ("one", "two") and 0.8 * firm <= derived.right <= firm + 0.1 * hidden.sum()


def test_weights_of_strata_that_share_a_weight() -> None:
    """The weight is that of region and sex; several strata have the same. With the sex it gives the region."""
    random = np.random.default_rng(6)
    region, sex = random.integers(0, 10, 5_000), random.integers(0, 2, 5_000)
    weight = random.permutation(np.repeat(np.arange(10), 2)).reshape(10, 2)[region, sex]
    hidden = random.random(5_000) < 0.04
    clues = [Clue("weight", weight), Clue("sex", sex), *_noise(random, 5_000, (5, 90))]
    assert [one.of for one in _search(clues, region, hidden).derivations] == [("weight", "sex")]


@pytest.mark.slow
def test_eight_independent_attributes_tell_nothing() -> None:
    """2 to 300 values, 20,000 records: with errors of 10 % allowed, near-keys among them look like 99 dependencies."""
    random = np.random.default_rng(7)
    clues = _noise(random, 20_000, (2, 3, 5, 12, 40, 90, 180, 300))
    for at, target in enumerate(clues):
        for share in (0.002, 0.1, 0.6):
            hidden = random.random(20_000) < share
            search = _search(clues[:at] + clues[at + 1 :], target.groups, hidden)
            assert search.derivations == () and search.sets > 50


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_correlated_attributes_do_not_determine(seed: int) -> None:
    random = np.random.default_rng(seed)
    records = int(random.choice([60, 400, 3_000]))
    base = random.integers(0, 6, records)
    copies = [np.where(random.random(records) < 0.7, base, random.integers(0, 6, records)) for _ in range(3)]
    clues = [Clue(f"copy {at}", _numbered(copy)) for at, copy in enumerate(copies)]
    clues += _noise(random, records, (2, 30, records // 3))
    truth = np.where(random.random(records) < 0.6, base, random.integers(0, 6, records))
    hidden = random.random(records) < random.choice([0.02, 0.2, 0.7])
    recoded = Target(
        "recoded", _numbered(truth), np.ones(records, bool), np.zeros(records, bool), _numbered(truth) // 3
    )
    assert set_derivations(clues, [Target("secret", _numbered(truth), hidden, ~hidden), recoded]).derivations == ()


def test_a_value_that_is_hidden_everywhere_is_told_by_public_knowledge() -> None:
    """Each region that is rare is suppressed in all its records: no example is left in the release."""
    random = np.random.default_rng(8)
    region = np.minimum(random.geometric(0.35, 6_000) - 1, 8)
    one = random.integers(0, 9, 6_000)
    hidden = region >= 5
    clues = [Clue("one", one), Clue("two", (region - one) % 9), *_noise(random, 6_000, (3, 40))]
    (derived,) = _search(clues, region, hidden).derivations
    assert derived.public and derived.of == ("one", "two") and derived.named == derived.right >= 0.98 * hidden.sum()


def test_recoded_cells_are_told_by_sets_too() -> None:
    random = np.random.default_rng(9)
    area, one = random.integers(0, 12, 4_000), random.integers(0, 12, 4_000)
    whole = np.ones(4_000, bool)
    clues = [Clue("one", one), Clue("two", (area + one) % 12), *_noise(random, 4_000, (3, 40))]
    (derived,) = set_derivations(clues, [Target("area", area, whole, ~whole, area // 4)]).derivations
    assert derived.of == ("one", "two") and not derived.suppressed and derived.right == 4_000


def test_supersets_of_what_is_known_are_left_out() -> None:
    random = np.random.default_rng(10)
    region, sex = random.integers(0, 6, 3_000), random.integers(0, 2, 3_000)
    hidden = random.random(3_000) < 0.1
    clues = [Clue("code", 5 - region), Clue("sex", sex), *_noise(random, 3_000, (4, 7))]
    target = Target("region", region, hidden, ~hidden)
    known = [(frozenset({"code"}), "region", True)]
    assert set_derivations(clues, [target], known=known).derivations == ()
    assert set_derivations(clues, [target]).derivations == (), "nor without: a smaller set tells as much"


def test_wide_files_are_bounded_and_say_so() -> None:
    random = np.random.default_rng(11)
    one, two = random.integers(0, 6, 2_000), random.integers(0, 6, 2_000)
    clues = [Clue("one", one), Clue("two", two)]
    clues += [Clue(f"noise {at}", random.integers(0, 6, 2_000)) for at in range(200)]
    hidden = random.random(2_000) < 0.1
    search = _search(clues, np.where(two == 0, one, one * 7 % 6 + two), hidden)
    assert search.sets <= 10_000 and f"among {ATTRIBUTES} of 202 attributes" in search.notes[0]


def test_the_words_count_what_a_loop_counts() -> None:
    """The screen, which packs records into bits, against plain counting; all records fit into its words."""
    random = np.random.default_rng(12)
    records = 240
    clues = [Clue(str(size), _numbered(random.integers(0, size, records))) for size in (9, 11, 14)]
    truth = clues[0].groups * 2 % 5 ^ clues[1].groups % 2
    hidden = np.arange(records) % 3 == 0
    lesson = lessons_of(Target("secret", _numbered(truth), hidden, ~hidden), None)[0]
    promising = promising_sets(clues, lambda clue, _: ClueIndex.of(clue.groups), lesson, 2)
    by_hand = Counter()
    rows = list(zip(*(clue.groups.tolist() for clue in clues), strict=True))
    for probe in lesson.secret[np.arange(80) * len(lesson.secret) // 80 if len(lesson.secret) > 96 else slice(None)]:
        for pair in ((0, 1), (0, 2), (1, 2)):
            like = [r for r in lesson.rows if all(rows[r][place] == rows[probe][place] for place in pair)]
            same = sum(lesson.target.truth[r] == lesson.target.truth[probe] for r in like)
            by_hand[pair] += bool(like) and same >= 9 * (len(like) - same)
    assert [one.places for one in promising] == [(0, 1)]
    assert 0 < promising[0].new <= by_hand[0, 1]
