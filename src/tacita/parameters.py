"""Parameters of measures, methods, losses and attackers: what a person wrote becomes the fields of a dataclass.

A file gives values of TOML, which have types. What is typed behind an option is taken more freely: a single value for a
list, a number for a text.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from datetime import date, datetime, time
from enum import StrEnum

from tacita.errors import TacitaError, UsageError, did_you_mean, faults_text, listed

Entry = typing.TypeVar("Entry")

_WRITTEN = (int, float, str, bool, date, datetime, time, list, dict, object, typing.Any)
"""The types that values of a file, or of an option, can have."""


@dataclasses.dataclass(frozen=True, slots=True)
class EntryParameter:
    """A parameter of a measure, method, loss or attacker, for lists and messages."""

    name: str
    hint: object
    default: object = dataclasses.MISSING
    """The value that it has if none is given; MISSING if one is needed."""

    @property
    def is_needed(self) -> bool:
        """Whether a value has to be given."""
        return self.default is dataclasses.MISSING

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that can be chosen; none if it is not a choice."""
        return _choices(self.hint)

    @property
    def words(self) -> str:
        """What it must be, in words."""
        return in_words(self.hint)

    @property
    def default_text(self) -> str:
        """The default as it would be typed; empty if there is none."""
        if isinstance(self.default, tuple):
            return ",".join(map(str, self.default))
        return "" if self.is_needed or self.default is None else str(self.default)


def parameters_of(kind: type[typing.Any]) -> tuple[EntryParameter, ...]:
    """Return the parameters of a class that can be written down; what is handed over as data is left out.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Rounding:
    ...     base: float = 5.0
    >>> [(parameter.name, parameter.words) for parameter in parameters_of(Rounding)]
    [('base', 'a number')]
    """
    hints = typing.get_type_hints(kind)
    return tuple(
        EntryParameter(field.name, hints[field.name], _default(field))
        for field in dataclasses.fields(kind)
        if field.init and _can_be_written(hints[field.name])
    )


def fit(
    kind: type[Entry], name: str, parameters: Mapping[str, object], *, where: str = "", typed: bool = False
) -> Entry:
    """Return an object of a class with parameters that somebody wrote; all faults are reported together.

    `typed` says that they were typed behind an option, not written into a file.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Rounding:
    ...     attributes: tuple[str, ...]
    ...     base: float = 5.0
    >>> fit(Rounding, "rounding", {"attributes": ["age"], "base": 10})
    Rounding(attributes=('age',), base=10.0)
    >>> fit(Rounding, "rounding", {"attributes": "age"}, typed=True)
    Rounding(attributes=('age',), base=5.0)
    """
    known = {parameter.name: parameter for parameter in parameters_of(kind)}
    values: dict[str, object] = {}
    faults: dict[str, str] = {}
    for key, value in parameters.items():
        if key not in known:
            faults |= _unknown(key, name, known, typed=typed)
            continue
        values[key], fits = fit_value(value, known[key].hint, typed=typed)
        if not fits:
            faults |= _misfit(known[key], name, value, known, typed=typed)
    quote = "" if typed else "'"
    for field in dataclasses.fields(typing.cast(typing.Any, kind)):
        if field.init and field.name not in parameters and _default(field) is dataclasses.MISSING:
            faults[f"{quote}{name}{quote} needs '{field.name}'"] = _takes(name, known)
    if faults:
        raise UsageError(faults_text(list(faults)), where=where or None, do="; ".join(dict.fromkeys(faults.values())))
    try:
        return kind(**values)
    except TacitaError as error:
        if where and not error.where:
            error.where = where
        raise


def _unknown(key: str, name: str, known: Mapping[str, EntryParameter], *, typed: bool) -> dict[str, str]:
    """Return the fault of a parameter that there is not, and what to do."""
    if typed:
        return {f"{name} has no parameter '{key}'{did_you_mean(key, known)}": f"use one of: {listed(list(known), 20)}"}
    return {f"'{name}' has no parameter '{key}'{did_you_mean(key, known)}": _takes(name, known)}


def _misfit(
    parameter: EntryParameter, name: str, value: object, known: Mapping[str, EntryParameter], *, typed: bool
) -> dict[str, str]:
    """Return the fault of a value that is not of its type, and what to do."""
    if not typed:
        return {f"'{parameter.name}' of '{name}' must be {parameter.words}": _takes(name, known)}
    if parameter.choices:
        fault = f"{parameter.name} of {name} must be one of its choices, not '{value}'"
        return {fault + did_you_mean(str(value), parameter.choices): f"use one of: {', '.join(parameter.choices)}"}
    do = f"write for example --param {parameter.name}={_example(parameter)}"
    return {f"{parameter.name} of {name} must be {parameter.words}, not '{value}'": do}


def _takes(name: str, known: Mapping[str, EntryParameter]) -> str:
    return f"'{name}' takes {listed(list(known), 20)}"


def _example(parameter: EntryParameter) -> str:
    words = parameter.words
    if words.startswith("a list"):
        return "[1, 2, 3]" if "number" in words else "[a, b]"
    return "true" if parameter.hint is bool else "name" if "text" in words else "3"


def _default(field: dataclasses.Field[typing.Any]) -> object:
    if field.default is dataclasses.MISSING and field.default_factory is not dataclasses.MISSING:
        return None
    return field.default


def _is_mapping(origin: object) -> bool:
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _is_union(origin: object) -> bool:
    return origin in {types.UnionType, typing.Union}


def _choices(hint: object) -> tuple[str, ...]:
    if typing.get_origin(hint) is typing.Literal:
        return tuple(str(choice) for choice in typing.get_args(hint))
    return tuple(hint) if isinstance(hint, type) and issubclass(hint, StrEnum) else ()


def _can_be_written(hint: object) -> bool:
    origin = typing.get_origin(hint)
    if _is_union(origin) or origin is tuple or _is_mapping(origin):
        return all(_can_be_written(part) for part in typing.get_args(hint) if part not in {types.NoneType, ...})
    return bool(_choices(hint)) or hint in _WRITTEN


def fit_value(value: object, hint: object, *, typed: bool = False) -> tuple[object, bool]:
    """Return a value as the type that a parameter has, and whether it could be one."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if _is_union(origin):
        for part in arguments:
            fitted, fits = fit_value(value, part, typed=typed)
            if fits:
                return fitted, True
        return value, False
    if origin is typing.Literal:
        return value, value in arguments
    if origin is tuple:
        return _fit_items(value, arguments, typed=typed)
    if _is_mapping(origin):
        if not isinstance(value, Mapping):
            return value, False
        parts = [fit_value(item, arguments[1], typed=typed) for item in value.values()]
        return dict(zip(value, (part for part, _ in parts), strict=True)), all(fits for _, fits in parts)
    if _choices(hint):
        return (hint(value), True) if value in _choices(hint) else (value, False)  # type: ignore[operator]
    if hint in {float, int}:
        fits = isinstance(value, int if hint is int else int | float) and not isinstance(value, bool)
        return (float(value), True) if fits and hint is float else (value, fits)  # type: ignore[arg-type]
    if typed and hint is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value), True
    return value, hint in {typing.Any, object} or (isinstance(hint, type) and isinstance(value, hint))


def _fit_items(value: object, arguments: tuple[object, ...], *, typed: bool) -> tuple[object, bool]:
    if not isinstance(value, list | tuple):
        if not typed:
            return value, False
        value = [value]
    kinds = [arguments[0]] * len(value) if arguments[1:] == (...,) else list(arguments)
    if len(kinds) != len(value):
        return value, False
    parts = [fit_value(item, kind, typed=typed) for item, kind in zip(value, kinds, strict=True)]
    return tuple(part for part, _ in parts), all(fits for _, fits in parts)


def in_words(hint: object) -> str:
    """Return what a parameter must be, for a message.

    >>> in_words(tuple[str, ...]), in_words(float | None)
    ('a list of texts', 'a number')
    >>> in_words(tuple[tuple[str, ...], ...])
    'a list of lists of texts'
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if _is_union(origin):
        return " or ".join(in_words(part) for part in arguments if part is not types.NoneType)
    if _choices(hint):
        return " or ".join(_choices(hint))
    if origin is tuple:
        return f"a list of {_several(arguments[0])}" if arguments[1:] == (...,) else "a list"
    if _is_mapping(origin):
        return "a table"
    words = {float: "a number", int: "a whole number", str: "a text", bool: "true or false"}
    return words.get(hint, str(hint)) if isinstance(hint, type) else str(hint)


def _several(hint: object) -> str:
    """Return the plural: the first noun of what `in_words` says."""
    noun, of, rest = in_words(hint).removeprefix("a ").partition(" of ")
    return f"{noun}s{of}{rest}"
