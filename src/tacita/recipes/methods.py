"""Every method that a step can name: those on records as arrays, and those in the engine."""

from __future__ import annotations

from collections.abc import Mapping

from tacita.errors import UsageError, did_you_mean
from tacita.masking import catalogue
from tacita.masking.method import Method
from tacita.parameters import built
from tacita.recipes.engine_methods import EngineMethod, GlobalRecoding, Intervals, KAnonymity

ENGINE: dict[str, type[EngineMethod]] = {each.name: each for each in (GlobalRecoding, Intervals, KAnonymity)}


def names() -> tuple[str, ...]:
    """Return the names of all methods."""
    return tuple(sorted({*ENGINE, *catalogue.names()}))


def named(name: str) -> type[Method] | type[EngineMethod]:
    """Return the class of a method, or raise with the nearest name."""
    if name in ENGINE:
        return ENGINE[name]
    if name not in catalogue.names():
        raise UsageError(f"no method '{name}'{did_you_mean(name, names())}", do="'tacita methods' lists them all")
    return catalogue.named(name)


def made(name: str, parameters: Mapping[str, object], *, where: str = "") -> Method | EngineMethod:
    """Return a method with the parameters of a step; all faults are told together.

    >>> made("k-anonymity", {"k": 5}).k
    5
    """
    return built(named(name), name, parameters, where=where)
