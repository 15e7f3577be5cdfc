"""``A ~ B``: pairs of texts that are alike, found outside the engine by whatever similarity the program chose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa
from sqlglot import exp

from tacita.rules.logic.binding import Match, Test
from tacita.rules.logic.terms import Similar, Term, variables
from tacita.rules.reasoner.bodies import Body
from tacita.rules.reasoner.cells import Cell, both
from tacita.rules.reasoner.sql import found_in, named

if TYPE_CHECKING:
    from tacita.engines.protocol import Engine
    from tacita.rules.reasoner.derivations import Derivation


class Similarity(Protocol):
    """Says which texts are alike."""

    def pairs(self, left: Sequence[str], right: Sequence[str]) -> Iterable[tuple[str, str]]:
        """Return the pairs that are alike."""


class JaroWinkler:
    """Alike by the names' own letters: the Jaro-Winkler similarity, at least the threshold, whatever the case."""

    def __init__(self, threshold: float = 0.9) -> None:
        self.threshold = threshold

    def pairs(self, left: Sequence[str], right: Sequence[str]) -> Iterable[tuple[str, str]]:
        """Return the pairs that are alike."""
        import numpy as np
        from rapidfuzz import process
        from rapidfuzz.distance import JaroWinkler as Measure

        if not left or not right:
            return
        for start in range(0, len(left), 1000):  # a thousand at a time: the matrix of all pairs can be large
            some = left[start : start + 1000]
            scores = process.cdist(
                [text.casefold() for text in some],
                [text.casefold() for text in right],
                scorer=Measure.similarity,
                score_cutoff=self.threshold,
                dtype=np.float64,
            )
            for i, j in zip(*np.nonzero(scores >= self.threshold), strict=True):
                yield some[i], right[j]


class SimilarPairs:
    """The table of alike texts, which grows as the rules bring new ones to compare."""

    def __init__(self, engine: Engine, similarity: Similarity) -> None:
        self._engine = engine
        self._similarity = similarity
        self._table = engine.new_table()
        self._left: dict[str, None] = {}
        self._right: dict[str, None] = {}
        self._numbers = count()
        self._exists = False
        self._add([])

    def condition(self, a: Cell, b: Cell) -> exp.Expr:
        """Return the condition that two texts are alike."""
        alias = f"z{next(self._numbers)}"
        same = both(
            exp.EQ(this=exp.column("c0", table=alias), expression=a.value.copy()),
            exp.EQ(this=exp.column("c1", table=alias), expression=b.value.copy()),
        )
        found = found_in(named(self._table, alias))
        return exp.Exists(this=found.where(same))

    def prepare(self, derivation: Derivation) -> None:
        """Compare the texts that a rule may ask about and that were not compared yet."""
        for step in derivation.schedule.before:
            if isinstance(step, Test) and isinstance(step.condition, Similar):
                left = self._texts(derivation, step.condition.left)
                right = self._texts(derivation, step.condition.right)
                new_left = [text for text in left if text not in self._left]
                new_right = [text for text in right if text not in self._right]
                found = [*self._similarity.pairs(new_left, [*self._right, *new_right])]
                found += self._similarity.pairs(list(self._left), new_right)
                self._left.update(dict.fromkeys(new_left))
                self._right.update(dict.fromkeys(new_right))
                self._add(found)

    def _texts(self, derivation: Derivation, term: Term) -> list[str]:
        """Return the values of a term over the atoms that bind its variables."""
        names = {v.name for v in variables(term)}
        steps = [
            step
            for step in derivation.schedule.before
            if isinstance(step, Match) and names & {v.name for v in variables(step.atom)}
        ]
        if not steps:
            return []
        body = Body.of(self._engine, derivation.layouts, steps)
        cell = body.terms.cell(term)
        plan = body.select(exp.alias_(body.terms.text(cell), "t")).distinct()
        return sorted(row["t"] for row in self._engine.run(plan) if row["t"] is not None)

    def _add(self, pairs: Sequence[tuple[str, str]]) -> None:
        if self._exists and not pairs:
            return
        batch = pa.RecordBatch.from_arrays(
            [pa.array([a for a, _ in pairs], pa.string()), pa.array([b for _, b in pairs], pa.string())],
            names=["c0", "c1"],
        )
        new = self._engine.adopt([batch], batch.schema)
        plan = exp.select("c0", "c1").from_(new.source())
        if self._exists:
            self._engine.append(self._table, plan)
        else:
            self._engine.replace(self._table, plan)
            self._exists = True
        self._engine.drop(new)


SimilarityFactory = Callable[[float], Similarity]
SIMILARITIES: dict[str, SimilarityFactory] = {"jaro_winkler": JaroWinkler}
"""What ``@similarity(method = ..., threshold = ...)`` may name."""
