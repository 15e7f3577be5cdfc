"""The Merkle tree computed from all entries, one after the other, to compare checkpoints and kept nodes with it."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.ledger.merkle import TILE, TreeSource, folded, leaf_hash

_BLOCK = 1 << TILE


class TreeCheck:
    """Roots at the sizes that are wanted, by size; the lowest kept level of nodes."""

    def __init__(self, wanted: set[int]) -> None:
        self._wanted = wanted
        self._leaves: list[bytes] = []
        self._blocks: list[bytes] = []
        self.roots = {0: folded(())} if 0 in wanted else {}

    def add(self, entry_hash: bytes) -> None:
        """Add the hash of the next entry."""
        leaves = self._leaves
        leaves.append(leaf_hash(entry_hash))
        if len(leaves) == _BLOCK:
            self._blocks.append(folded(leaves))
            leaves.clear()
        size = len(self._blocks) * _BLOCK + len(leaves)
        if size in self._wanted:
            self.roots[size] = folded([*self._blocks, folded(leaves)] if leaves else self._blocks)

    def wrong_nodes(self, source: TreeSource) -> Iterator[str]:
        """Yield which kept nodes are not those of the entries."""
        level, row = TILE, self._blocks
        while row:
            for at, node in enumerate(source.nodes(level, 0, len(row))):
                if node != row[at]:
                    first, last = (at << level) + 1, (at + 1) << level
                    yield f"the kept node of the tree over the entries {first} to {last} is wrong"
            row = [folded(row[at : at + _BLOCK]) for at in range(0, len(row) - _BLOCK + 1, _BLOCK)]
            level += TILE
