"""The Merkle tree over the entries (RFC 6962, section 2.1), with SHA-256: one hash for a state, short proofs about it.

A leaf is the hash of an entry. The root of a state is in its checkpoint. An inclusion proof shows that an entry is in
that state without showing others; a consistency proof shows that a state begins with an earlier one.

Nodes of full subtrees of 256, 65,536, ... leaves are kept in the database, so that a root takes a few hundred hashes
whatever the size. They are a cache: verification computes the tree from the entries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from tacita.ledger.stores.store import Node

TILE = 8
"""Levels between nodes that are kept."""
_BLOCK = 1 << TILE
EMPTY_ROOT = hashlib.sha256().digest()


class TreeSource(Protocol):
    """Where leaves and kept nodes come from: a store."""

    def hashes(self, after: int, upto: int) -> list[bytes]:
        """Return the hashes of some entries, by sequence."""

    def nodes(self, level: int, first: int, last: int) -> list[bytes]:
        """Return kept nodes of a level, from one index to before another, as far as they are there."""


def leaf_hash(entry_hash: bytes) -> bytes:
    """Return the hash of a leaf."""
    return hashlib.sha256(b"\x00" + entry_hash).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node with two children."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def folded(nodes: Sequence[bytes]) -> bytes:
    """Return the root over nodes of one level; the last one may cover fewer leaves than the others.

    Neighbours are paired, and one without a neighbour goes up as it is: the tree of RFC 6962.

    >>> a, b, c = (leaf_hash(bytes([number]) * 32) for number in range(3))
    >>> folded([a, b, c]) == node_hash(node_hash(a, b), c), folded([a]) == a, folded([]) == EMPTY_ROOT
    (True, True, True)
    """
    if not nodes:
        return EMPTY_ROOT
    level = list(nodes)
    sha256 = hashlib.sha256
    while len(level) > 1:
        last = level[-1:] if len(level) % 2 else []
        level = [sha256(b"\x01" + level[at] + level[at + 1]).digest() for at in range(0, len(level) - 1, 2)] + last
    return level[0]


class MerkleTree:
    """The tree over the first entries of a ledger."""

    def __init__(self, source: TreeSource, size: int) -> None:
        self._source, self.size = source, size

    @property
    def root(self) -> bytes:
        """The hash that stands for the whole state."""
        return self._over(0, self.size) if self.size else EMPTY_ROOT

    def inclusion(self, index: int) -> list[bytes]:
        """Return the proof that leaf `index` (from 0 on) is in the tree: the siblings on the way to the root."""
        path = []
        for level in range(max(self.size - 1, 0).bit_length()):
            first = ((index >> level) ^ 1) << level
            if first < self.size:
                path.append(self._over(first, min(first + (1 << level), self.size)))
        return path

    def consistency(self, before: int) -> list[bytes]:
        """Return the proof that the tree begins with that of `before` leaves (RFC 6962, section 2.1.2)."""
        return list(self._consistency(before, 0, self.size, is_whole=True)) if 0 < before < self.size else []

    def tiles(self, kept: int) -> Iterator[Node]:
        """Yield the nodes to keep that are missing; `kept` of the lowest kept level are there."""
        new = [folded(self._row(0, at * _BLOCK, (at + 1) * _BLOCK)) for at in range(kept, self.size >> TILE)]
        level = TILE
        while new:
            yield from ((level, at, node) for at, node in enumerate(new, kept))
            above, last = kept >> TILE, (kept + len(new)) >> TILE
            row = [*self._source.nodes(level, above << TILE, kept), *new] if last > above else []
            new = [folded(row[at * _BLOCK : (at + 1) * _BLOCK]) for at in range(last - above)]
            kept, level = above, level + TILE

    def _consistency(self, before: int, first: int, last: int, *, is_whole: bool) -> Iterator[bytes]:
        if before == last - first:
            if not is_whole:
                yield self._over(first, last)
            return
        middle = 1 << (last - first - 1).bit_length() - 1
        if before <= middle:
            yield from self._consistency(before, first, first + middle, is_whole=is_whole)
            yield self._over(first + middle, last)
        else:
            yield from self._consistency(before - middle, first + middle, last, is_whole=False)
            yield self._over(first, first + middle)

    def _over(self, first: int, last: int) -> bytes:
        """Return the node over leaves that begin at a multiple of a power of two not below their number."""
        level = (last - first).bit_length() - 1
        level -= level % TILE
        return folded(self._row(level, first >> level, -(-last >> level)))

    def _row(self, level: int, first: int, last: int) -> list[bytes]:
        """Return neighbours of one level; the last one may be at the ragged edge of the tree."""
        if level == 0:
            return [leaf_hash(hash_) for hash_ in self._source.hashes(first, last)]
        row = self._source.nodes(level, first, last)[: max(self.size >> level, first) - first]
        for at in range(first + len(row), last):
            below = level - TILE
            edge = min((at + 1) << level, self.size)
            row.append(folded(self._row(below, at << TILE, -(-edge >> below))))
        return row


def root_of_inclusion(entry_hash: bytes, index: int, size: int, path: Iterable[bytes]) -> bytes | None:
    """Return the root that an inclusion proof leads to (RFC 9162, section 2.1.3.2); None if it is not a proof."""
    if not 0 <= index < size:
        return None
    at, last, root = index, size - 1, leaf_hash(entry_hash)
    for sibling in path:
        if last == 0:
            return None
        if at & 1 or at == last:
            root = node_hash(sibling, root)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            root = node_hash(root, sibling)
        at, last = at >> 1, last >> 1
    return root if last == 0 else None


def is_consistent(before: tuple[int, bytes], after: tuple[int, bytes], path: Sequence[bytes]) -> bool:
    """Return whether a proof shows that a tree begins with an earlier one (RFC 9162, 2.1.4.2): sizes and roots."""
    (small, old), (large, new) = before, after
    if not 0 < small <= large:
        return False
    if small == large:
        return not path and old == new
    proof = [old, *path] if small & (small - 1) == 0 else list(path)
    if not proof:
        return False
    at, last = small - 1, large - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    first = second = proof[0]
    for node in proof[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            first, second = node_hash(node, first), node_hash(node, second)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            second = node_hash(second, node)
        at, last = at >> 1, last >> 1
    return last == 0 and first == old and second == new
