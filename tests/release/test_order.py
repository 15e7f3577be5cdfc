"""Random order: every order as probable as any other, and the same again from the same seed."""

from __future__ import annotations

from collections import Counter

from tacita.release.records.tuples import CLUSTERS, ORDER, WEIGHTS, fresh_seed, generator, random_order


def test_all_orders_of_three_are_as_probable() -> None:
    drawn = Counter(tuple(random_order(3, seed).tolist()) for seed in range(3000))
    assert len(drawn) == 6
    # 500 expected, a standard deviation of 20
    assert all(abs(count - 500) < 5 * 20.4 for count in drawn.values())


def test_a_seed_gives_the_same_order_again() -> None:
    assert random_order(100, 7).tolist() == random_order(100, 7).tolist() != random_order(100, 8).tolist()


def test_uses_of_randomness_are_independent() -> None:
    drawn = {tuple(generator(1, use).integers(0, 1 << 60, 4).tolist()) for use in (ORDER, CLUSTERS, WEIGHTS)}
    assert len(drawn) == 3


def test_seeds_cannot_be_guessed() -> None:
    assert len({fresh_seed() for _ in range(20)}) == 20
    assert max(fresh_seed() for _ in range(50)) > 1 << 120
