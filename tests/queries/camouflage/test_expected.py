"""Vectors that are tuned for groups of cells: narrow sums of groups, and no pair that anybody can ask about alone."""

from __future__ import annotations

import itertools
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from tacita.attacks.queries.hidden_vectors import insiders, outsiders, share_within
from tacita.errors import InputError
from tacita.queries.camouflage.vectors import VectorBatch, mirrored_pairs, vectors_of
from tacita.queries.cube.cube import Cube, CubeAttribute
from tacita.queries.policy.policy import FilterAttribute, QueryMeasure, QueryPolicy
from tacita.queries.policy.policy_file import parse_query_policy

WIDTH, VECTORS = Fraction(1, 5), 6


def grouped_cube(draw: np.random.Generator, records: int, groups: int, parts: int) -> Cube:
    """Return a cube of cells by group and part, some of them of one record."""
    codes = np.stack([draw.integers(0, groups, records), np.minimum(draw.geometric(2 / parts, records), parts) - 1])
    order = np.lexsort(codes[::-1])
    codes = codes[:, order]
    is_first = np.r_[True, (np.diff(codes, axis=1) != 0).any(axis=0)]
    starts = np.r_[np.flatnonzero(is_first), records]
    values = np.rint(np.exp(draw.normal(9, 0.7, records))).astype(np.int64)
    policy = QueryPolicy(
        "b", (FilterAttribute("group"), FilterAttribute("part")), (QueryMeasure("x", Decimal(0), Decimal(10**6)),)
    )
    attributes = tuple(
        CubeAttribute(name, tuple(map(str, range(size)))) for name, size in (("group", groups), ("part", parts))
    )
    by_cell = {one.name: row[starts[:-1]].astype(np.int32) for one, row in zip(attributes, codes, strict=True)}
    return Cube(policy, attributes, by_cell, np.diff(starts), starts, {"x": values})


@pytest.mark.parametrize("seed", range(20))
def test_whoever_asks_about_a_pair_asks_about_as_many_records_as_there_are_vectors(seed: int) -> None:
    draw = np.random.default_rng(seed)
    cube = grouped_cube(draw, int(draw.integers(8, 40)), 3, 6)
    cell_of = np.repeat(np.arange(len(cube)), cube.n)
    group_of = cube.codes["group"][cell_of].astype(np.int64)
    batch = VectorBatch("", np.arange(len(cell_of)), cell_of)
    pairs = mirrored_pairs(replace(batch, group_of=group_of), cube.values["x"], VECTORS)
    assert len(np.unique(pairs)) == pairs.size
    assert (cube.codes["group"][cell_of[pairs[:, 0]]] == cube.codes["group"][cell_of[pairs[:, 1]]]).all()
    # Any question is about a union of cells: no union of fewer records than vectors holds both records of a pair.
    for size in range(1, VECTORS):
        for cells in itertools.combinations(range(len(cube)), size):
            if cube.n[list(cells)].sum() < VECTORS:
                assert not np.isin(cell_of[pairs], cells).all(axis=1).any()
    own = mirrored_pairs(batch, cube.values["x"], VECTORS)
    assert {tuple(pair) for pair in own.tolist()} <= {tuple(pair) for pair in pairs.tolist()}


def test_sums_of_expected_groups_are_narrower() -> None:
    cube = grouped_cube(np.random.default_rng(1), 3_000, 10, 100)
    true, cell_of = cube.values["x"], np.repeat(np.arange(len(cube)), cube.n)
    assert np.median(cube.n) < VECTORS
    medians = []
    for expected in ((), ("group",)):
        widths = []
        for seed in range(3):
            secret = bytes([seed]) * 32
            vectors = vectors_of(cube, secret, VECTORS, WIDTH, tuned=True, expected=expected)
            for group in range(10):
                places = np.flatnonzero(cube.codes["group"][cell_of] == group)
                sums = vectors.sums("x", places)
                widths.append(float((max(sums) - min(sums)) / int(true[places].sum())))
        medians.append(float(np.median(widths)))
    assert medians[1] < medians[0] / 1.5, medians


def test_attackers_of_records_alone_in_their_cells_do_not_gain() -> None:
    gains: dict[str, list[float]] = {"outsiders": [], "insiders": []}
    for seed in range(12):
        cube = grouped_cube(np.random.default_rng(seed), 600, 10, 100)
        true, alone = cube.values["x"], np.flatnonzero(np.repeat(cube.n, cube.n) == 1)
        secret = bytes([seed]) * 32
        shares = []
        for expected in ((), ("group",)):
            vectors = vectors_of(cube, secret, VECTORS, WIDTH, tuned=True, expected=expected)
            hidden, values = vectors.numbers("x", alone), true[alone].astype(float)
            estimates = insiders(hidden, np.arange(3), values[:3])
            shares.append((share_within(outsiders(hidden), values), share_within(estimates[3:], values[3:])))
        for at, name in enumerate(gains):
            gains[name].append(shares[1][at] - shares[0][at])
    # Patterns are drawn in another order, so that single runs differ.
    assert all(np.mean(gain) < 3 * np.std(gain) / len(gain) ** 0.5 for gain in gains.values()), gains


def test_wrong_expectations_are_faults() -> None:
    policy = """
name = "b"
answers = "camouflage"
[[filter]]
attribute = "region"
[[filter]]
attribute = "sex"
[[measure]]
attribute = "x"
lower = 0
upper = 9
[rules]
counts_are_confidential = false
[camouflage]
"""
    read = parse_query_policy(policy + 'expected = ["region"]\n')
    assert read.options["expected"] == ("region",)
    for wrong, sentence in (
        ('expected = ["regoin"]', "did you mean 'region'"),
        ('expected = ["region"]\ntuned = false', "has no effect"),
        ('expected = ["sex", "region"]', "names all attributes"),
    ):
        with pytest.raises(InputError, match=sentence):
            parse_query_policy(policy + wrong + "\n")
