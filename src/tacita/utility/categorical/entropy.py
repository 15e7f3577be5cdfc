"""Entropy: how much is left unknown of a category by who sees the released one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.model.records import Records
from tacita.utility.classes import classes
from tacita.utility.columns import categorical, check_pairs
from tacita.utility.loss import Lost


@dataclass(frozen=True, slots=True)
class Entropy:
    """The conditional entropy of a category given the released one, in shares of its own entropy and in bits.

    ``H(V | V') = - sum p(v') sum p(v | v') log2 p(v | v')`` with the frequencies of pairs of cells: the mean over
    records of the entropy that is taken for PRAM (Kooiman, Willenborg and Gouweleeuw, "PRAM: a method for disclosure
    limitation of microdata", 1997; EBIL of Domingo-Ferrer and Torra 2001 is ``total``, the sum over records). ``loss``
    is H(V | V') / H(V), from 0 to 1; 0 for an attribute of a single value. Missing is a category.

    Limits: renaming categories one to one loses nothing here. With few records per category the frequencies of pairs
    are near 0 or 1 by chance, and the loss looks too small.

    >>> from tacita.model.records import Categories
    >>> before = Records({"area": Categories.of(["n", "s", "n", "s"])})
    >>> after = Records({"area": Categories.of(["any", "any", "any", "any"])})
    >>> Entropy().lost(before, after, ["area"]).figure
    1.0
    """

    name: ClassVar[str] = "entropy"
    needs_pairs: ClassVar[bool] = True

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return the mean loss and bits over attributes, and those of each."""
        check_pairs(before, after, self.name)
        fitting = categorical(before, after, attributes)
        single: dict[str, dict[str, float]] = {}
        for name in fitting.names if len(before) else ():
            shared = classes(before, after, name, 2 * len(before))
            own = entropy(np.bincount(shared.before))
            joint = np.unique(shared.before * shared.number + shared.after, return_counts=True)[1]
            # H(V | V') = H(V, V') - H(V'); rounding must not make it negative
            bits = max(entropy(joint) - entropy(np.bincount(shared.after)), 0.0)
            bits = 0.0 if bits < 1e-12 else bits
            single[name] = {"loss": min(bits / own, 1.0) if own else 0.0, "bits": bits, "total": bits * len(before)}
        figures = {
            key: float(np.mean([row[key] for row in single.values()])) if single else np.nan for key in ("loss", "bits")
        }
        total = sum(row["total"] for row in single.values()) if single else np.nan
        return Lost(self.name, {**figures, "total": total}, single, fitting.notes)


def entropy(counts: NDArray[np.int64]) -> float:
    """Return the entropy of frequencies, in bits.

    >>> entropy(np.array([2, 1, 1, 0]))
    1.5
    """
    filled = counts[counts > 0]
    shares = filled / filled.sum()
    return float(-(shares * np.log2(shares)).sum()) if len(filled) else 0.0
