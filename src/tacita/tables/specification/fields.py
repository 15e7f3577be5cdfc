"""Tables of a specification as the fields of a class: each key is a field, whose type says what may stand there."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Collection
from dataclasses import MISSING, field, fields
from pathlib import Path
from typing import Any

from tacita.parameters import fit_value, in_words
from tacita.toml.checked import Checked, kind_of

_ENTRY = "entry"


def entry(
    default: Any = MISSING,
    *,
    least: float | None = None,
    most: float | None = None,
    above: bool = False,
    among: Collection[str] = (),
    single: bool = False,
    repr: bool = True,
) -> Any:
    """Return a field with what a file may say: a number within bounds, a text of a few, or one text as a list.

    `above` says that a number must be more than `least`.
    """
    bounds = {"least": least, "most": most} | ({"above": True} if above else {})
    given = {name: value for name, value in bounds.items() if value is not None}
    metadata = {_ENTRY: given | ({"among": among} if among else {}) | ({"single": True} if single else {})}
    return field(default=default, metadata=metadata, repr=repr)


def keys_of(kind: type[Any], without: Collection[str] = ()) -> tuple[str, ...]:
    """Return the keys that a class has in a file, in the order of its fields."""
    return tuple(one.name for one in fields(kind) if one.init and one.name not in without)


def read_fields(table: Checked, kind: type[Any], without: Collection[str] = ()) -> dict[str, Any]:
    """Return what a table says about the fields of a class; a wrong entry is noted as a fault, and left out."""
    entries = {key: read_entry(table, key, kind, key) for key in keys_of(kind, without) if key in table.table}
    return {key: value for key, value in entries.items() if value is not None}


def read_entry(table: Checked, key: str, kind: type[Any], name: str) -> Any:
    """Return what a key says about a field of a class; None after noting a fault."""
    limits = next(one.metadata.get(_ENTRY, {}) for one in fields(kind) if one.name == name)
    return _value(table, key, typing.get_type_hints(kind)[name], limits)


def _value(table: Checked, key: str, hint: Any, limits: dict[str, Any]) -> Any:
    parts = [part for part in typing.get_args(hint) if part is not types.NoneType]
    if typing.get_origin(hint) in {types.UnionType, typing.Union} and len(parts) == 1:
        (hint,) = parts
    if typing.get_origin(hint) is typing.Literal:
        return table.text(key, None, among=typing.get_args(hint))
    readers: dict[Any, Callable[..., Any]] = {
        str: lambda: table.text(key, None, **limits),
        float: lambda: table.number(key, None, **limits),
        int: lambda: table.whole(key, None, **limits),
        bool: lambda: table.truth(key, False),
        Path: lambda: table.file(key),
        tuple[str, ...]: lambda: table.texts(key, **limits),
        tuple[int, ...]: lambda: table.whole_numbers(key),
        tuple[Path, ...]: lambda: table.files(key),
    }
    if hint in readers:
        return readers[hint]()
    value, fits = fit_value(table.table[key], hint)
    if not fits:
        inside = ".".join(table.keys)
        table.fault(key, f"'{key}' in [{inside}] must be {in_words(hint)}, not {kind_of(table.table[key])}")
    return value if fits else None
