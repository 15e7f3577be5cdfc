"""The shapes of an ownership graph, each as arrays of owner, owned and share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Holdings(NamedTuple):
    """Shares between the members of a community, which are numbers from 0 up."""

    owner: NDArray[np.int64]
    owned: NDArray[np.int64]
    share: NDArray[np.float64]


def chains(members: NDArray[np.int64], random: np.random.Generator) -> Holdings:
    """Majority chains: each company holds the next; five links on average."""
    linked = np.flatnonzero(random.random(max(0, len(members) - 1)) > 1 / 6)
    return Holdings(members[linked], members[linked + 1], random.uniform(0.51, 0.95, len(linked)))


def stars(members: NDArray[np.int64], random: np.random.Generator) -> Holdings:
    """Stars: a holding company with a majority in each of its companies, one in five wholly owned."""
    centre = random.random(len(members)) < 1 / 6
    centre[:1] = True
    hub = np.maximum.accumulate(np.where(centre, np.arange(len(members)), 0))
    points = np.flatnonzero(~centre)
    share = random.uniform(0.51, 0.95, len(points))
    share[random.random(len(points)) < 0.2] = 1.0
    return Holdings(members[hub[points]], members[points], share)


def joint_control(members: NDArray[np.int64], random: np.random.Generator) -> Holdings:
    """Joint control: x holds a and b, and a and b together, but neither alone, hold the majority of y."""
    x, a, b, y = members[: len(members) // 4 * 4].reshape(-1, 4).T
    majority = random.uniform(0.51, 0.95, (2, len(x)))
    minority = random.uniform(0.26, 0.45, (2, len(x)))
    return Holdings(np.concatenate([x, x, a, b]), np.concatenate([a, b, y, y]), np.concatenate([*majority, *minority]))


def cross_holdings(members: NDArray[np.int64], random: np.random.Generator) -> Holdings:
    """Cross-holdings: two companies hold a minority, sometimes the majority, of each other."""
    a, b = members[: len(members) // 2 * 2].reshape(-1, 2).T
    return Holdings(np.concatenate([a, b]), np.concatenate([b, a]), random.uniform(0.05, 0.6, 2 * len(a)))


def rings(members: NDArray[np.int64], random: np.random.Generator) -> Holdings:
    """Rings of three to eight companies, by majorities or by minorities."""
    owners, owned, shares = [], [], []
    for length, part in zip(range(3, 9), np.array_split(members, 6), strict=True):
        ring = part[: len(part) // length * length].reshape(-1, length)
        low = np.where(random.random(len(ring)) < 0.5, 0.51, 0.1)[:, None]
        owners.append(ring.ravel())
        owned.append(np.roll(ring, -1, axis=1).ravel())
        shares.append((low + 0.39 * random.random(ring.shape)).ravel())
    return Holdings(np.concatenate(owners), np.concatenate(owned), np.concatenate(shares))


_SHAPES: tuple[tuple[float, Callable[[NDArray[np.int64], np.random.Generator], Holdings]], ...] = (
    (0.30, chains),
    (0.30, stars),
    (0.20, joint_control),
    (0.08, cross_holdings),
    (0.12, rings),
)
"""Each shape and its share of the firms that take part in one."""


def community(firms: int, edges: int, random: np.random.Generator) -> Holdings:
    """Return exactly so many holdings between the members of one community.

    At most four edges in ten belong to a shape, in which a company takes part once; the others are minority
    holdings, which a few large owners collect.
    """
    taking_part = min(int(0.4 * edges), int(0.7 * firms))
    order = random.permutation(firms)
    ends = np.rint(np.cumsum([share for share, _ in _SHAPES]) * taking_part).astype(int)
    parts = np.split(order[: ends[-1]], ends[:-1])
    holdings = _joined(*(shape(part, random) for (_, shape), part in zip(_SHAPES, parts, strict=True)))
    holdings = holdings._replace(share=np.round(holdings.share, 4))
    holdings = _joined(holdings, _minorities(firms, edges - len(holdings.owner), holdings, random))
    shuffled = random.permutation(len(holdings.owner))
    return Holdings(holdings.owner[shuffled], holdings.owned[shuffled], holdings.share[shuffled])


def _joined(*parts: Holdings) -> Holdings:
    return Holdings(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _minorities(firms: int, edges: int, holdings: Holdings, random: np.random.Generator) -> Holdings:
    """Return so many new pairs with shares that fit into what is left of each company."""
    left = 1.0 - np.bincount(holdings.owned, weights=holdings.share, minlength=firms)
    for_sale = np.flatnonzero(left > 0.02)
    pairs = np.empty(0, dtype=np.int64)
    taken = holdings.owner * firms + holdings.owned
    by_appetite = random.permutation(firms)
    while len(pairs) < edges:
        missing = edges - len(pairs)
        owner = by_appetite[(firms * random.random(missing + 16) ** 2).astype(np.int64)]
        owned = for_sale[random.integers(len(for_sale), size=missing + 16)]
        new = (owner * firms + owned)[owner != owned]
        pairs = np.unique(np.concatenate([pairs, new[~np.isin(new, taken)]]))
    pairs = random.permutation(pairs)[:edges]
    owner, owned = np.divmod(pairs, firms)
    size = random.uniform(0.2, 1.0, edges)
    total = np.bincount(owned, weights=size, minlength=firms)
    spent = left * random.uniform(0.1, 0.95, firms)
    share = size / total[owned] * spent[owned]
    return Holdings(owner, owned, np.maximum(np.floor(share * 1e6), 1.0) / 1e6)
