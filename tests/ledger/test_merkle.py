"""The tree of RFC 6962: figures of other implementations, a naive twin, and proofs that hold for nothing else."""

from __future__ import annotations

import hashlib
import secrets
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.ledger.merkle import (
    TILE,
    MerkleTree,
    folded,
    is_consistent,
    leaf_hash,
    node_hash,
    root_of_inclusion,
)

LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""The tree of the tests of Certificate Transparency (merkletree/merkle_tree_test.go)."""
HASHES = [hashlib.sha256(str(number).encode()).digest() for number in range(70_000)]


class Source:
    """Leaves in a list, and the nodes that were kept."""

    def __init__(self, hashes: list[bytes]) -> None:
        self._hashes = hashes
        self.kept: dict[tuple[int, int], bytes] = {}

    def hashes(self, after: int, upto: int) -> list[bytes]:
        return self._hashes[after:upto]

    def nodes(self, level: int, first: int, last: int) -> list[bytes]:
        row = []
        for at in range(first, last):
            if (level, at) not in self.kept:
                break
            row.append(self.kept[level, at])
        return row

    def keep(self, size: int) -> None:
        kept = sum(level == TILE for level, _ in self.kept)
        self.kept.update({(level, at): node for level, at, node in MerkleTree(self, size).tiles(kept)})


def naive(hashes: list[bytes]) -> bytes:
    """The definition of RFC 6962, section 2.1."""
    if len(hashes) == 1:
        return leaf_hash(hashes[0])
    k = 1
    while k * 2 < len(hashes):
        k *= 2
    return node_hash(naive(hashes[:k]), naive(hashes[k:]))


@pytest.mark.parametrize("size", range(1, 9))
def test_roots_are_those_of_certificate_transparency(size: int) -> None:
    leaves = [bytes.fromhex(leaf) for leaf in LEAVES[:size]]
    assert folded([leaf_hash(leaf) for leaf in leaves]).hex() == ROOTS[size - 1]
    assert MerkleTree(Source(leaves), size).root.hex() == ROOTS[size - 1]


@cache
def naive_root(size: int) -> bytes:
    return naive(HASHES[:size])


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 3, 255, 256, 257, 511, 513, 1000, 4096, 65_535, 65_536, 65_537, 66_000, 70_000])
@pytest.mark.parametrize("keep", [0, 300, 65_536, 70_000])
def test_kept_nodes_change_nothing(size: int, keep: int) -> None:
    source = Source(HASHES)
    source.keep(min(keep, 700))
    source.keep(keep)
    tree = MerkleTree(source, size)
    root = naive_root(size)
    assert tree.root == root
    for index in {0, size // 2, size - 1}:
        assert root_of_inclusion(HASHES[index], index, size, tree.inclusion(index)) == root
    for before in {1, size // 3 + 1, size}:
        assert is_consistent((before, naive_root(before)), (size, root), tree.consistency(before))


def test_all_levels_of_nodes_are_kept() -> None:
    source = Source(HASHES)
    for size in (100, 256, 600, 65_000, 65_536, 70_000):
        source.keep(size)
    assert {level for level, _ in source.kept} == {8, 16}
    assert sum(level == 8 for level, _ in source.kept) == 70_000 // 256
    for (level, at), node in source.kept.items():
        if at % 50 == 0:
            assert node == naive(HASHES[at << level : (at + 1) << level])


@pytest.mark.slow
@given(st.integers(1, 70).flatmap(lambda size: st.tuples(st.just(size), st.integers(1, size))))
def test_proofs_hold_for_what_they_prove_and_nothing_else(sizes: tuple[int, int]) -> None:
    size, part = sizes
    source = Source(HASHES)
    tree, root = MerkleTree(source, size), naive(HASHES[:size])
    for index in range(size):
        path = tree.inclusion(index)
        assert root_of_inclusion(HASHES[index], index, size, path) == root
        assert root_of_inclusion(HASHES[index + 1], index, size, path) != root
        assert root_of_inclusion(HASHES[index], index, size, [*path, secrets.token_bytes(32)]) != root
        if path:
            assert root_of_inclusion(HASHES[index], index, size, path[:-1]) != root
            assert root_of_inclusion(HASHES[index], index ^ 1, size, path) != root
    old, proof = naive(HASHES[:part]), tree.consistency(part)
    assert is_consistent((part, old), (size, root), proof)
    assert not is_consistent((part, bytes(32)), (size, root), proof)
    assert not is_consistent((part, old), (size, bytes(32)), proof)
    assert not is_consistent((part, old), (size, root), [*proof, bytes(32)])
    if proof:
        assert not is_consistent((part, old), (size, root), proof[:-1])
        assert not is_consistent((part, old), (size, root), [bytes(32), *proof[1:]])


def test_proofs_of_nothing_are_not_proofs() -> None:
    assert root_of_inclusion(HASHES[0], 0, 0, []) is None
    assert root_of_inclusion(HASHES[0], 5, 3, []) is None
    assert root_of_inclusion(HASHES[0], -1, 3, []) is None
    assert not is_consistent((0, bytes(32)), (4, bytes(32)), [])
    assert not is_consistent((5, bytes(32)), (4, bytes(32)), [])
