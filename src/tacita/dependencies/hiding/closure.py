"""What follows from free attributes in several steps: the closure under dependencies, and what it was reached by.

Hiding one attribute of each set that determines a secret is not enough: a hidden attribute may follow from free ones,
and then help to determine the secret. The closure of the free attributes under all dependencies by which values can be
learnt contains everything that such a chain reaches in any record.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tacita.dependencies.dependency import Dependency


def closure(free: Iterable[str], dependencies: Sequence[Dependency]) -> dict[str, Dependency]:
    """Return every attribute that follows from the free ones, with the dependency that reaches it first.

    >>> chain = [Dependency(("X",), "Z", 2), Dependency(("B", "Z"), "A", 2)]
    >>> list(closure(["X", "B"], chain))
    ['Z', 'A']
    """
    return _ChainSearch(dependencies).reached(free)


def chain_to(attribute: str, reached: dict[str, Dependency]) -> tuple[Dependency, ...]:
    """Return the dependencies that lead from free attributes to an attribute, in the order in which they are used."""
    chain: list[Dependency] = []

    def add(name: str) -> None:
        one = reached.get(name)
        if one is None or one in chain:
            return
        for left in one.needs:
            add(left)
        chain.append(one)

    add(attribute)
    return tuple(chain)


def used_by(chain: Collection[Dependency]) -> frozenset[str]:
    """Return the free attributes that a chain begins with: hiding one of them breaks it.

    >>> sorted(used_by([Dependency(("X",), "Z", 2), Dependency(("B", "Z"), "A", 2)]))
    ['B', 'X']
    """
    reached = {one.right for one in chain}
    return frozenset(name for one in chain for name in one.needs if name not in reached)


def chains_apart(
    free: Collection[str], secrets: Collection[str], dependencies: Sequence[Dependency]
) -> list[tuple[Dependency, ...]]:
    """Return chains from free attributes to secrets that begin with different attributes; none if nothing is reached.

    Each begins with so few attributes that it fails without any of them: to break it, one of them has to be hidden.

    >>> one, other = Dependency(("X", "Y"), "A", 2), Dependency(("Z",), "A", 2)
    >>> [sorted(used_by(chain)) for chain in chains_apart("XYZ", "A", [one, other])]
    [['X', 'Y'], ['Z']]
    """
    search = _ChainSearch(dependencies)
    chains: list[tuple[Dependency, ...]] = []
    rest = list(free)
    while chain := search.shortest(rest, secrets):
        chains.append(chain)
        begin = used_by(chain)
        if not begin:
            break
        rest = [name for name in rest if name not in begin]
    return chains


class _ChainSearch:
    """Closures under the same dependencies, again and again: attributes are bits of a number."""

    def __init__(self, dependencies: Sequence[Dependency]) -> None:
        names = sorted({name for one in dependencies for name in (*one.needs, one.right)})
        self._bit = {name: 1 << place for place, name in enumerate(names)}
        self._needed = [(self._bits(one.needs), self._bit[one.right], one) for one in dependencies]

    def shortest(self, free: Collection[str], secrets: Collection[str]) -> tuple[Dependency, ...]:
        """Return the chain to a secret, of one chain for each, that begins with the fewest attributes."""
        reached = self.reached(free)
        chains = [self._shortened(chain_to(name, reached)) for name in secrets if name in reached]
        return min(chains, key=lambda chain: len(used_by(chain)), default=())

    def _shortened(self, chain: tuple[Dependency, ...]) -> tuple[Dependency, ...]:
        """Return a chain to the same attribute that begins with fewer attributes, and fails without any of them."""
        secret, begin = chain[-1].right, used_by(chain)
        for name in sorted(begin):
            reached = self.reached(begin - {name})
            if secret in reached:
                chain = chain_to(secret, reached)
                begin = used_by(chain)
        return chain

    def reached(self, free: Iterable[str]) -> dict[str, Dependency]:
        """Return every attribute that follows from the free ones, with the dependency that reaches it first."""
        known = self._bits(name for name in free if name in self._bit)
        reached: dict[str, Dependency] = {}
        waiting = self._needed
        while True:
            before = len(reached)
            later = []
            for entry in waiting:
                needs, right, one = entry
                if right & known:
                    continue
                if needs & ~known:
                    later.append(entry)
                else:
                    known |= right
                    reached[one.right] = one
            if len(reached) == before:
                return reached
            waiting = later

    def _bits(self, names: Iterable[str]) -> int:
        return sum(self._bit[name] for name in set(names))
