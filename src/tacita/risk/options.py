"""How measures and the meaning of a null are typed at the command line, and how they stand in a TOML file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from tacita.errors import TacitaError, UsageError, did_you_mean, without_credentials
from tacita.forms import BINDINGS, Form, choice, place_in, relative_to
from tacita.knowledge.programs import ENDING
from tacita.model.dictionary import MissingAs
from tacita.risk.catalogue import MEASURES
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Distribution, Nulls, Semantics
from tacita.risk.together import parts_of, together
from tacita.toml.checked import Checked

DEFAULT_K = 3
_GROUP = "group"
"""What clusters are called if nobody says so."""
_SHORT = {"maybe": ("maybe-match", None), "strict": ("alpha", 0.0)}
"""Short names of meanings of a null: strict is alpha = 0, no record counts on the nulls of others."""
MARGINAL = "expected-marginal"
_MEANINGS = (*_SHORT, *Semantics, MARGINAL)
_NULLS_KEYS = ("meaning", "alpha", "missing_as")


# -- measures ----------------------------------------------------------------------------------------------------------


def measures_typed(
    names: Sequence[str], pairs: Iterable[str], *, k: int | None, threshold: float | None
) -> list[tuple[str, dict[str, Any]]]:
    """Return the names of the measures that were typed, each with its parameters.

    A parameter is written behind the name of its measure (``l-diversity:l=2,sensitive=illness``) or given by --param:
    for all measures that have it (``l=2``), or for one (``l-diversity.l=2``).
    """
    given = _parameters_typed(pairs)
    if not names:
        if given or threshold is not None:
            raise UsageError("--param and --threshold need a measure", do="add --measure NAME")
        return []
    wanted = [with_parameters(name) for name in dict.fromkeys(names)]
    is_alone = len({name for name, _ in wanted}) == 1  # then it must take everything, or say what is wrong
    measures = []
    used: set[str] = set()
    for name, inline in wanted:
        own = {p.rpartition(".")[2]: p for p in given if p.rpartition(".")[0] in {"", name}}
        known = {p.name for p in MEASURES.parameters(name)} if name in MEASURES else None
        values = {p: given[o] for p, o in own.items() if known is None or p in known or "." in o or is_alone}
        used |= {own[short] for short in values}
        if twice := [short for short in values if short in inline]:
            raise UsageError(f"{twice[0]} of {name} is given twice, by --measure and by --param", do="give it once")
        values |= inline
        if k is not None and name in MEASURES and MEASURES.fact(name, "counts_look_alikes"):
            values.setdefault("k", k)
        if threshold is not None:
            if "threshold" in values:
                raise UsageError(f"the threshold of {name} is given twice", do="leave out --threshold")
            values["threshold"] = threshold
        measures.append((name, values))
    unused = [p for p in given if p not in used]
    if unused:
        raise UsageError(
            f"no measure asked for has a parameter '{unused[0]}'", do="see 'tacita measures' for their parameters"
        )
    return measures


def with_parameters(text: str) -> tuple[str, dict[str, Any]]:
    """Return a measure and the parameters written behind its name: ``l-diversity:l=2,sensitive=illness``."""
    name, colon, rest = text.partition(":")
    if not colon or "=" not in rest:
        return text, {}
    return name.strip(), _parameters_typed(_pairs(rest))


def check_k(names: Sequence[str], k: int | None, flag: str) -> None:
    """Raise if k is typed by itself and behind a measure."""
    if k is not None and any("k" in given for _, given in map(with_parameters, names)):
        raise UsageError(f"k is given twice, by {flag} and by --measure", do="leave one of them out")


def _parameters_typed(pairs: Iterable[str]) -> dict[str, Any]:
    pairs = list(pairs)
    if not pairs:
        return {}  # without the language of rules, which takes time to load
    from tacita.rules.typed_parameters import parsed_parameters

    return dict(parsed_parameters(pairs))


def _pairs(text: str) -> list[str]:
    """Return NAME=VALUE pairs with commas between; a comma within brackets or quotes belongs to a value.

    >>> _pairs("l=2,sensitive=illness"), _pairs('margins=[a, b],k=3')
    (['l=2', 'sensitive=illness'], ['margins=[a, b]', 'k=3'])
    """
    parts, depth, is_quoted = [""], 0, False
    for sign in text:
        is_quoted ^= sign == '"'
        depth += (sign in "[(") - (sign in ")]")
        if sign == "," and not depth and not is_quoted:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def _parse_measure(typed: Mapping[str, Any], flag: str) -> Measure:
    names, k = typed.get("measure") or ["k-anonymity"], typed.get("k")
    check_k(names, k, "-k")
    parts = measures_typed(names, typed.get("param") or (), k=k or DEFAULT_K, threshold=typed.get("threshold"))
    measure = together([MEASURES.make(name, parameters) for name, parameters in parts])
    if k is not None and all(getattr(part, "k", None) != k for part in parts_of(measure)):
        raise UsageError(f"{measure.name} has no k of look-alikes", do="leave out -k, or say it with --param k=...")
    return measure


def _read_measure(table: Checked, key: str, default: Any) -> Any:
    measures = []
    for number, given in table.tables(key):
        name = given.pop("name", None)
        keys = (*table.keys, key, str(number))
        if not isinstance(name, str) or not name:
            table.faults.add(keys, "a measure needs a 'name'")
            continue
        name = place_in(name, table.folder) if name.endswith(ENDING) else name
        try:
            measures.append(MEASURES.make(name, given))
        except TacitaError as error:
            table.faults.add_error(keys, error)
    return together(measures) if measures else default


def _write_measure(measure: Measure, folder: Path) -> list[dict[str, Any]]:
    return [_measure_entry(part, folder) for part in parts_of(measure)]


def _measure_entry(measure: Any, folder: Path) -> dict[str, Any]:
    if hasattr(measure, "program"):
        name = program_entry(str(measure.program.source), folder)
        return {"name": name, **measure.parameters, "threshold": measure.threshold}
    if measure.name not in MEASURES or MEASURES.named(measure.name) is not type(measure):
        raise UsageError(f"{measure.name} is no measure of the catalogue, so no file can name it", do="enter its class")
    if getattr(measure, "original", None) is not None:
        raise UsageError(f"{measure.name} compares with data that no file can hold", do="give them with --original")
    values = {p.name: getattr(measure, p.name) for p in MEASURES.parameters(measure.name)}
    return {"name": measure.name, **{name: _plain(value) for name, value in values.items() if value is not None}}


def program_entry(source: str, folder: Path) -> str:
    """Return how a file in a folder names a rule program: a shipped one by its name, another one by its path."""
    from tacita.knowledge import programs

    name = source.removesuffix(ENDING)
    if name in programs.names() and not Path(source).exists():
        return name
    return relative_to(source, folder)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value.value if isinstance(value, StrEnum) else value


MEASURE = Form(parse=_parse_measure, read=_read_measure, write=_write_measure)
"""One measure, or several that hold together: typed with -k, --threshold and --param; in a file [[measure]]."""


# -- nulls -------------------------------------------------------------------------------------------------------------


def nulls_named(word: str, alpha: float | None = None, flag: str = "--nulls") -> Nulls:
    """Return how nulls count, by a word such as ``strict``."""
    if word not in _MEANINGS:
        do = f"use one of {', '.join(_MEANINGS)}"
        raise UsageError(f"{flag} cannot be '{word}'{did_you_mean(word, _MEANINGS)}", do=do)
    if word == MARGINAL:
        return Nulls(semantics=Semantics.EXPECTED, distribution=Distribution.MARGINAL)
    name, fixed = _SHORT.get(word, (word, alpha))
    weight = (0.5 if fixed is None else fixed) if name == Semantics.ALPHA else 1.0
    return Nulls(semantics=Semantics(name), alpha=weight)


def _parse_nulls(typed: Mapping[str, Any], flag: str) -> Nulls:
    word, lean, alpha = typed.get("nulls"), typed.get("lean"), typed.get("alpha")
    if lean is not None and word is not None:
        raise UsageError("--lean and --nulls say the same thing twice", do="leave one of them out")
    if alpha is not None and word != "alpha":
        raise UsageError("--alpha is for --nulls alpha alone", do="add --nulls alpha, or leave it out")
    return nulls_named("alpha" if lean is not None else str(word), alpha if lean is None else lean)


def _read_nulls(table: Checked, key: str, default: Any) -> Any:
    given = table.table.get(key)
    if given is None:
        return default
    if not isinstance(given, dict):
        word = table.text(key, None, among=_MEANINGS)
        return default if word is None else nulls_named(word)
    below = table.below(key, _NULLS_KEYS)
    word = below.text("meaning", "alpha", among=_MEANINGS)
    alpha = below.number("alpha", None, least=0, most=1)
    if alpha is not None and word != "alpha":
        below.fault("alpha", "'alpha' is for the meaning alpha alone")
    missing = below.text("missing_as", MissingAs.UNKNOWN.value, among=[member.value for member in MissingAs])
    nulls = nulls_named(word, alpha)
    return Nulls(MissingAs(missing), nulls.semantics, nulls.alpha, nulls.distribution)


def _write_nulls(nulls: Nulls | None, folder: Path) -> Any:
    if nulls is None:
        return None
    entry: dict[str, Any] = {"meaning": _word_of(nulls)}
    if entry["meaning"] == "alpha":
        entry["alpha"] = nulls.alpha
    if nulls.missing_as is not MissingAs.UNKNOWN:
        entry["missing_as"] = nulls.missing_as.value
    return entry["meaning"] if len(entry) == 1 else entry


def _word_of(nulls: Nulls) -> str:
    if nulls.semantics is Semantics.ALPHA:
        return "strict" if nulls.alpha == 0 else "alpha"
    if nulls.semantics is Semantics.EXPECTED and nulls.distribution is Distribution.MARGINAL:
        return MARGINAL
    return "maybe" if nulls.semantics is Semantics.MAYBE_MATCH else nulls.semantics.value


NULLS = Form(parse=_parse_nulls, read=_read_nulls, write=_write_nulls)
"""The meaning of a null: typed as a word, or as the weight of an uncertain match; in a file a word or a table."""


def _parse_missing_as(typed: Any, flag: str) -> MissingAs:
    if typed not in set(MissingAs):
        raise UsageError(f"{flag} cannot be '{typed}'", do="use unknown, empty or category")
    return MissingAs(typed)


MISSING_AS = replace(choice(MissingAs), parse=_parse_missing_as)
"""What a missing value of the source counts as."""


# -- rule programs and places ---------------------------------------------------------------------------------------


def public_place(place: str, folder: Path) -> str:
    """Return a place as it stands in the file of settings, which holds no password."""
    if without_credentials(place, is_place=True) != place:
        raise UsageError(
            "an address of the plan holds a password, and the file of settings holds no secret",
            do="leave the password to the settings of the database, such as ~/.pgpass",
        )
    return relative_to(place, folder)


def _program_in(text: str, folder: Path) -> str:
    return place_in(text, folder) if text.endswith(ENDING) else text


def _read_program(table: Checked, key: str, default: Any) -> Any:
    text = table.text(key, None)
    return default if text is None else _program_in(text, table.folder)


PROGRAM = Form(
    read=_read_program, write=lambda value, folder: None if value is None else program_entry(str(value), folder)
)
"""A rule program by its name or its file."""


def _parse_related(typed: str | list[str], flag: str) -> dict[str, str]:
    programs: dict[str, str] = {}
    for text in [typed] if isinstance(typed, str) else typed:
        word, equals, program = text.partition("=")
        program, word = (program, word) if equals else (text, _GROUP)
        if word in programs:
            raise UsageError(f"{flag} names '{word}' twice", do="name them: --related family=family_links")
        programs[word] = program
    return programs


RELATED = Form(
    parse=_parse_related,
    read=lambda table, key, default: _texts(table, key, default, _program_in),
    write=lambda value, folder: {word: program_entry(program, folder) for word, program in value.items()} or None,
)
"""A program that relates records, by what their clusters are called; in a file a table."""


INPUTS = replace(
    BINDINGS,
    read=lambda table, key, default: _texts(table, key, default, place_in),
    write=lambda value, folder: {name: public_place(str(place), folder) for name, place in value.items()} or None,
)
"""Files by predicate; in a file a table, with paths that begin at the folder of that file."""


def _texts(table: Checked, key: str, default: Any, place: Any) -> Any:
    if key not in table.table:
        return default
    below = table.open(key)
    texts = {name: below.text(name, None) for name in below.table}
    return {name: place(text, table.folder) for name, text in texts.items() if text is not None}
