"""Options of the command line, made of the fields of the values that they fill.

`takes` gives a command all options of one or several dataclasses (`tacita.options`) and hands it ready values;
`reads_data` does so for `DataRequest`, the options of every command that reads data.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, cast, get_type_hints

import typer

from tacita.errors import UsageError
from tacita.forms import Form, once, split_binding, split_pair
from tacita.options import Given, Typed, option, options_of
from tacita.progress import Progress, silent
from tacita.settings import Settings

if TYPE_CHECKING:
    from tacita.api.dataset import Dataset

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]

_READING, _ROLES, _MACHINE = "Reading", "Roles", "Machine"
_LAST = "request"
"""The parameter whose options stand last on a help page."""


_PAIRS = Form(list[str], parse=lambda typed, flag: once((split_pair(pair, flag) for pair in typed), flag))
"""NAME=VALUE, with the values as they are typed."""


@dataclass(frozen=True, slots=True)
class DataRequest:
    """What a user asked to be read, and how. Each field is an option of every command that reads data."""

    delimiter: str | None = option(None, panel=_READING, help="What separates fields: , ; | or tab.")
    quote: str | None = option(None, panel=_READING, help="Quote character, or none.")
    encoding: str | None = option(None, panel=_READING, help="Encoding of a text file, such as cp1252.")
    decimal: str | None = option(None, panel=_READING, help="Decimal sign: . or ,")
    thousands: str | None = option(None, panel=_READING, help="Thousands sign.")
    dates: str | None = option(
        None, panel=_READING, help="Order of dates such as 01/02/2024: day-first or month-first."
    )
    no_header: bool = option(False, "--no-header", panel=_READING, help="The first line is data.")
    missing: tuple[str, ...] = option(
        (), panel=_READING, help="Spellings of a missing value, with commas between; may be repeated."
    )
    one_spelling: tuple[str, ...] = option(
        (),
        panel=_READING,
        help="Attributes in which spellings that differ in case or blanks are one value; may be repeated.",
    )
    as_: Mapping[str, str] = option(
        {},
        "--as",
        panel=_READING,
        form=_PAIRS,
        help="NAME=TYPE: text, integer, number, date, timestamp or boolean; may be repeated.",
    )
    sheet: str | None = option(None, panel=_READING, help="Sheet of a workbook, by name or number.")
    table: str | None = option(None, panel=_READING, help="Table of a database.")
    query: str | None = option(None, panel=_READING, help="Query of a database.")
    dictionary: Path | None = option(None, panel=_ROLES, help="Dictionary file; by default the one beside the data.")
    quasi: tuple[str, ...] | None = option(
        None, panel=_ROLES, help="Quasi-identifiers, with commas between; may be repeated."
    )
    sensitive: tuple[str, ...] = option(
        (), panel=_ROLES, help="Sensitive attributes, with commas between; may be repeated."
    )
    identifier: tuple[str, ...] = option((), panel=_ROLES, help="Identifiers, with commas between; may be repeated.")
    weight: str | None = option(None, panel=_ROLES, help="Sampling weight.")
    cluster: str | None = option(None, panel=_ROLES, help="Household or group key.")
    memory: str | None = option(None, panel=_MACHINE, help="Most memory of the engine, such as 4GB.")
    threads: int | None = option(None, panel=_MACHINE, help="Threads of the engine.")
    spill: Path | None = option(None, panel=_MACHINE, help="Folder for what does not fit in memory.")

    def quasi_identifiers(self) -> list[str] | None:
        """Return the quasi-identifiers that were given, or None."""
        if self.quasi == ():
            raise UsageError("--quasi names no attribute", do="name some, or leave it out to have them proposed")
        return list(self.quasi) if self.quasi else None

    def settings(self) -> Settings:
        """Return the settings of the environment with the options on top."""
        return Settings.from_environment(memory=self.memory, threads=self.threads, spill=self.spill)

    def read(
        self, source: str, progress: Progress = silent, *, use_dictionary: bool = True, only_given_roles: bool = False
    ) -> Dataset:
        """Read a source as the options say; with `only_given_roles` no other attribute is a quasi-identifier."""
        from tacita.api.reading import ReadOptions, read, types_named

        options = ReadOptions(
            delimiter={"tab": "\t", "\\t": "\t"}.get(self.delimiter or "", self.delimiter),
            quote={"none": "", "double": '"', "single": "'"}.get(self.quote or "?", self.quote),
            encoding=self.encoding,
            decimal=self.decimal,
            thousands=self.thousands,
            header=not self.no_header,
            dates=self.dates,
            missing=self.missing,
            one_spelling=self.one_spelling,
            types=types_named(self.as_),
            sheet=self.sheet,
            table=self.table,
            query=self.query,
            progress=progress,
        )
        data = read(
            source, options, dictionary=self.dictionary, use_dictionary=use_dictionary, settings=self.settings()
        )
        if not any((self.quasi, self.sensitive, self.identifier, self.weight, self.cluster)):
            return data
        return data.with_roles(
            quasi=self.quasi or (),
            sensitive=self.sensitive,
            identifier=self.identifier,
            weight=self.weight,
            cluster=self.cluster,
            only=only_given_roles,
        )


def bindings(pairs: Iterable[str] | None, option: str) -> dict[str, str]:
    """Return files by predicate, of options such as ``Own=own.csv``; a predicate has one.

    >>> bindings(["Own=own.csv", "Person=people.csv"], "--input")
    {'Own': 'own.csv', 'Person': 'people.csv'}
    """
    if not pairs:
        return {}
    return once((split_binding(pair, option) for pair in pairs), option)


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
    typed = {name: list(_typed_options(_class_of(kind))) for name, kind in classes.items()}

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


def _typed_options(cls: type[Any]) -> Iterator[Typed]:
    """Yield what can be typed for a class, each once."""
    yield from {typed.name: typed for one in options_of(cls).values() for typed in one.typed}.values()


reads_data = takes(request=DataRequest)
"""Give a command every option of `DataRequest`; the command takes the request as its argument ``request``."""
