"""A catalogue: classes by name, imported when they are used, with a user's own beside ours.

The rooms of measures, methods, losses, attackers and table rules each keep one. A fact about an entry is an attribute
of its class, so that adding an entry is adding a class and its name.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from tacita.errors import UsageError, did_you_mean, listed
from tacita.parameters import EntryParameter, fit, parameters_of

Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True)
class Catalogue(Generic[Entry]):
    """The classes of one kind, by name.

    >>> losses = Catalogue("loss", "tacita.utility", {"matrices": "continuous.matrices:Matrices"})
    >>> losses.make("matrices", {"components": 2})
    Matrices(components=2)
    >>> losses.named("matrice")
    Traceback (most recent call last):
        ...
    tacita.errors.UsageError: no loss 'matrice'; did you mean 'matrices'?
      what to do: use one of: matrices
    """

    kind: str
    """What an entry is, for messages: measure, method, loss, attacker."""
    package: str
    """The package that the homes are in."""
    homes: Mapping[str, str]
    """The module and class of each entry, such as ``identity.k_anonymity:KAnonymity``."""
    facts: Mapping[str, object] = field(default_factory=dict)
    """Facts that a class may state as attributes, each with what holds for a class that does not."""
    typed: bool = False
    """Whether parameters are typed behind an option, not written into a file."""
    program: Callable[[str, Mapping[str, Any]], Entry | None] | None = None
    """Makes an entry of a rule program: of its file or name and its parameters; None for a name that is none."""
    beside: Catalogue[Any] | None = None
    """Another catalogue whose entries can be named here as well."""
    advice: str = ""
    """What to do about a name that is unknown; otherwise the names are listed."""
    _entered: dict[str, type[Any]] = field(default_factory=dict, init=False, repr=False)

    def names(self) -> tuple[str, ...]:
        """Return the names of all entries: ours in their order, then those that were entered."""
        others = self.beside.names() if self.beside is not None else ()
        return tuple(dict.fromkeys((*others, *self.homes, *self._entered)))

    def __contains__(self, name: object) -> bool:
        return name in self._entered or name in self.homes or (self.beside is not None and name in self.beside)

    def is_ours(self, name: str) -> bool:
        """Return whether a name means a class of this package, not one that a user entered or a rule program."""
        return name in self.homes and name not in self._entered

    def enter(self, entry: type[Any]) -> None:
        """Let a class of one's own be named by its attribute `name`; it is then an entry like any other."""
        name = getattr(entry, "name", None)
        if not isinstance(name, str) or not name:
            raise UsageError(
                f"the class {entry.__name__} has no name", do=f"give it a class attribute: name = 'my-{self.kind}'"
            )
        self._entered[name] = entry

    def withdraw(self, name: str) -> None:
        """Take back a class that was entered."""
        self._entered.pop(name, None)

    def named(self, name: str) -> type[Entry]:
        """Return the class of a name, or raise with the nearest name."""
        if name in self._entered:
            return self._entered[name]
        if name in self.homes:
            module, _, member = self.homes[name].partition(":")
            return cast("type[Entry]", getattr(importlib.import_module(f"{self.package}.{module}"), member))
        if self.beside is not None and name in self.beside:
            return cast("type[Entry]", self.beside.named(name))
        known = self.names()
        advice = self.advice.format(names=listed(known, 99)) or f"use one of: {listed(known, 99)}"
        raise UsageError(f"no {self.kind} '{name}'{did_you_mean(name, known)}", do=advice)

    def make(self, name: str, parameters: Mapping[str, Any] | None = None, *, where: str = "") -> Entry:
        """Return an entry with its parameters, or a rule program as one; all faults are reported together."""
        if self.program is not None and name not in self:
            by_rules = self.program(name, parameters or {})
            if by_rules is not None:
                return by_rules
        return fit(self.named(name), name, parameters or {}, where=where, typed=self.typed)

    def fact(self, entry: object, fact: str) -> Any:
        """Return a fact about an entry: by its name, or of a class or object that need not be entered."""
        return getattr(self.named(entry) if isinstance(entry, str) else entry, fact, self.facts[fact])

    def names_with(self, fact: str) -> tuple[str, ...]:
        """Return the names of the entries of which a fact holds."""
        return tuple(name for name in self.names() if self.fact(name, fact))

    def meaning(self, name: str) -> str:
        """Return what an entry is for: the first paragraph of its docstring, a sentence."""
        return (self.named(name).__doc__ or "").strip().split("\n\n", maxsplit=1)[0].replace("\n", " ")

    def parameters(self, name: str) -> tuple[EntryParameter, ...]:
        """Return the parameters of an entry."""
        return parameters_of(self.named(name))
