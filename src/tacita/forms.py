"""Forms: how the value of an option is typed at the command line, and how it stands in a TOML file."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from tacita.errors import UsageError, did_you_mean
from tacita.toml.checked import Checked


@dataclass(frozen=True, slots=True)
class Form:
    """How a value is typed and filed; by default it is a text."""

    kind: Any = str
    """The type of what is typed: bool, int, float, str, Path or list[str]."""
    parse: Callable[[Any, str], Any] = lambda typed, flag: typed
    """Makes the value of what was typed for a flag; of all that was typed, if there are several options."""
    parse_onto: Callable[[Any, Any], Any] | None = None
    """Makes the value of what was typed, of several options perhaps not all, and of the value that it replaces."""
    read: Callable[[Checked, str, Any], Any] = lambda table, key, default: table.text(key, default)
    """Makes the value of the entry of a table under a key, or returns the default after noting a fault."""
    write: Callable[[Any, Path], Any] = lambda value, folder: value
    """Makes an entry of a file in a folder of the value; None: no entry."""


def flag(*, is_inverted: bool = False) -> Form:
    """Return the form of yes or no; an inverted flag says no."""
    return Form(
        bool,
        parse=lambda typed, flag: typed is not is_inverted,
        read=lambda table, key, default: table.truth(key, default),
    )


def whole(least: int = 0) -> Form:
    """Return the form of a whole number."""
    return Form(int, read=lambda table, key, default: table.whole(key, default, least=least))


def number(least: float = float("-inf"), most: float = float("inf")) -> Form:
    """Return the form of a number within bounds."""
    return Form(float, read=lambda table, key, default: table.number(key, default, least=least, most=most))


def choice(members: type[StrEnum], noun: str = "choice") -> Form:
    """Return the form of a member of an enumeration."""

    def read(table: Checked, key: str, default: Any) -> Any:
        text = table.text(key, None, among=[member.value for member in members])
        return default if text is None else members(text)

    return Form(
        parse=lambda typed, flag: choose(typed, members, noun),
        read=read,
        write=lambda value, folder: None if value is None else value.value,
    )


NAMES = Form(
    list[str],
    parse=lambda typed, flag: tuple(names_in(typed)),
    read=lambda table, key, default: table.texts(key, single=True) if key in table.table else default,
    write=lambda value, folder: None if value is None else list(value),
)
"""Names, with commas between or in several options; in a file a list."""


def numbers(*, is_whole: bool = False) -> Form:
    """Return the form of a number by name, typed as NAME=NUMBER; in a file a table."""

    def parse(typed: Any, flag: str) -> Any:
        pairs = once((split_pair(pair, flag) for pair in typed or ()), flag)
        values = {name: _number(text, flag) for name, text in pairs.items()}
        return {name: int(value) for name, value in values.items()} if is_whole else values

    def read(table: Checked, key: str, default: Any) -> Any:
        if key not in table.table:
            return default
        below = table.open(key)
        entry = below.whole if is_whole else below.number
        return {name: value for name in below.table if (value := entry(name, None)) is not None}

    return Form(list[str], parse=parse, read=read, write=lambda value, folder: dict(value) or None)


def _number(text: str, flag: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{flag} is given '{text}', which is no number", do=f"write {flag} NAME=NUMBER") from None


def _parse_lists(typed: Any, flag: str) -> dict[str, tuple[str, ...]]:
    """Return the names of each key; a key that is given again has those of both.

    >>> _parse_lists(["region=code", "region=label,code", "sex=title"], "--linked")
    {'region': ('code', 'label'), 'sex': ('title',)}
    """
    lists: dict[str, tuple[str, ...]] = {}
    for key, names in (split_pair(pair, flag) for pair in typed or ()):
        lists[key] = tuple(dict.fromkeys([*lists.get(key, ()), *names_in([names])]))
    return lists


def _read_lists(table: Checked, key: str, default: Any) -> Any:
    if key not in table.table:
        return default
    below = table.open(key)
    return {name: below.texts(name, single=True) for name in below.table}


LISTS = Form(
    list[str],
    parse=_parse_lists,
    read=_read_lists,
    write=lambda value, folder: {name: list(names) for name, names in value.items()} or None,
)
"""Names that belong to a name, typed as KEY=NAME,NAME; in a file a table of lists."""


def _read_file(table: Checked, key: str, default: Any) -> Any:
    path = table.file(key)
    return default if path is None else path


FILE = Form(
    Path, read=_read_file, write=lambda value, folder: None if value is None else relative_to(str(value), folder)
)
"""A file; in a settings file its path is relative to the folder of that file."""


def relative_to(path: str, folder: Path) -> str:
    """Return the path of a file as it stands in a settings file of a folder: from there, unless it is absolute."""
    if "://" in path or Path(path).is_absolute() or folder == Path():
        return path
    return Path(os.path.relpath(path, folder)).as_posix()


def place_in(text: str, folder: Path) -> str:
    """Return a path that stands in a settings file of a folder; an address such as ``postgresql://...`` stays."""
    return text if "://" in text else str(folder / text)


def choose(text: str, members: type[StrEnum], noun: str = "choice") -> StrEnum:
    """Return the member of that name; underscores do for hyphens."""
    wanted = text.strip().casefold().replace("_", "-")
    names = [member.value for member in members]
    if wanted not in names:
        raise UsageError(f"no {noun} '{text}'{did_you_mean(wanted, names)}", do=f"choose one of: {', '.join(names)}")
    return members(wanted)


def names_in(given: str | Iterable[str] | None) -> list[str]:
    """Return the names of an option that may be repeated, each time with commas between.

    A name that holds a comma is put in double quotes. A name that is given twice counts once.

    >>> names_in(["Area,Sector", '"City, State"', "Area"])
    ['Area', 'Sector', 'City, State']
    """
    parts = [given] if isinstance(given, str) else given or ()
    names = (name.strip() for part in parts for name in next(csv.reader([part], skipinitialspace=True), []))
    return list(dict.fromkeys(name for name in names if name))


def split_pair(pair: str, flag: str) -> tuple[str, str]:
    """Return the two sides of NAME=VALUE; the name may hold equal signs."""
    name, equals, value = pair.rpartition("=")
    if not equals or not name.strip() or not value.strip():
        raise UsageError(f"{flag} '{pair}' is not NAME=VALUE", do=f"write for example {flag} Area=...")
    return name.strip(), value.strip()


def split_binding(text: str, flag: str) -> tuple[str, str]:
    """Return the predicate and the place of ``Own=own.csv``.

    >>> split_binding("Own=data/own=2024.csv", "--input")
    ('Own', 'data/own=2024.csv')
    """
    predicate, equals, place = text.partition("=")
    if not equals or not predicate.strip() or not place.strip():
        raise UsageError(f"{flag} '{text}' is not PREDICATE=FILE", do=f"write for example {flag} Own=own.csv")
    return predicate.strip(), place.strip()


def _parse_bindings(typed: Any, flag: str) -> dict[str, str]:
    """Return files by predicate; a predicate has one.

    >>> _parse_bindings(["Own=own.csv", "Person=people.csv"], "--input")
    {'Own': 'own.csv', 'Person': 'people.csv'}
    """
    return once((split_binding(pair, flag) for pair in typed), flag)


PAIRS = Form(list[str], parse=lambda typed, flag: once((split_pair(pair, flag) for pair in typed), flag))
"""Texts by name, typed as NAME=VALUE."""

BINDINGS = Form(list[str], parse=_parse_bindings)
"""Files by predicate, typed as PREDICATE=FILE."""

TEXTS = Form(list[str], parse=lambda typed, flag: tuple(typed))
"""Texts, each in an option of its own: commas belong to them."""


def once(pairs: Iterable[tuple[str, str]], flag: str) -> dict[str, str]:
    """Return what an option that may be repeated says by name; a name that is given twice is refused."""
    values: dict[str, str] = {}
    for name, value in pairs:
        if name in values:
            raise UsageError(f"{flag} names '{name}' twice", do=f"leave one of them out: {flag} {name}=...")
        values[name] = value
    return values
