"""The methods that a recipe can name, and how a step's keys become a method.

A method of one's own is entered with `enter`, and is then a method like any other.
"""

from __future__ import annotations

import dataclasses
import importlib
import types
import typing
from collections.abc import Mapping

from tacita.errors import TacitaError, UsageError, did_you_mean, faults_text, listed
from tacita.masking.method import Method

_HOMES: dict[str, str] = {}
"""The module and class of each method: a method is imported when it is used."""

_ENTERED: dict[str, type[Method]] = {}


def names() -> tuple[str, ...]:
    """Return the names of all methods."""
    return tuple(sorted({*_HOMES, *_ENTERED}))


def enter(method: type[Method]) -> None:
    """Let recipes name a method of one's own; see `masking.contract` for what it has to keep to."""
    _ENTERED[method.name] = method


def named(name: str) -> type[Method]:
    """Return the class of a method, or raise with the nearest name."""
    if name in _ENTERED:
        return _ENTERED[name]
    if name not in _HOMES:
        raise UsageError(f"no method '{name}'{did_you_mean(name, names())}", do=f"use one of: {listed(names(), 99)}")
    module, _, member = _HOMES[name].partition(":")
    found: type[Method] = getattr(importlib.import_module(f"tacita.masking.{module}"), member)
    return found


def made(name: str, parameters: Mapping[str, object], *, where: str = "") -> Method:
    """Return a method with parameters as a recipe gives them; all faults are told together."""
    method = named(name)
    fields = {field.name: field for field in dataclasses.fields(typing.cast(typing.Any, method)) if field.init}
    hints = typing.get_type_hints(method)
    faults: list[str] = []
    given: dict[str, object] = {}
    for key, value in parameters.items():
        if key not in fields:
            faults.append(f"'{name}' has no parameter '{key}'{did_you_mean(key, fields)}")
            continue
        fitted, fits = _fitted(value, hints[key])
        if fits:
            given[key] = fitted
        else:
            faults.append(f"'{key}' of '{name}' must be {_in_words(hints[key])}")
    faults += [f"'{name}' needs '{key}'" for key, field in fields.items() if key not in parameters and _required(field)]
    if faults:
        raise UsageError(faults_text(faults), where=where or None, do=f"'{name}' takes {listed(list(fields), 20)}")
    try:
        return method(**given)
    except TacitaError as error:
        if where and not error.where:
            error.where = where
        raise


def _required(field: dataclasses.Field[typing.Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _fitted(value: object, hint: object) -> tuple[object, bool]:
    """Return a value of TOML as the type that a parameter has, and whether it could be one."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in {types.UnionType, typing.Union}:
        for each in arguments:
            fitted, fits = _fitted(value, each)
            if fits:
                return fitted, True
        return value, False
    if origin is typing.Literal:
        return value, value in arguments
    if origin is tuple:
        if isinstance(value, str) or not isinstance(value, list | tuple):
            return value, False
        kinds = [arguments[0]] * len(value) if arguments[1:] == (...,) else list(arguments)
        if len(kinds) != len(value):
            return value, False
        parts = [_fitted(each, kind) for each, kind in zip(value, kinds, strict=True)]
        return tuple(part for part, _ in parts), all(fits for _, fits in parts)
    if origin in {Mapping, dict} or (isinstance(origin, type) and issubclass(origin, Mapping)):
        if not isinstance(value, Mapping):
            return value, False
        parts = [_fitted(each, arguments[1]) for each in value.values()]
        return dict(zip(value, (part for part, _ in parts), strict=True)), all(fits for _, fits in parts)
    if hint is float:
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        return (float(value), True) if fits else (value, False)  # type: ignore[arg-type]
    if hint is int:
        return value, isinstance(value, int) and not isinstance(value, bool)
    return value, hint in {typing.Any, object} or (isinstance(hint, type) and isinstance(value, hint))


def _in_words(hint: object) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in {types.UnionType, typing.Union}:
        return " or ".join(_in_words(each) for each in arguments if each is not type(None))
    if origin is typing.Literal:
        return " or ".join(map(str, arguments))
    if origin is tuple:
        return f"a list of {_in_words(arguments[0]).removeprefix('a ')}s" if arguments[1:] == (...,) else "a list"
    if origin in {Mapping, dict} or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return "a table"
    words = {float: "a number", int: "a whole number", str: "a text", bool: "true or false"}
    return words.get(hint, str(hint)) if isinstance(hint, type) else str(hint)
