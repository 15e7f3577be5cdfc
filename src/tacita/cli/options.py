"""Options of the command line, made of the fields of the values that they fill.

`takes` gives a command all options of one or several dataclasses (`tacita.options`) and hands it ready values;
`reads_data` does so for `DataRequest`, the options of every command that reads data.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, Any, cast, get_type_hints

import typer

from tacita.options import Given, Typed, typed_options

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]

DATA = "tacita.api.reading:DataRequest"
"""The options of every command that reads data."""
_LAST = "request"
"""The parameter whose options stand last on a help page."""


@dataclass(frozen=True, slots=True)
class AsTyped:
    """A class of options that a command gets as `Given`: it puts them on top of a file, or asks which were given."""

    cls: type[Any] | str


OptionClass = type[Any] | str | AsTyped


def takes(**classes: OptionClass) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of dataclasses: each is a parameter of the command, which gets a ready value.

    A class that takes long to import is named by its module, as in ``plan="tacita.cycle.plan:Plan"``; it is imported
    when the command is run or its help page shown. Options stand on that page in the order of the parameters, those of
    a `request` last.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def wrapped() -> None:
            raise AssertionError("the command line fills in the options of a command before it runs it")

        wrapped.__signature__ = inspect.Signature()  # type: ignore[attr-defined]
        wrapped.__annotations__ = {}
        wrapped.with_options = functools.partial(_with_options, command, classes)  # type: ignore[attr-defined]
        del wrapped.__wrapped__
        return wrapped

    return decorate


def _with_options(command: Callable[..., None], classes: Mapping[str, OptionClass]) -> Callable[..., None]:
    """Return a command as a function of all its options; those of classes are None where nothing is typed."""
    typed = {name: typed_options(_class_of(kind)) for name, kind in classes.items()}

    def whole(**values: Any) -> None:
        for name, kind in classes.items():
            given: Given[Any] = Given(_class_of(kind), {one.name: values.get(one.name) for one in typed[name]})
            values[name] = given if isinstance(kind, AsTyped) else given.value()
        of_classes = {one.name for options in typed.values() for one in options} - set(classes)
        command(**{name: value for name, value in values.items() if name not in of_classes})

    parameters: dict[str, inspect.Parameter] = {}
    hints = _own_hints(command, classes)
    for name, parameter in inspect.signature(command).parameters.items():
        if name in hints:
            parameters[name] = parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        elif name != _LAST:
            parameters |= {one.name: _parameter(one) for one in typed[name]}
    parameters |= {one.name: _parameter(one) for one in typed.get(_LAST, ())}
    whole.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
    whole.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    whole.of_classes = set(parameters) - set(hints)  # type: ignore[attr-defined]
    return whole


def _own_hints(command: Callable[..., None], classes: Mapping[str, OptionClass]) -> dict[str, Any]:
    """Return the types of the parameters that are options by themselves."""
    names = [name for name in inspect.signature(command).parameters if name not in classes]
    own = SimpleNamespace(__annotations__={name: command.__annotations__[name] for name in names})
    return get_type_hints(own, globalns=getattr(command, "__globals__", {}), include_extras=True)


def _parameter(typed: Typed) -> inspect.Parameter:
    bounds = {"min": typed.least, "max": typed.most}
    bounds = {name: bound for name, bound in bounds.items() if bound is not None}
    shown: Any = typer.Option(
        *typed.flags, help=typed.help, rich_help_panel=typed.panel, metavar=typed.metavar, **cast(Any, bounds)
    )
    kind = typed.kind if typed.default is not None else typed.kind | None
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(typed.name, keyword, default=typed.default, annotation=Annotated[kind, shown])


def _class_of(kind: OptionClass) -> type[Any]:
    """Return a class of options that may be named by its module."""
    kind = kind.cls if isinstance(kind, AsTyped) else kind
    if isinstance(kind, type):
        return kind
    module, _, name = kind.partition(":")
    cls: type[Any] = getattr(importlib.import_module(module), name)
    return cls


reads_data = takes(request=DATA)
"""Give a command every option of `DataRequest`; the command takes the request as its argument ``request``."""
