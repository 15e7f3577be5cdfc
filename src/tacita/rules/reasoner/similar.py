"""``A ~ B``: pairs of texts that are alike, found outside the engine by whatever similarity the program chose.

An engine cannot be asked how alike two texts are, so both sides of every ``~`` are listed and compared before a rule is
asked, and the condition looks the pair up. More pairs than needed do no harm; a pair that is left out would be false in
silence, so every place of a rule where a ``~`` can stand is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import count, product
from numbers import Real
from typing import TYPE_CHECKING, Protocol, TypeAlias

import pyarrow as pa
from sqlglot import exp

from tacita.engines.arrow import array
from tacita.errors import ReasoningError, RuleError, UsageError, did_you_mean, listed
from tacita.rules.logic.binding import Absent, Assign, Enumerate, Match, Step, Test, head_terms
from tacita.rules.logic.program import Annotation, Program
from tacita.rules.logic.terms import Aggregate, Constant, Node, Similar, Term, aggregates, children, variables, walk
from tacita.rules.logic.types import ANY, NOTHING
from tacita.rules.reasoner.plans.bodies import Body
from tacita.rules.reasoner.plans.cells import Cell, any_row_of, both, named, not_null, when
from tacita.rules.reasoner.plans.terms import CompiledTerms

if TYPE_CHECKING:
    from tacita.engines.protocol import Engine
    from tacita.rules.reasoner.plans.derivations import RuleDerivation

# -- what is alike -----------------------------------------------------------------------------------------------------


class Comparing(Protocol):
    """Says which texts are alike."""

    def pairs(self, left: Sequence[str], right: Sequence[str]) -> Iterable[tuple[str, str]]:
        """Return the pairs that are alike."""


Similarity: TypeAlias = Comparing | Callable[[str, str], float]
"""What a caller can say that ``~`` means: an object that finds the pairs, or how alike two texts are, from 0 to 1."""


THRESHOLD = 0.9
"""How alike two texts must be if nothing else is said."""


class JaroWinkler:
    """Alike by the names' own letters: the Jaro-Winkler similarity, at least the threshold, whatever the case."""

    def __init__(self, threshold: float = THRESHOLD) -> None:
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


class Callers:
    """The caller's own similarity. What it raises is not repeated: the message may hold values."""

    def __init__(self, given: Similarity, threshold: float = THRESHOLD) -> None:
        self._given, self._threshold = given, threshold

    def pairs(self, left: Sequence[str], right: Sequence[str]) -> Iterable[tuple[str, str]]:
        """Return the pairs that are alike."""
        failed, alike = "", []
        try:
            if callable(ask := getattr(self._given, "pairs", None)):
                alike = [(str(a), str(b)) for a, b in ask(left, right)]
            else:
                alike = [(a, b) for a, b in product(left, right) if self._score(a, b) >= self._threshold]
        except _NoScore as error:
            failed = str(error)
        except Exception as error:  # whatever the caller's code raises; its text may hold values
            failed = f"raised {type(error).__name__}"
        if failed:
            raise ReasoningError(f"the similarity behind ~ {failed}", do="mend it; call it alone to see why")
        return alike

    def _score(self, a: str, b: str) -> float:
        score = self._given(a, b)  # type: ignore[operator]
        if not isinstance(score, Real):
            raise _NoScore(f"gave {type(score).__name__} where a number from 0 to 1 is needed")
        number = float(score)
        if not 0 <= number <= 1:
            raise _NoScore("gave a number that is not from 0 to 1")
        return number


class _NoScore(Exception):
    """The caller's function gave something else than a number from 0 to 1."""


def usable(given: Similarity) -> Similarity:
    """Return what the caller gave if it can say what is alike, or raise."""
    if isinstance(given, type) or not (callable(getattr(given, "pairs", None)) or callable(given)):
        description = f"the class {given.__name__}" if isinstance(given, type) else f"of type {type(given).__name__}"
        raise UsageError(
            f"the similarity is {description}, which cannot compare texts",
            do="give a function of two texts that returns a number from 0 to 1, or an object with "
            "pairs(left, right) that returns the pairs that are alike",
        )
    return given


def chosen_similarity(annotation: Annotation | None, given: Similarity | None) -> Comparing:
    """Return what ``~`` means: by the caller's word, else by ``@similarity``, else Jaro-Winkler."""
    method, threshold = "jaro_winkler", THRESHOLD
    if annotation is not None:
        options = {**dict(zip(("method", "threshold"), annotation.arguments, strict=False)), **dict(annotation.named)}
        for name, term in options.items():
            value = term.value if isinstance(term, Constant) else None
            if name == "method" and isinstance(value, str):
                method = value
            elif name == "threshold" and isinstance(value, int | float) and 0 <= value <= 1:
                threshold = float(value)
            else:
                raise RuleError(
                    f"the {name} of @similarity cannot be used as it is",
                    where=str(annotation.origin),
                    do='write the values themselves: @similarity(method = "jaro_winkler", threshold = 0.9)',
                )
    if given is not None:
        return Callers(usable(given), threshold)
    if method not in SIMILARITIES:
        raise RuleError(
            f"@similarity knows no method '{method}'{did_you_mean(method, SIMILARITIES)}",
            where=str(annotation.origin) if annotation is not None else None,
            do=f"choose one of: {listed(list(SIMILARITIES))}",
        )
    return SIMILARITIES[method](threshold)


SimilarityFactory = Callable[[float], Comparing]
SIMILARITIES: dict[str, SimilarityFactory] = {"jaro_winkler": JaroWinkler}
"""What ``@similarity(method = ..., threshold = ...)`` may name."""

# -- where it is asked -------------------------------------------------------------------------------------------------


def uses_similarity(program: Program) -> bool:
    """Whether a rule of a program uses ``~``; raise if a fact does, which no rule asks."""
    for fact in program.facts:
        if _has_similar(fact.atom):
            raise RuleError("~ cannot stand in a fact", where=str(fact.origin), do="compute the value in a rule")
    return any(_has_similar(item) for rule in program.rules for item in (*rule.body, *rule.head))


def _has_similar(node: Node) -> bool:
    return any(isinstance(part, Similar) for part in walk(node))


@dataclass(frozen=True, slots=True)
class SimilarityUse:
    """One ``~`` of a rule, with the steps that were taken when it is asked; those inside a negation are among them."""

    condition: Similar
    before: tuple[Step, ...]
    after: tuple[Step, ...] = ()
    """Steps that are taken once per group."""


def similarity_uses(derivation: RuleDerivation) -> Iterator[SimilarityUse]:
    """Yield every ``~`` of a rule, in an order in which none needs the answer of a later one."""
    schedule, grouping = derivation.schedule, derivation.grouping
    before, after = schedule.before, schedule.after
    yield from (SimilarityUse(one, taken) for one, taken in _in_steps(before))
    if grouping is not None:
        # The terms of groups and aggregates are computed for every match.
        parts = [part for aggregate in grouping.aggregates for part in children(aggregate)]
        yield from (SimilarityUse(one, before) for part in (*grouping.group, *parts) for one in _inside(part))
    yield from (SimilarityUse(one, before, taken) for one, taken in _in_steps(after))
    for term in head_terms(derivation.rule):
        yield from (SimilarityUse(one, before, after) for one in _inside(term))


def _in_steps(steps: tuple[Step, ...], outside: tuple[Step, ...] = ()) -> Iterator[tuple[Similar, tuple[Step, ...]]]:
    """Yield what some steps ask, each with the steps taken by then: `outside` are those around a negation."""
    for place, step in enumerate(steps):
        taken = outside + steps[:place]
        if isinstance(step, Absent):
            yield from _in_steps(step.inside.before, taken)
        yield from ((one, taken) for part in _terms(step) for one in _inside(part))


def _terms(step: Step) -> tuple[Node, ...]:
    match step:
        case Assign(_, part) | Enumerate(_, part) | Test(part):
            return (part,)
    return ()  # the arguments of atoms are simple; negations are looked into


def _inside(node: Node) -> Iterator[Similar]:
    """Yield the ``~`` in a term or condition, inside first; what aggregates are formed of is looked at apart."""
    if not isinstance(node, Aggregate):
        for part in children(node):
            yield from _inside(part)
        if isinstance(node, Similar):
            yield node


def _givers(term: Term, steps: Sequence[Step]) -> list[Step] | None:
    """Return the steps that give the variables of a term their values, in order; None if one has none.

    A variable without a value stands for a null that the rule makes, and a null is like nothing.
    """
    places: set[int] = set()
    waiting = [v.name for v in variables(term)]
    while waiting:
        name = waiting.pop()
        place = next((i for i, step in enumerate(steps) if name in _given_by(step)), None)
        if place is None:
            return None
        if place not in places:
            places.add(place)
            waiting += [v.name for part in _terms(steps[place]) for v in variables(part)]
    return [steps[place] for place in sorted(places)]


def _given_by(step: Step) -> set[str]:
    match step:
        case Match(atom):
            return {v.name for v in variables(atom)}
        case Assign(variable) | Enumerate(variable):
            return {variable.name}
    return set()


# -- the pairs ---------------------------------------------------------------------------------------------------------


class SimilarPairs:
    """The table of alike texts, which grows as the rules bring new ones to compare."""

    def __init__(self, engine: Engine, similarity: Comparing) -> None:
        self._engine = engine
        self._similarity = similarity
        self._table = engine.new_table()
        self._compared: dict[Similar, tuple[dict[str, None], dict[str, None]]] = {}
        """The texts of both sides of a condition that were compared."""
        self._known: set[tuple[str, str]] = set()
        self._numbers = count()
        self._exists = False
        self._add([])

    def condition(self, a: Cell, b: Cell) -> exp.Expr:
        """Return the condition that two texts are alike: no value where one of them is a null, or no text."""
        alias = f"z{next(self._numbers)}"
        terms = CompiledTerms(self._engine)
        texts = [terms.text(cell) for cell in (a, b)]
        columns = [exp.column(name, table=alias) for name in ("c0", "c1")]
        same = both(*(exp.EQ(this=c, expression=text.copy()) for c, text in zip(columns, texts, strict=True)))
        exists = exp.Exists(this=any_row_of(named(self._table, alias)).where(same))
        open_ = [text for cell, text in zip((a, b), texts, strict=True) if _may_be_none(cell)]
        return when(both(*map(not_null, open_)), exists) if open_ else exists

    def prepare(self, derivation: RuleDerivation) -> None:
        """Compare the texts that a rule may ask about and that were not compared yet."""
        for one in similarity_uses(derivation):
            left = self._texts(derivation, one, one.condition.left)
            right = self._texts(derivation, one, one.condition.right)
            old_left, old_right = self._compared.setdefault(one.condition, ({}, {}))
            new_left = [text for text in left if text not in old_left]
            new_right = [text for text in right if text not in old_right]
            alike = [*self._alike(new_left, [*old_right, *new_right]), *self._alike(list(old_left), new_right)]
            old_left.update(dict.fromkeys(new_left))
            old_right.update(dict.fromkeys(new_right))
            self._add(alike)

    def _alike(self, left: Sequence[str], right: Sequence[str]) -> Iterable[tuple[str, str]]:
        return self._similarity.pairs(left, right) if left and right else ()

    def _texts(self, derivation: RuleDerivation, one: SimilarityUse, term: Term) -> list[str]:
        """Return the texts that one side of a condition can be."""
        steps = [*one.before, *one.after]
        givers = _givers(term, steps)
        if givers is None:
            return []
        is_grouped = any(aggregates(part) for part in (term, *(part for step in givers for part in _terms(step))))
        if is_grouped or sum(isinstance(step, Match) for step in givers) > 1:
            # Atoms that share nothing by themselves may be joined by others: take all that the rule takes.
            givers = steps
        if any(isinstance(step, Match) and derivation.layouts[step.atom.predicate].is_empty for step in givers):
            return []
        if is_grouped:
            grouped = copy(derivation)
            grouped.schedule = replace(derivation.schedule, after=one.after)
            body = grouped.bound()
        else:
            body = Body.of(self._engine, derivation.layouts, givers, similar=self.condition)
        plan = body.select(exp.alias_(body.terms.text(body.terms.cell(term)), "t")).distinct()
        return sorted(row["t"] for row in self._engine.run(plan) if row["t"] is not None)

    def _add(self, pairs: Sequence[tuple[str, str]]) -> None:
        pairs = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if self._exists and not pairs:
            return
        self._known.update(pairs)
        batch = pa.RecordBatch.from_arrays(
            [array([a for a, _ in pairs], pa.string()), array([b for _, b in pairs], pa.string())],
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


def _may_be_none(cell: Cell) -> bool:
    """Whether a cell can be a null, or have no text."""
    return cell.label is not None or cell.is_partial or cell.type in {ANY, NOTHING}
