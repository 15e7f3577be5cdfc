"""What was on offer: for each fact that version rules would change, what of it, by which rule, at which place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlglot import exp

from tacita.rules.logic.terms import Constant, ListOf, SetOf
from tacita.rules.reasoner.routes import Offer
from tacita.rules.reasoner.run import Run
from tacita.rules.reasoner.sql import named


class Offered(NamedTuple):
    """One change that a version rule would have made."""

    key: Any
    """The last part of the key of the fact; None where a whole column is changed."""
    attribute: str | None
    """The attribute that would be changed, if the rule knows it before it looks at the data."""
    place: tuple[Any, ...]
    """What it was ordered by."""


def offered(run: Run, offer: Offer) -> Iterator[Offered]:
    """Yield what one version rule would change."""
    update = offer.updated()
    key = update.key if update is not None else None
    attribute = str(key.value) if isinstance(key, Constant) else None
    before = sum(len(offer.layout.position_columns(i)) for i in offer.key[:-1])
    own = None if offer.is_whole_column else offer.parts[before]
    names = [f"o{i}" for i in range(len(offer.falling))]
    wanted = [*([own] if own else []), *names]
    if not wanted:
        yield Offered(None, attribute, ())
        return
    for row in run.engine.run(exp.select(*wanted).distinct().from_(named(offer.table))):
        yield Offered(row[own] if own else None, attribute, tuple(row[name] for name in names))


def order_of(offer: Offer) -> tuple[str, ...]:
    """Return the order of a rule's route as it was written."""
    route = offer.derivation.rule.annotation("route")
    order = route.option("order") if route is not None else None
    items = order.items if isinstance(order, ListOf | SetOf) else (order,)
    return tuple(str(item.value) for item in items if isinstance(item, Constant))
