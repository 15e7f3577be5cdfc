"""Writing a dictionary as the text of its file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time
from typing import Any

from tacita.errors import DictionaryError
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.dictionary import Dictionary
from tacita.model.dictionary_file.reading import FORMAT

HEADING = f"""\
# What each attribute of the microdata is, and how it may be used. Made by Tacita; yours to edit.
# category: {", ".join(Category)}; "" while undecided
# kind: {", ".join(Kind)}
"""
_ON_MISSING = '# an empty cell is "unknown" or a "category"; "empty": codes are unknown, too'
_WIDE = 100


def dumps(dictionary: Dictionary) -> str:
    """Return a dictionary as TOML; `loads` gives it back.

    >>> print(dumps(Dictionary("firms", (Attribute("Area", Category.QUASI_IDENTIFIER),))))
    # What each attribute of the microdata is, and how it may be used. Made by Tacita; yours to edit.
    ...
    format = 1
    <BLANKLINE>
    [microdata]
    name = "firms"
    description = ""
    missing-as = "unknown"        # an empty cell is "unknown" or a "category"; "empty": codes are unknown, too
    <BLANKLINE>
    [attributes.Area]
    category = "quasi-identifier"
    <BLANKLINE>
    """
    content = tables(dictionary)
    microdata = table_text(("microdata",), content["microdata"]).rstrip("\n")
    parts = [f"{HEADING}format = {FORMAT}\n", f"{microdata}        {_ON_MISSING}\n"]
    parts += [table_text(("attributes", name), table) for name, table in content["attributes"].items()]
    if content["scenarios"]:
        parts.append(table_text(("scenarios",), content["scenarios"]))
    return "\n".join(parts)


def tables(dictionary: Dictionary) -> dict[str, Any]:
    """Return the content of the file as plain tables; empty fields of an attribute are left out."""
    content = {
        "format": FORMAT,
        "microdata": {
            "name": dictionary.name,
            "description": dictionary.description,
            "missing-as": dictionary.missing_as.value,
        },
        "attributes": {attribute.name: _fields(attribute) for attribute in dictionary},
        "scenarios": {name: list(names) for name, names in dictionary.scenarios.items()},
    }
    return {key: _plain(value) for key, value in content.items()}


def table_text(keys: tuple[str, ...], table: Mapping[str, Any]) -> str:
    """Return a table with its header."""
    lines, below = entries(keys, table)
    return "".join([f"[{dotted(keys)}]\n", *lines, *below])


def entries(
    keys: tuple[str, ...], table: Mapping[str, Any], before: tuple[str, ...] = ()
) -> tuple[list[str], list[str]]:
    """Return the lines of a table, and after them, as tables of their own, what would make too long a line.

    `before` are keys to put in front of each, for a table without a header.
    """
    lines, below = [], []
    for key, value in table.items():
        line = f"{dotted((*before, key))} = {value_text(value)}\n"
        if isinstance(value, dict) and len(line) > _WIDE:
            below.append("\n" + table_text((*keys, key), value))
        else:
            lines.append(line)
    return lines, below


def dotted(keys: tuple[str, ...]) -> str:
    """Return keys as TOML, quoted where they must be.

    >>> dotted(("attributes", "Residential Rev."))
    'attributes."Residential Rev."'
    """
    import tomlkit

    return ".".join(tomlkit.key(key).as_string() for key in keys)


def value_text(value: Any) -> str:
    """Return a value as TOML; a long list has a line for each of its items."""
    import tomlkit

    if isinstance(value, dict):
        inside = ", ".join(f"{dotted((key,))} = {_short(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list):
        text = _short(value)
        return text if len(text) <= _WIDE else "[\n" + "".join(f"    {_short(item)},\n" for item in value) + "]"
    return str(tomlkit.item(value).as_string())


def _short(value: Any) -> str:
    return f"[{', '.join(map(_short, value))}]" if isinstance(value, list) else value_text(value)


def _fields(attribute: Attribute) -> dict[str, Any]:
    fields = {
        "kind": attribute.kind.value if attribute.kind else "",
        "description": attribute.description,
        "format": attribute.format,
        "labels": attribute.labels,
        "missing": attribute.missing,
        "order": attribute.order,
        "hierarchy": attribute.hierarchy or attribute.hierarchy_rule,
    }
    category = attribute.category.value if attribute.category else ""
    return {"category": category} | {key: value for key, value in fields.items() if value}


def _plain(value: object) -> Any:
    """Return a value in the types that TOML has, or raise for what a file cannot hold."""
    if isinstance(value, Mapping):
        return {str(_plain(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, str):
        if not value.isprintable() and any("\ud800" <= character <= "\udfff" for character in value):
            raise DictionaryError(
                "a text of the dictionary holds half a character, which no file can hold",
                do="read the data again in its right encoding",
            )
        return str(value)
    if isinstance(value, bool | int | float | date | time):
        return value
    raise DictionaryError(
        f"a hierarchy rule holds a {type(value).__name__}, which TOML does not know",
        do="use texts, numbers, dates, lists and tables",
    )
