"""Writing TOML files: entries, then tables, then lists of tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def toml_text(entries: Mapping[str, Any]) -> str:
    """Return entries as the text of a TOML file; a mapping is a table, a list of mappings is a list of tables.

    >>> print(toml_text({"seed": 7, "attack": {"accept": 0.1}, "step": [{"method": "mdav", "k": 3}]}))
    seed = 7
    <BLANKLINE>
    [attack]
    accept = 0.1
    <BLANKLINE>
    [[step]]
    method = "mdav"
    k = 3
    <BLANKLINE>
    """
    import tomlkit

    document = tomlkit.document()
    _fill(document, entries)
    return tomlkit.dumps(document)


def _fill(container: Any, entries: Mapping[str, Any]) -> None:
    import tomlkit

    for key, value in entries.items():
        if _is_tables(value):
            tables = tomlkit.aot()
            for entry in value:
                tables.append(_table(entry))
            container[key] = tables
        else:
            container[key] = _table(value) if isinstance(value, Mapping) else _plain(value)


def _table(entries: Mapping[str, Any]) -> Any:
    import tomlkit

    table = tomlkit.table()
    simple = {key: value for key, value in entries.items() if not _is_tables(value)}
    for key, value in simple.items():
        table[key] = _plain(value)
    _fill(table, {key: value for key, value in entries.items() if key not in simple})
    return table


def _plain(value: Any) -> Any:
    """Return a value of TOML: lists for tuples; a mapping within a table stands on one line."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _is_tables(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(item, Mapping) for item in value)
