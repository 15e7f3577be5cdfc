"""Values of facts as JSON: what a machine reads, and what a cell of a file holds that can hold no set."""

from __future__ import annotations

import datetime
import json
import math
from typing import Any

from tacita.rules.reasoner.values import Null, Record


def json_value(value: Any, *, labels: bool = True) -> Any:
    """Return a value as JSON knows it: sets as sorted lists, records as objects, a labelled null as ``{"null": 3}``.

    Without `labels` a labelled null is plain null, as an empty cell is.

    >>> json_value(frozenset({"b", "a"})), json_value(Null(3)), json_value(Null(3), labels=False)
    (['a', 'b'], {'null': 3}, None)
    """
    if isinstance(value, Null):
        return {"null": value.number} if labels else None
    if isinstance(value, Record):
        return {name: json_value(item, labels=labels) for name, item in value.items}
    if isinstance(value, frozenset | set):
        items = [json_value(item, labels=labels) for item in value]
        return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))
    if isinstance(value, tuple | list):
        return [json_value(item, labels=labels) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value


def json_text(value: Any) -> str | None:
    """Return a value as the text of a cell; an unknown one is no text."""
    plain = json_value(value, labels=False)
    return None if plain is None else json.dumps(plain, ensure_ascii=False)
