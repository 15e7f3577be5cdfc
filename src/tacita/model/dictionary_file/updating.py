"""Bringing the text of a dictionary up to date: what changed is changed, all else stays as a person wrote it.

Worked on the text itself, statement by statement. A TOML library keeps comments too, but takes a comment above a
table for the end of the table before it, and so moves or drops it with that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tacita.errors import DictionaryError
from tacita.model.attribute import Category, Kind
from tacita.model.dictionary import Dictionary
from tacita.model.dictionary_file.reading import ATTRIBUTE_KEYS, MICRODATA_KEYS, TOP_KEYS, parsed
from tacita.model.dictionary_file.writing import entries, table_text, tables, value_text
from tacita.toml.statements import Keys, Statement, statements

Edit = tuple[int, int, str]
"""From, to, and what shall stand there."""


def updated(text: str, dictionary: Dictionary) -> str:
    r"""Return the text with what the dictionary says now; comments, order and spelling of the rest are kept.

    >>> text = '[attributes.Area]\ncategory = ""  # ask Anna\n'
    >>> from tacita.model.dictionary_file import loads
    >>> area = loads(text).with_categories({"Area": Category.QUASI_IDENTIFIER})
    >>> print(updated(text, area).splitlines()[1])
    category = "quasi-identifier"  # ask Anna
    """
    breaks = "\r\n" if "\r\n" in text else "\n"
    text = text.replace("\r\n", "\n")
    if text and not text.endswith("\n"):
        text += "\n"
    parsed(text, "dictionary")
    content = tables(dictionary)
    text = _applied(text, _changes(text, statements(text), content))
    text = _applied(text, _additions(text, statements(text), content))
    return text.replace("\n", breaks)


def _changes(text: str, among: Sequence[Statement], content: dict[str, Any]) -> Iterator[Edit]:
    """Yield the edits for values that differ and for what is said no longer."""
    gone: Keys | None = None
    for index, statement in enumerate(among):
        if statement.is_header:
            gone = None if isinstance(_looked_up(content, statement.keys), dict) else statement.keys
            if gone and _is_ours(statement.keys, content):
                yield _removal(text, statement.start, among[_block_end(among, index)].end)
        elif gone or not _is_ours(statement.keys, content):
            continue
        else:
            have = _meaning(statement.keys, statement.value)
            want = _looked_up(content, statement.keys)
            if want is not None and _meaning(statement.keys, want) != have:
                yield statement.equals + 1, statement.comment, f" {value_text(want)}"
            elif want is None and (have is not None or _looked_up(content, statement.keys[:2]) is None):
                yield _removal(text, statement.start, statement.end)


def _additions(text: str, among: Sequence[Statement], content: dict[str, Any]) -> Iterator[Edit]:
    """Yield the edits for what the text does not say yet: entries first, then tables."""
    have = parsed(text, "dictionary")
    places = _Places(among)
    blocks: list[Edit] = []
    for keys, table in _missing((), content, have):
        place, before = places.for_entry(keys)
        if place is None:
            end = _after_block(text, among, places.last.get(keys[:2], -1))
            blocks.append((end, end, "\n" * bool(end) + table_text(keys, table)))
            continue
        lines, below = entries(keys, table, before)
        after = among[place].end + 1
        yield after, after, "".join(lines)
        end = _after_block(text, among, place)
        blocks += [(end, end, block) for block in below]
    yield from blocks
    last = max(places.last.get(("microdata",), -1), places.last.get(("format",), -1))
    for name, table in content["attributes"].items():
        last = places.last.get(("attributes", name), last)
        if name not in have.get("attributes", {}):
            end = _after_block(text, among, last)
            yield end, end, "\n" * bool(end) + table_text(("attributes", name), table)


def _missing(keys: Keys, want: dict[str, Any], have: dict[str, Any]) -> Iterator[tuple[Keys, dict[str, Any]]]:
    """Yield each table that lacks entries, with these; attributes that are wholly new are not among them."""
    lacking = {}
    for key, value in want.items():
        inside = (*keys, key)
        if key in have and isinstance(value, dict) and isinstance(have[key], dict):
            yield from _missing(inside, value, have[key])
        elif key not in have and not keys and isinstance(value, dict):
            yield from _missing(inside, value, {})
        elif key not in have and keys != ("attributes",) and _meaning(inside, value) is not None:
            lacking[key] = value
    if lacking:
        yield keys, lacking


class _Places:
    """Where things stand in a text: for any keys, the last statement about them."""

    def __init__(self, among: Sequence[Statement]) -> None:
        self.among = among
        self.last: dict[Keys, int] = {}
        self.under_header: dict[Keys, int] = {}
        self.by_dots: dict[Keys, int] = {}
        for index, statement in enumerate(among):
            self.under_header[statement.table] = index
            for length in range(1, len(statement.keys) + 1):
                self.last[statement.keys[:length]] = index
            for length in range(len(statement.table) + 1, len(statement.keys)):
                self.by_dots[statement.keys[:length]] = index

    def for_entry(self, keys: Keys) -> tuple[int | None, Keys]:
        """Return after which statement an entry of a table goes, and the keys to put in front of it there."""
        if keys in self.under_header:
            return self.under_header[keys], ()
        if keys in self.by_dots:
            place = self.by_dots[keys]
            return place, keys[len(self.among[place].table) :]
        return None, ()


def _block_end(among: Sequence[Statement], index: int) -> int:
    """Return the last statement under the same header."""
    while index + 1 < len(among) and not among[index + 1].is_header:
        index += 1
    return index


def _after_block(text: str, among: Sequence[Statement], index: int) -> int:
    """Return where a table may follow the one of a statement; comments right below it are still its own."""
    if index < 0:
        return len(text)
    end = among[_block_end(among, index)].end + 1
    below = end
    while text.startswith("#", below):
        below = text.index("\n", below) + 1
    return end if text.startswith("[", below) else below


def _looked_up(content: Any, keys: Keys) -> Any:
    for key in keys:
        if not isinstance(content, dict) or key not in content:
            return None
        content = content[key]
    return content


def _is_ours(keys: Keys, content: dict[str, Any]) -> bool:
    """Whether we know what stands under these keys; anything else is left alone."""
    match keys:
        case ("microdata", key, *_):
            return key in MICRODATA_KEYS
        case ("attributes", name, key, *_) if name in content["attributes"]:
            return key in ATTRIBUTE_KEYS
    return keys[0] in TOP_KEYS


def _meaning(keys: Keys, value: Any) -> Any:
    """Return what a value says: the same for two spellings, None for one that says no more than nothing."""
    match keys:
        case ("attributes",) | ("attributes", _) | ("microdata",) if isinstance(value, dict):
            inside = {key: _meaning((*keys, key), item) for key, item in value.items()}
            return {key: item for key, item in inside.items() if item is not None}
        case ("attributes", _, "category" | "kind" as key) if value and isinstance(value, str):
            try:
                return (Category if key == "category" else Kind).parse(value)
            except DictionaryError:
                return value
        case ("attributes", _, _) | ("microdata", "description"):
            return value or None
        case ("microdata", "missing-as"):
            return None if value == "unknown" else value
        case ("format",):
            return None if value == 1 else value
    return value


def _removal(text: str, start: int, end: int) -> Edit:
    """Return the edit that removes whole lines, and the blank line after them if there is one before."""
    first, after = text.rfind("\n", 0, start) + 1, end + 1
    if text.startswith("\n", after) and (first == 0 or text[:first].endswith("\n\n")):
        after += 1
    return first, after, ""


def _applied(text: str, edits: Iterator[Edit]) -> str:
    """Return the text after all edits, which do not overlap; those for the same place keep their order."""
    parts, position = [], 0
    for start, end, new in sorted(edits, key=lambda edit: edit[0]):
        parts += [text[position:start], new]
        position = end
    return "".join([*parts, text[position:]])
