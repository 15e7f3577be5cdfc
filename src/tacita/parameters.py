"""Parameters of methods, measures and attackers: how the keys of a recipe become the fields of a dataclass."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping

from tacita.errors import TacitaError, UsageError, did_you_mean, faults_text, listed

Made = typing.TypeVar("Made")


def built(kind: type[Made], name: str, parameters: Mapping[str, object], *, where: str = "") -> Made:
    """Return an object of a class with the parameters of a recipe; all faults are told together.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Rounding:
    ...     base: float = 5.0
    >>> built(Rounding, "rounding", {"base": 10})
    Rounding(base=10.0)
    """
    fields = {field.name: field for field in dataclasses.fields(typing.cast(typing.Any, kind)) if field.init}
    hints = typing.get_type_hints(kind)
    faults: list[str] = []
    given: dict[str, object] = {}
    for key, value in parameters.items():
        if key not in fields:
            faults.append(f"'{name}' has no parameter '{key}'{did_you_mean(key, fields)}")
            continue
        held, fits = fitted(value, hints[key])
        if fits:
            given[key] = held
        else:
            faults.append(f"'{key}' of '{name}' must be {in_words(hints[key])}")
    faults += [f"'{name}' needs '{key}'" for key, field in fields.items() if key not in parameters and _required(field)]
    if faults:
        raise UsageError(faults_text(faults), where=where or None, do=f"'{name}' takes {listed(list(fields), 20)}")
    try:
        return kind(**given)
    except TacitaError as error:
        if where and not error.where:
            error.where = where
        raise


def _required(field: dataclasses.Field[typing.Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def fitted(value: object, hint: object) -> tuple[object, bool]:
    """Return a value of TOML as the type that a parameter has, and whether it could be one."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in {types.UnionType, typing.Union}:
        for each in arguments:
            held, fits = fitted(value, each)
            if fits:
                return held, True
        return value, False
    if origin is typing.Literal:
        return value, value in arguments
    if origin is tuple:
        if isinstance(value, str) or not isinstance(value, list | tuple):
            return value, False
        kinds = [arguments[0]] * len(value) if arguments[1:] == (...,) else list(arguments)
        if len(kinds) != len(value):
            return value, False
        parts = [fitted(each, kind) for each, kind in zip(value, kinds, strict=True)]
        return tuple(part for part, _ in parts), all(fits for _, fits in parts)
    if origin in {Mapping, dict} or (isinstance(origin, type) and issubclass(origin, Mapping)):
        if not isinstance(value, Mapping):
            return value, False
        parts = [fitted(each, arguments[1]) for each in value.values()]
        return dict(zip(value, (part for part, _ in parts), strict=True)), all(fits for _, fits in parts)
    if hint is float:
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        return (float(value), True) if fits else (value, False)  # type: ignore[arg-type]
    if hint is int:
        return value, isinstance(value, int) and not isinstance(value, bool)
    return value, hint in {typing.Any, object} or (isinstance(hint, type) and isinstance(value, hint))


def in_words(hint: object) -> str:
    """Return what a parameter must be, for a message.

    >>> in_words(tuple[str, ...]), in_words(float | None)
    ('a list of texts', 'a number')
    >>> in_words(tuple[tuple[str, ...], ...])
    'a list of lists of texts'
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in {types.UnionType, typing.Union}:
        return " or ".join(in_words(each) for each in arguments if each is not type(None))
    if origin is typing.Literal:
        return " or ".join(map(str, arguments))
    if origin is tuple:
        return f"a list of {_several(arguments[0])}" if arguments[1:] == (...,) else "a list"
    if origin in {Mapping, dict} or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return "a table"
    words = {float: "a number", int: "a whole number", str: "a text", bool: "true or false"}
    return words.get(hint, str(hint)) if isinstance(hint, type) else str(hint)


def _several(hint: object) -> str:
    """Return the plural: the first noun of what `in_words` says."""
    noun, of, rest = in_words(hint).removeprefix("a ").partition(" of ")
    return f"{noun}s{of}{rest}"
