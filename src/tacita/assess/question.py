"""A question: what is asked of microdata when their risk is assessed. Fields that a user fills carry their options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Self

from tacita.engines.protocol import Relation
from tacita.errors import UsageError
from tacita.forms import Form
from tacita.model.dictionary import MissingAs
from tacita.model.microdata import Microdata
from tacita.options import Typed, option
from tacita.risk.catalogue import MEASURES
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Nulls, default_nulls
from tacita.risk.options import DEFAULT_K, INPUTS, MISSING_AS, NULLS, RELATED, check_k, measures_typed

_K = Typed("k", int, "How many records should look alike; default: 3.", ("--k",), least=1)
_POPULATION = Typed("population", str, "The population or a register, for k-map, delta-presence and journalist risk.")
_ORIGINAL = Typed("original", str, "The data before masking, record by record, for interval-disclosure.")


def _parse_measures(typed: Mapping[str, Any], flag: str) -> tuple[Measure, ...]:
    names, pairs, k = typed.get("measure") or [], typed.get("param") or [], typed.get("k")
    if k is not None and any(pair.partition("=")[0].strip().rpartition(".")[2] == "k" for pair in pairs):
        raise UsageError("k is given twice, by --k and by --param", do="leave one of them out")
    check_k(names, k, "--k")
    parts = measures_typed(names, pairs, k=k or DEFAULT_K, threshold=typed.get("threshold"))
    return tuple(MEASURES.make(name, parameters) for name, parameters in parts)


_MEASURES = Form(parse=_parse_measures)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of microdata."""

    measures: tuple[Measure, ...] = option(
        (),
        form=_MEASURES,
        key=None,
        typed=(
            Typed(
                "measure",
                list[str],
                "A measure ('tacita measures' lists them) or a rule program; may be repeated. Default: those that fit.",
                ("--measure",),
                metavar="NAME[:PARAMETER=VALUE,...]|FILE.vada",
            ),
            Typed(
                "param",
                list[str],
                "A parameter of the measure, such as k=5 or l-diversity.l=3; may be repeated.",
                ("--param",),
                metavar="[MEASURE.]NAME=VALUE",
            ),
            _K,
            Typed(
                "threshold",
                float,
                "The risk above which a record is unsafe; default: the measure's.",
                least=0,
                most=1,
            ),
        ),
    )
    """Which measures; none: those that fit the data."""
    k: int = option(DEFAULT_K, key=None, typed=(_K,))
    scenarios: tuple[str, ...] = option(
        (),
        "--scenario",
        key=None,
        form=Form(list[str], parse=lambda typed, flag: tuple(typed)),
        help="An attack scenario of the dictionary; may be repeated. Default: all of them.",
    )
    """Attack scenarios of the dictionary by name; none: all of them, and everything together."""
    missing_as: MissingAs | None = option(
        None,
        key=None,
        form=MISSING_AS,
        help="An empty cell is 'unknown' (default) or a 'category'; 'empty': codes are unknown, too.",
    )
    """What a missing value of the source counts as; None: as `nulls`, or the dictionary, says."""
    nulls: Nulls | None = option(
        None,
        key=None,
        form=NULLS,
        typed=(
            Typed("nulls", str, "What an empty cell matches: strict (default), maybe, standard, alpha, expected."),
            Typed(
                "alpha",
                float,
                "Weight of an uncertain match with --nulls alpha; default: 0.5.",
                least=0,
                most=1,
            ),
        ),
    )
    """How nulls count; None: strictly, or as near to it as a measure can (`default_nulls`)."""
    population: Relation | str | None = option(None, key=None, form=Form(), typed=(_POPULATION,))
    """The population or a register: a relation, or the file or address to read."""
    original: Microdata | str | None = option(None, key=None, form=Form(), typed=(_ORIGINAL,))
    """The data before masking, for measures that compare with them: microdata, or the file or address to read."""
    related: Mapping[str, str] = option(
        {},
        key=None,
        form=replace(RELATED, kind=list[str]),
        metavar="[WORD=]PROGRAM",
        help="Rules that say who belongs together (rel), such as company_groups; may be repeated.",
    )
    """Rules that relate identifiers, by what their clusters are called."""
    inputs: Mapping[str, str] = option(
        {},
        "--input",
        key=None,
        form=INPUTS,
        metavar="PREDICATE=FILE",
        help="Facts for --related, such as Own=own.csv.",
    )
    """Files with facts for `related`, by predicate."""
    top: int = option(10, key=None, least=0, help="How many of the riskiest records to show.")
    """How many of the riskiest records to tell about."""
    known: tuple[str, ...] | None = None
    """What the intruder knows, instead of scenarios."""
    links: Mapping[str, Relation] = field(default_factory=lambda: MappingProxyType({}))
    """Pairs of identifiers that belong together, by what their clusters are called."""

    def __post_init__(self) -> None:
        if self.inputs and not self.related:
            raise UsageError("--input gives facts to --related, which is not there", do="add --related PROGRAM")
        if self.nulls is not None and self.missing_as is MissingAs.CATEGORY:
            raise UsageError("--nulls is for empty cells, and --missing-as says category", do="leave one of them out")
        if self.original is not None and not self._some("needs_original"):
            some = ", ".join(MEASURES.names_with("needs_original"))
            raise UsageError(f"--original is for {some} alone", do=f"add --measure {some}")
        if isinstance(self.population, str) and self.measures and not self._some("uses_population"):
            do = f"add one of: {', '.join(MEASURES.names_with('uses_population'))}"
            raise UsageError("no measure asked for looks into the --population", do=do)

    def _some(self, fact: str) -> bool:
        return any(MEASURES.fact(measure, fact) for measure in self.measures)

    def nulls_of(self, measure: Measure | None, microdata: Microdata) -> Nulls:
        """Return how nulls count for a measure, or where records are just counted."""
        nulls = self.nulls or default_nulls(measure, microdata.dictionary.missing_as)
        return nulls if self.missing_as is None else replace(nulls, missing_as=self.missing_as)

    def settle(self, microdata: Microdata) -> Self:
        """Return the question with what it names by file read into the engine of the microdata."""
        from tacita.files.read import read

        population, original = self.population, self.original
        if isinstance(population, str):
            population = read(population, microdata.relation.engine).relation
        if isinstance(original, str):
            original = read(original, microdata.relation.engine)
        return replace(self, population=population, original=original, measures=tuple(self._compared(original)))

    def _compared(self, original: Microdata | None) -> Iterable[Measure]:
        """Yield the measures, with the original for those that compare with it."""
        for measure in self.measures:
            takes_original = original is not None and MEASURES.fact(measure, "needs_original")
            yield replace(measure, original=original) if takes_original else measure  # type: ignore[type-var]
