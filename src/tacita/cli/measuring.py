"""Options that say how risk is measured, made into what the rooms below understand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.errors import UsageError

if TYPE_CHECKING:
    from tacita.api.dataset import Dataset
    from tacita.model.dictionary import MissingAs
    from tacita.risk.null_semantics import Nulls

_SHORT = {"maybe": ("maybe-match", None), "strict": ("alpha", 0.0)}
"""Short names of meanings of a null: strict is alpha = 0, nobody leans on the nulls of others."""


def measures_asked(
    names: list[str], pairs: list[str], *, k: int, threshold: float | None, original: Any = None
) -> tuple[Any, ...]:
    """Return the measures that were asked for, with their parameters; `original` are data before masking."""
    from dataclasses import replace

    from tacita.api.catalogues import catalogue_of

    measures = catalogue_of("measure")
    chosen: list[Any] = []
    for name, parameters in parameters_asked(names, pairs, k=k, threshold=threshold):
        measure = measures.make(name, parameters)
        takes_original = original is not None and measures.fact(measure, "needs_original")
        chosen.append(replace(measure, original=original) if takes_original else measure)
    return tuple(chosen)


def parameters_asked(
    names: list[str], pairs: list[str], *, k: int | None, threshold: float | None
) -> list[tuple[str, dict[str, Any]]]:
    """Return the names of the measures that were asked for, each with its parameters.

    A parameter is written behind the name of its measure (``l-diversity:l=2,sensitive=illness``) or given by --param:
    for all measures that have it (``l=2``), or for one (``l-diversity.l=2``).
    """
    from tacita.api.catalogues import catalogue_of

    measures = catalogue_of("measure")
    given: dict[str, Any] = {}
    if pairs:
        from tacita.rules.typed_parameters import parsed_parameters

        given = parsed_parameters(pairs)
    if not names:
        if given or threshold is not None:
            raise UsageError("--param and --threshold need a measure", do="add --measure NAME")
        return []
    asked = [with_parameters(name) for name in dict.fromkeys(names)]
    alone = len({name for name, _ in asked}) == 1  # then it must take everything, or say what is wrong
    found = []
    used: set[str] = set()
    for name, inline in asked:
        own = {p.rpartition(".")[2]: p for p in given if p.rpartition(".")[0] in {"", name}}
        known = {p.name for p in measures.parameters(name)} if name in measures else None
        values = {p: given[o] for p, o in own.items() if known is None or p in known or "." in o or alone}
        used |= {own[short] for short in values}
        if twice := [short for short in values if short in inline]:
            raise UsageError(f"{twice[0]} of {name} is given twice, by --measure and by --param", do="give it once")
        values |= inline
        if k is not None and name in measures and measures.fact(name, "counts_look_alikes"):
            values.setdefault("k", k)
        if threshold is not None:
            if "threshold" in values:
                raise UsageError(f"the threshold of {name} is given twice", do="leave out --threshold")
            values["threshold"] = threshold
        found.append((name, values))
    unused = [p for p in given if p not in used]
    if unused:
        raise UsageError(
            f"no measure asked for has a parameter '{unused[0]}'", do="see 'tacita measures' for their parameters"
        )
    return found


def with_parameters(text: str) -> tuple[str, dict[str, Any]]:
    """Return a measure and the parameters written behind its name: ``l-diversity:l=2,sensitive=illness``."""
    name, colon, rest = text.partition(":")
    if not colon or "=" not in rest:
        return text, {}
    from tacita.rules.typed_parameters import parsed_parameters

    return name.strip(), dict(parsed_parameters(_pairs(rest)))


def _pairs(text: str) -> list[str]:
    """Return NAME=VALUE pairs with commas between; a comma within brackets or quotes belongs to a value.

    >>> _pairs("l=2,sensitive=illness"), _pairs('margins=[a, b],k=3')
    (['l=2', 'sensitive=illness'], ['margins=[a, b]', 'k=3'])
    """
    parts, depth, quoted = [""], 0, False
    for sign in text:
        quoted ^= sign == '"'
        depth += (sign in "[(") - (sign in ")]")
        if sign == "," and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def nulls_asked(
    missing_as: str | None, nulls: str | None, alpha: float | None
) -> tuple[Nulls | None, MissingAs | None]:
    """Return how nulls should count and what a missing value of the source is, each None if nothing was said."""
    from tacita.errors import did_you_mean
    from tacita.model.dictionary import MissingAs
    from tacita.risk.null_semantics import Distribution, Nulls, Semantics

    if alpha is not None and nulls != "alpha":
        raise UsageError("--alpha is for --nulls alpha alone", do="add --nulls alpha, or leave it out")
    if missing_as is not None and missing_as not in set(MissingAs):
        raise UsageError(f"--missing-as cannot be '{missing_as}'", do="use unknown, empty or category")
    as_ = MissingAs(missing_as) if missing_as else None
    if nulls is None:
        return None, as_
    known = [*_SHORT, *Semantics, "expected-marginal"]
    if nulls not in known:
        raise UsageError(
            f"--nulls cannot be '{nulls}'{did_you_mean(nulls, known)}", do=f"use one of {', '.join(known)}"
        )
    if nulls == "expected-marginal":
        return Nulls(semantics=Semantics.EXPECTED, distribution=Distribution.MARGINAL), as_
    name, fixed = _SHORT.get(nulls, (nulls, alpha))
    weight = (0.5 if fixed is None else fixed) if name == Semantics.ALPHA else 1.0
    return Nulls(semantics=Semantics(name), alpha=weight), as_


def links_asked(data: Dataset, programs: list[str], inputs: dict[str, str]) -> dict[str, Any]:
    """Return who belongs together as rules say it, by what their clusters are called."""
    if inputs and not programs:
        raise UsageError("--input gives facts to --related, which is not there", do="add --related PROGRAM")
    if not programs:
        return {}
    from tacita.reasoning.links import related

    links: dict[str, Any] = {}
    for each in programs:
        word, equals, program = each.partition("=")
        program, word = (program, word) if equals else (each, "group")
        if word in links:
            raise UsageError(f"--related names '{word}' twice", do="name them: --related family=family_links")
        links[word] = related(program, data.microdata, inputs)
    return links
