"""The measures by name, and their parameters as people type them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from enum import StrEnum
from importlib import import_module
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from tacita.errors import UsageError, did_you_mean, listed
from tacita.knowledge.program_texts import ENDING, ProgramText
from tacita.risk.measure import Measure

MEASURES = {
    "k-anonymity": "identity.k_anonymity:KAnonymity",
    "reidentification": "identity.reidentification:Reidentification",
    "individual-risk": "identity.individual_risk:IndividualRisk",
    "suda": "identity.suda:Suda",
    "keys": "identity.keys:Keys",
    "l-diversity": "attribute.l_diversity:LDiversity",
    "t-closeness": "attribute.t_closeness:TCloseness",
    "alpha-k": "attribute.alpha_k:AlphaK",
    "beta-likeness": "attribute.beta_likeness:BetaLikeness",
    "k-map": "population.k_map:KMap",
    "delta-presence": "population.delta_presence:DeltaPresence",
    "file-risk": "population.file_risk:FileRisk",
    "population-uniqueness": "population.population_uniqueness:PopulationUniqueness",
    "log-linear": "population.log_linear:LogLinear",
    "interval-disclosure": "continuous.interval_disclosure:IntervalDisclosure",
}
"""Name -> module and class."""


def measure_class(name: str) -> type[Any]:
    """Return the class of a measure, or raise with the nearest name."""
    if name not in MEASURES:
        raise UsageError(
            f"no measure '{name}'{did_you_mean(name, MEASURES)}",
            do=f"use one of: {', '.join(MEASURES)}; or a rule program, such as ./my_measure{ENDING}",
        )
    module, cls = MEASURES[name].split(":")
    found: type[Any] = getattr(import_module(f"tacita.risk.{module}"), cls)
    return found


def measure(name: str, parameters: Mapping[str, Any] | None = None) -> Measure:
    """Return a measure by its name, or the rule program of that file or name as one.

    >>> measure("k-anonymity", {"k": 5})
    KAnonymity(k=5, threshold=0.5)
    """
    parameters = dict(parameters or {})
    if name not in MEASURES and _is_program(name):
        from tacita.risk.ruled import Ruled

        threshold = parameters.pop("threshold", 0.5)
        return Ruled(ProgramText.of(name), parameters, _fitted(name, "threshold", threshold, float))
    cls = measure_class(name)
    known = {field.name: field for field in settable(cls)}
    hints = get_type_hints(cls)
    for parameter in parameters:
        if parameter not in known:
            raise UsageError(
                f"{name} has no parameter '{parameter}'{did_you_mean(parameter, known)}",
                do=f"use one of: {listed(list(known), 20)}",
            )
    made: Measure = cls(**{p: _fitted(name, p, value, hints[p]) for p, value in parameters.items()})
    return made


def _is_program(name: str) -> bool:
    from tacita.knowledge import programs

    return name.endswith(ENDING) or name in programs.names()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a measure, for lists."""

    name: str
    default: str
    choices: tuple[str, ...] = ()


def parameters_of(name: str) -> list[Parameter]:
    """Return the parameters of a measure.

    >>> parameters_of("k-anonymity")
    [Parameter(name='k', default='3', choices=()), Parameter(name='threshold', default='0.5', choices=())]
    """
    cls = measure_class(name)
    hints = get_type_hints(cls)
    return [Parameter(f.name, _default(f), _choices(hints[f.name])) for f in settable(cls)]


def meaning(name: str) -> str:
    """Return what a measure says, in a sentence."""
    return (measure_class(name).__doc__ or "").strip().split("\n\n", maxsplit=1)[0].replace("\n", " ")


def settable(cls: type[Any]) -> list[Field[Any]]:
    """Return the parameters that can be typed; what is handed over as data is left out."""
    hints = get_type_hints(cls)
    return [f for f in fields(cls) if f.init and _is_plain(hints[f.name])]


def _is_plain(hint: Any) -> bool:
    if get_origin(hint) in {Union, UnionType}:
        return all(_is_plain(part) for part in get_args(hint) if part is not NoneType)
    if get_origin(hint) is tuple:
        return all(_is_plain(part) for part in get_args(hint) if part is not Ellipsis)
    return get_origin(hint) is Literal or hint in {int, float, str, bool} or _is_enum(hint)


def _is_enum(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, StrEnum)


def _choices(hint: Any) -> tuple[str, ...]:
    if get_origin(hint) is Literal:
        return tuple(str(choice) for choice in get_args(hint))
    return tuple(member.value for member in hint) if _is_enum(hint) else ()


def _default(field: Field[Any]) -> str:
    if field.default is MISSING:
        return ""
    if isinstance(field.default, tuple):
        return ",".join(str(item) for item in field.default)
    return "" if field.default is None else str(field.default)


def _fitted(name: str, parameter: str, value: Any, hint: Any) -> Any:
    """Return a value in the type of its parameter, or raise."""
    fits, fitted = _as(value, hint)
    if not fits:
        choices = _choices(hint)
        do = (
            f"use one of: {', '.join(choices)}" if choices else f"write for example --param {_example(parameter, hint)}"
        )
        near = did_you_mean(str(value), choices) if choices else ""
        raise UsageError(f"{parameter} of {name} must be {_wanted(hint)}, not '{value}'{near}", do=do)
    if parameter == "threshold" and not 0 <= fitted <= 1:
        raise UsageError(f"threshold of {name} is {fitted:g}", do="a risk is from 0 to 1, and so is its threshold")
    return fitted


def _as(value: Any, hint: Any) -> tuple[bool, Any]:
    """Return whether a value fits a type, and the value in that type."""
    if get_origin(hint) in {Union, UnionType}:
        if value is None and NoneType in get_args(hint):
            return True, None
        for part in (part for part in get_args(hint) if part is not NoneType):
            fits, fitted = _as(value, part)
            if fits:
                return True, fitted
        return False, None
    if get_origin(hint) is tuple:
        items = [_as(item, get_args(hint)[0]) for item in (value if isinstance(value, list | tuple) else [value])]
        return all(fits for fits, _ in items), tuple(fitted for _, fitted in items)
    choices = _choices(hint)
    if choices:
        return str(value) in choices, hint(value) if _is_enum(hint) and str(value) in choices else value
    if isinstance(value, bool) or hint is bool:
        return hint is bool and isinstance(value, bool), value
    if hint is float:
        return isinstance(value, int | float), float(value) if isinstance(value, int | float) else value
    if hint is str:
        return isinstance(value, str | int | float), str(value)
    return isinstance(value, hint), value


def _wanted(hint: Any) -> str:
    """Return what a parameter takes, in words."""
    if get_origin(hint) in {Union, UnionType}:
        return " or ".join(_wanted(part) for part in get_args(hint) if part is not NoneType)
    if get_origin(hint) is tuple:
        return "a list"
    if _choices(hint):
        return "one of its choices"
    return {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}[hint]


def _example(parameter: str, hint: Any) -> str:
    if "a list" in _wanted(hint):
        return f"{parameter}=[1, 2, 3]" if int in get_args(get_args(hint)[-1]) else f"{parameter}=[a, b]"
    return f"{parameter}=" + ("true" if hint is bool else "name" if "text" in _wanted(hint) else "3")
