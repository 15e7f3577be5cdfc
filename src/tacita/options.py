"""Options: a field of a frozen dataclass carries how it is typed at the command line and written in a TOML file.

A field made by `option` is an option of every command that takes its class (`takes` in the room `cli`), and an entry of
every file of its class. A form (`tacita.forms`) says how words become the value.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Cut:
...     keep: tuple[str, ...] = option((), help="Attributes that stay.")
...     top: Mapping[str, float] = option({}, help="Bounds.")
>>> Given(Cut, {"keep": ["Area,Sector"], "top": ["age=90"]}).value()
Cut(keep=('Area', 'Sector'), top={'age': 90.0})
"""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from tacita.forms import FILE, LISTS, NAMES, Form, choice, flag, number, numbers, whole
from tacita.toml.checked import Checked

_T = TypeVar("_T")
_OPTION = "option"


@dataclass(frozen=True, slots=True)
class Typed:
    """One option of the command line: what is typed there, before it is a value."""

    name: str
    kind: Any
    """The type of what is typed: bool, int, float, str, Path or list[str]."""
    help: str
    flags: tuple[str, ...] = ()
    """How it is called, such as ``--k`` and ``-k``; none: by its name."""
    panel: str | None = None
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    default: Any = None
    """What the help page shows for what happens if it is not given."""

    @property
    def flag(self) -> str:
        """The name that messages use."""
        return self.flags[0] if self.flags else f"--{self.name.strip('_').replace('_', '-')}"


@dataclass(frozen=True, slots=True)
class Option:
    """How a field is typed and filed."""

    form: Form
    typed: tuple[Typed, ...]
    """What is typed for it; usually one option with the name of the field."""
    key: str | None
    """Its key in a file; None: it does not stand in files."""
    meaning: str
    """What it is for, for the documentation of files."""

    def parse(self, typed: Mapping[str, Any], before: Any = None) -> Any:
        """Return the value of what was typed; `before` is the value that it replaces, if there is one."""
        one = self.typed[0]
        if before is not None and self.form.parse_onto is not None:
            return self.form.parse_onto(typed, before)
        return self.form.parse(typed if len(self.typed) > 1 else typed[one.name], one.flag)


def option(
    default: Any = MISSING,
    *flags: str,
    help: str = "",
    panel: str | None = None,
    metavar: str | None = None,
    least: float | None = None,
    most: float | None = None,
    form: Form | None = None,
    typed: tuple[Typed, ...] | None = None,
    key: str | None = "",
    factory: Callable[[], Any] | None = None,
    secret: bool = False,
) -> Any:
    """Return a field with an option.

    `flags` are its names at the command line; `key` is that in files (by default the name of the field, None for none).
    `typed` are several options that together make the value, or none; then `form` puts them together.
    A secret is left out of the repr.
    """
    if isinstance(default, dict):
        entries = default
        default, factory = MISSING, lambda: types.MappingProxyType(entries)
    metadata = {
        _OPTION: {
            "flags": flags,
            "help": help,
            "panel": panel,
            "metavar": metavar,
            "least": least,
            "most": most,
            "form": form,
            "typed": typed,
            "key": key,
        }
    }
    if factory is not None:
        return field(default_factory=factory, metadata=metadata, repr=not secret)
    return field(default=default, metadata=metadata, repr=not secret)


def part(cls: type[Any], make: Callable[..., Any] | None = None) -> Any:
    """Return a field for a value of another class of options, all of which become options here as well.

    `make` makes that value of the fields that are given; by default the class does.
    """
    build: Callable[..., Any] = make or cls
    form = Form(
        parse=lambda typed, flag: build(**Given(cls, typed).changes()),
        parse_onto=lambda typed, before: Given(cls, typed).value(before),
    )
    return option(factory=build, form=form, typed=typed_options(cls), key=None)


def typed_options(cls: type[Any]) -> tuple[Typed, ...]:
    """Return what can be typed for a class, in the order of its fields."""
    return tuple({typed.name: typed for one in options_of(cls).values() for typed in one.typed}.values())


def options_of(cls: type[Any]) -> dict[str, Option]:
    """Return the options of a dataclass by field."""
    return {one.name: _option_of(cls, one) for one in fields(cls) if _OPTION in one.metadata}


def filed(cls: type[Any]) -> tuple[str, ...]:
    """Return the keys that a file of a class can have."""
    return tuple(one.key for one in options_of(cls).values() if one.key is not None)


def read_fields(cls: type[Any], table: Checked) -> dict[str, Any]:
    """Return the fields of a class that a table has; faults are noted in the table."""
    values = {
        name: one.form.read(table, one.key, MISSING)
        for name, one in options_of(cls).items()
        if one.key is not None and one.key in table.table
    }
    return {name: value for name, value in values.items() if value is not MISSING}


def entries_of(value: Any, folder: Path, *, always: Collection[str] = ()) -> dict[str, Any]:
    """Return the entries of a file in a folder for a value: fields that are not as by default, and `always` some."""
    entries = {}
    for name, one in options_of(type(value)).items():
        if one.key is None or (name not in always and getattr(value, name) == _default_of(type(value), name)):
            continue
        entry = one.form.write(getattr(value, name), folder)
        if entry is not None:
            entries[one.key] = entry
    return {key: entry for key, entry in entries.items() if not _is_table(entry)} | entries


def _default_of(cls: type[Any], name: str) -> Any:
    one = next(one for one in fields(cls) if one.name == name)
    return one.default if one.default_factory is MISSING else one.default_factory()


def _is_table(entry: Any) -> bool:
    return isinstance(entry, dict) or (isinstance(entry, list) and any(isinstance(item, dict) for item in entry))


def _option_of(cls: type[Any], one: Any) -> Option:
    given = one.metadata[_OPTION]
    form = given["form"] or _form_of(_hint_of(cls, one), given, one.default)
    key = one.name if given["key"] == "" else given["key"]
    typed = given["typed"]
    if typed is None:
        shown = one.default.value if isinstance(one.default, StrEnum) else one.default
        default = (
            shown if isinstance(shown, int | float | str) and not isinstance(shown, bool) and shown != "" else None
        )
        words = {name: given[name] for name in ("help", "flags", "panel", "metavar", "least", "most")}
        typed = (Typed(one.name, form.kind, default=False if form.kind is bool else default, **words),)
    return Option(form, typed, key, given["help"])


def _hint_of(cls: type[Any], one: Any) -> Any:
    """Return the type of a field; types of other fields may be there for type checkers only."""
    alone = types.SimpleNamespace(__annotations__={one.name: one.type})
    home = next(base for base in cls.__mro__ if one.name in vars(base).get("__annotations__", {}))
    return typing.get_type_hints(alone, globalns=vars(sys.modules[home.__module__]))[one.name]


def _form_of(hint: Any, given: Mapping[str, Any], default: Any) -> Form:
    parts = [part for part in typing.get_args(hint) if part is not type(None)]
    if typing.get_origin(hint) in {types.UnionType, typing.Union} and len(parts) == 1:
        hint = parts[0]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple and arguments == (str, ...):
        return NAMES
    if origin is Mapping:
        simple: dict[Any, Form] = {float: numbers(), int: numbers(is_whole=True), tuple[str, ...]: LISTS}
        return simple[arguments[1]]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return choice(hint)
    bounds = {name: given[name] for name in ("least", "most") if given[name] is not None}
    if hint is float:
        return number(**bounds)
    if hint is int:
        return whole(int(bounds.get("least", 0)))
    return {bool: flag(is_inverted=default is True), Path: FILE, str: Form()}[hint]


@dataclass(frozen=True, slots=True)
class Given(Generic[_T]):
    """What was typed for a class of options; only what was given is there. Its value may stand on one from a file."""

    cls: type[_T]
    typed: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields for which something was typed."""
        return tuple(name for name, _ in self._given())

    def value(self, base: _T | None = None) -> _T:
        """Return the value: what was typed replaces fields of `base`, or of the defaults."""
        start = (
            {} if base is None else {one.name: getattr(base, one.name) for one in fields(cast(Any, base)) if one.init}
        )
        return self.cls(**{**start, **self.changes(start)})

    def changes(self, start: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the values of the fields for which something was typed; `start` are the values they replace."""
        return {name: one.parse(self.typed, (start or {}).get(name)) for name, one in self._given()}

    def _given(self) -> Iterator[tuple[str, Option]]:
        for name, one in options_of(self.cls).items():
            if any(self.typed.get(typed.name) is not None for typed in one.typed):
                yield name, one
