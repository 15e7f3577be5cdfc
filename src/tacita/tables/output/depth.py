"""How deep a code stands in its hierarchy, for those who indent it."""

from __future__ import annotations

from tacita.model.table import Dimension


def depths(dimension: Dimension) -> dict[str, int]:
    """Return how many codes stand above each code, along the first hierarchy that names it.

    >>> depths(Dimension.tree("size", {"Total": {"small": ["1-9", "10-49"], "large": []}}))
    {'Total': 0, 'small': 1, '1-9': 2, '10-49': 2, 'large': 1}
    """
    above: dict[str, str] = {}
    for sum_ in dimension.sums:
        for part in sum_.parts:
            above.setdefault(part, sum_.total)

    def depth(code: str) -> int:
        steps = 0
        while code in above:
            code = above[code]
            steps += 1
        return steps

    return {code: depth(code) for code in dimension.codes}
