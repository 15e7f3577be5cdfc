"""Which aggregates may stand in a recursion: those whose use only grows, or only shrinks."""

from __future__ import annotations

from collections.abc import Sequence

from tests.oracles.rules.clauses import Clause
from tests.oracles.rules.matching import Absent, names

from tacita.errors import RuleError
from tacita.rules.logic.terms import Aggregate, Atom, Call, Comparison, Term, Variable, aggregates

_UPWARD = ("msum", "mcount", "mmax")
_DOWNWARD = ("mprod", "mmin")
_HEAD = ("msum", "mcount", "mmax", "mmin", "munion")


def check_monotone(clause: Clause, head: Sequence[Atom]) -> None:
    """Raise if an aggregate in a recursion is used otherwise than against a threshold or as a head value."""
    refusal = RuleError("an aggregate in a recursion is used in a way that is not monotone", where=clause.name)
    if any(aggregate.function not in (*_UPWARD, *_DOWNWARD, "munion") for aggregate in clause.aggregates):
        raise refusal
    assigned = _assigned(clause)
    for part in clause.after:
        if not isinstance(part, Comparison):
            raise refusal
        given = _assignment(part)
        if given is not None:
            if given not in assigned.items():
                raise refusal  # a comparison in truth: the variable has its value from elsewhere
        elif not _is_threshold(part, assigned):
            raise refusal
    for atom in head:
        for term in atom.arguments:
            aggregate = _direct(term, assigned)
            if (aggregate is None or aggregate.function not in _HEAD) and (
                aggregates(term) or names(term) & assigned.keys()
            ):
                raise refusal


def _assigned(clause: Clause) -> dict[str, Aggregate]:
    """Return the variables whose value is an aggregate and nothing else."""
    known = {name for part in clause.before for name in (part.shared if isinstance(part, Absent) else names(part))}
    found: dict[str, Aggregate] = {}
    for part in clause.after:
        given = _assignment(part) if isinstance(part, Comparison) else None
        if given is not None and given[0] not in known:
            found.setdefault(*given)
    return found


def _assignment(part: Comparison) -> tuple[str, Aggregate] | None:
    for target, source in ((part.left, part.right), (part.right, part.left)):
        if part.operator == "=" and isinstance(target, Variable) and isinstance(source, Aggregate):
            return target.name, source
    return None


def _direct(term: Term, assigned: dict[str, Aggregate]) -> Aggregate | None:
    if isinstance(term, Aggregate):
        return term
    return assigned.get(term.name) if isinstance(term, Variable) else None


def _is_threshold(part: Comparison, assigned: dict[str, Aggregate]) -> bool:
    flipped = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
    return _is_beyond(part.left, part.operator, part.right, assigned) or _is_beyond(
        part.right, flipped.get(part.operator, ""), part.left, assigned
    )


def _is_beyond(term: Term, operator: str, bound: Term, assigned: dict[str, Aggregate]) -> bool:
    """Return whether ``term operator bound`` stays true as the aggregate goes on."""
    if aggregates(bound) or names(bound) & assigned.keys():
        return False
    upward: tuple[str, ...] = _UPWARD
    if isinstance(term, Call) and term.function == "size":
        term, upward = term.arguments[0], ("munion",)
    aggregate = _direct(term, assigned)
    if aggregate is None:
        return False
    if operator in (">", ">="):
        return aggregate.function in upward
    return operator in ("<", "<=") and aggregate.function in _DOWNWARD and upward is _UPWARD
