"""A plan: what is asked of the cycle, and of a release. Everything has a default; a plan is a frozen value.

A field that a user can fill carries its option and its key in the file of a plan (`tacita.options`). What else a plan
needs before it is carried out, such as the relation of a population that is named by its file, `Plan.settle` gets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from tacita.cycle.plan_forms import (
    ATTRIBUTES,
    CELLS,
    PLAN_MEASURE,
    POPULATION,
    PROGRAM_PARAMETERS,
    RELEASE,
    by_rules_alone,
)
from tacita.cycle.suppression.routing import AttributeRoute, TupleOrder
from tacita.engines.protocol import Relation
from tacita.errors import UsageError, faults_text
from tacita.forms import choice
from tacita.model.dictionary import Dictionary, MissingAs
from tacita.model.microdata import Microdata
from tacita.model.roles import Roles
from tacita.options import Typed, option
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Nulls, default_nulls
from tacita.risk.options import INPUTS, MISSING_AS, NULLS, PROGRAM, RELATED
from tacita.risk.together import together

if TYPE_CHECKING:
    from tacita.release.options import ReleaseOptions

_RISK, _CHANGE, _ORDER = "What is safe", "What may be changed", "In which order"
_PROGRAM_ALONE = (
    "program",
    "parameters",
    "inputs",
    "known",
    "sensitive",
    "identifiers",
    "weight",
    "cluster",
    "release",
)
"""The fields that a plan with a program may fill: the rules say everything else."""
_PARAM = Typed(
    "param",
    list[str],
    "A parameter of a measure or program; may be repeated.",
    ("--param",),
    _RISK,
    "[MEASURE.]NAME=VALUE",
)
_PROGRAM = Typed("program", str, "Run the cycle as these rules say it.", panel=_ORDER, metavar="NAME|FILE.vada")


class ChangeMethod(StrEnum):
    """What is done about records that are too risky."""

    SUPPRESSION = "suppression"
    """Single cells become labelled nulls (default)."""
    RECODING = "recoding"
    """Whole columns are rolled up along their hierarchies, as little as possible; what is left is suppressed."""
    LOCAL_RECODING = "local-recoding"
    """The cells of risky records alone are rolled up."""
    AUTO = "auto"
    """Recoding, suppression or both, whichever loses least."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the cycle should reach, by which means, in which order, and how the result is released.

    >>> Plan(importance={"Area": -1})
    Traceback (most recent call last):
        ...
    tacita.errors.UsageError: the importance of 'Area' is -1
      what to do: give a number above 0: the cost of suppressing one of its cells
    """

    measure: Measure = option(
        factory=KAnonymity,
        form=PLAN_MEASURE,
        help="The measures that must hold, each a table with its `name` and its parameters.",
        typed=(
            Typed(
                "measure",
                list[str],
                "A measure ('tacita measures' lists them), by default k-anonymity; may be repeated, and all hold "
                "together: --measure k-anonymity:k=3 --measure l-diversity:l=2.",
                ("--measure",),
                _RISK,
                "NAME[:PARAMETER=VALUE,...]|FILE.vada",
            ),
            Typed("k", int, "How many records should look alike; default: 3.", ("--k", "-k"), _RISK, least=1),
            Typed(
                "threshold",
                float,
                "The risk above which a record is unsafe: T of the paper.",
                panel=_RISK,
                least=0,
                most=1,
            ),
            _PARAM,
        ),
    )
    """What must hold; several measures hold together: ``Together((KAnonymity(3), LDiversity(2)))``, or a list."""
    known: tuple[str, ...] | None = option(None, typed=(), help="The attributes that the intruder knows.")
    """What the intruder knows; None: the quasi-identifiers."""
    nulls: Nulls | None = option(
        None,
        form=NULLS,
        help="What an empty cell matches: a word, or a table with `meaning`, `alpha` and `missing_as`.",
        typed=(
            Typed(
                "nulls",
                str,
                "What an empty cell matches: strict (default), maybe, expected, standard, alpha.",
                panel=_RISK,
            ),
            Typed(
                "lean",
                float,
                "How much a record may lean on the nulls of others: 1 maybe, 0 strict.",
                panel=_RISK,
                least=0,
                most=1,
            ),
        ),
    )
    """How nulls count; None: strictly, or as near to it as the measure can (`default_nulls`)."""
    missing_as: MissingAs | None = option(
        None,
        form=MISSING_AS,
        panel=_RISK,
        help="An empty cell of the source is 'unknown' (default) or a 'category'; "
        "'empty' releases codes of missing values as empty cells, too.",
    )
    """What a missing value of the source counts as; None: as `nulls`, or the dictionary, says."""
    missing_label: str | None = option(
        None, panel=_RISK, metavar="WORD", help="Write this where a known cell of the source is empty: a category."
    )
    """What is written where a known cell of the source is empty, so that it is a category beside suppressed cells."""
    related: Mapping[str, str] = option(
        {},
        form=RELATED,
        panel=_RISK,
        metavar="[WORD=]PROGRAM",
        help="Rules that say who belongs together, such as company_groups.",
    )
    """Rules that relate identifiers, by what their clusters are called: at most one kind."""
    inputs: Mapping[str, str] = option(
        {},
        "--input",
        form=INPUTS,
        panel=_RISK,
        metavar="PREDICATE=FILE",
        help="Facts for --related or --program, as Own=own.csv.",
    )
    """Files with facts for `related` or `program`, by predicate."""
    population: Relation | str | None = option(
        None, form=POPULATION, panel=_RISK, help="The population or a register, for k-map and delta-presence."
    )
    """The population or a register, for measures that look into one: a relation, or the file or address to read."""
    cluster_risk: bool = option(
        False, "--cluster-risk", panel=_RISK, help="The risk of a record is that of its household (--cluster)."
    )
    """Whether the risk of a record is that of its household: that at least one member is found."""
    whole_clusters: bool = option(
        False, "--whole-clusters", panel=_RISK, help="Change all members of a risky cluster, as Algorithm 9."
    )
    """Whether all members of a risky cluster are changed, as Algorithm 9 is printed, or only those at risk."""
    method: ChangeMethod = option(
        ChangeMethod.SUPPRESSION,
        form=choice(ChangeMethod, "order"),
        panel=_CHANGE,
        help="suppression, recoding, local-recoding, or auto (what loses least).",
    )
    recode: Mapping[str, int] = option(
        {}, panel=_CHANGE, metavar="NAME=LEVEL", help="Roll a whole column up first; may be repeated."
    )
    """Whole columns to roll up before anything else, by hand: attribute -> level."""
    top: Mapping[str, float] = option(
        {}, panel=_CHANGE, metavar="NAME=BOUND", help="Cut larger values at a bound; may be repeated."
    )
    """Bounds at which large values are cut before anything else, by attribute."""
    bottom: Mapping[str, float] = option(
        {}, panel=_CHANGE, metavar="NAME=BOUND", help="Cut smaller values at a bound; may be repeated."
    )
    """Bounds at which small values are cut before anything else, by attribute."""
    intervals: Mapping[str, float] = option(
        {}, panel=_CHANGE, metavar="NAME=WIDTH", help="Put numbers into intervals of a width; may be repeated."
    )
    """Widths of the intervals that numbers are put into before anything else, by attribute."""
    suppression_limit: float = option(
        0.05,
        panel=_CHANGE,
        least=0,
        most=1,
        help="With recoding: share of records that may be left to suppression.",
    )
    """With `recoding`: the share of records of which cells may have to be suppressed."""
    importance: Mapping[str, float] = option(
        {},
        panel=_CHANGE,
        metavar="NAME=WEIGHT",
        help="What a cell of an attribute costs; default 1; may be repeated.",
    )
    """What the suppression of a cell costs, by attribute; 1 where nothing is said."""
    keep: tuple[str, ...] = option(
        (), panel=_CHANGE, help="Attributes not to be touched, with commas between; may be repeated."
    )
    """Attributes that must not be touched."""
    keep_cells: tuple[tuple[int, str], ...] = option(
        (),
        form=CELLS,
        panel=_CHANGE,
        help="Cells not to be touched: a CSV file with the columns row and attribute.",
    )
    """Cells that must not be touched: number of the record from 1, attribute."""
    household: tuple[str, ...] = option(
        (),
        panel=_CHANGE,
        help="Attributes suppressed for whole households (--cluster), with commas between; may be repeated.",
    )
    """Attributes of the household: suppressed for all of its members, or for none."""
    linked: Mapping[str, tuple[str, ...]] = option(
        {},
        panel=_CHANGE,
        metavar="KEY=NAME,NAME",
        help="Attributes suppressed together with a key, such as its codes; may be repeated.",
    )
    """Attributes that are suppressed together with a key, such as its codes: key -> attributes."""
    optimal: bool = option(
        False, "--optimal", panel=_CHANGE, help="The fewest nulls, by a solver that proves it: for small data."
    )
    """Whether the smallest suppression is searched for, which is possible for small data."""
    most_nulls: float | None = option(
        None,
        panel=_CHANGE,
        least=0,
        most=1,
        metavar="SHARE",
        help="Release nothing if a larger share of a known attribute has to be suppressed.",
    )
    """The largest share of the cells of a known attribute that may be suppressed; None: any."""
    tuples: TupleOrder = option(
        TupleOrder.LESS_SIGNIFICANT_FIRST,
        form=choice(TupleOrder, "order"),
        panel=_ORDER,
        help="Which record first: less-significant-first, most-risky-first, file-order.",
    )
    attributes: AttributeRoute | tuple[str, ...] = option(
        AttributeRoute.FEWEST_NULLS,
        form=ATTRIBUTES,
        panel=_ORDER,
        help="Which cell first: fewest-nulls, most-risky-first, most-selective-first, rarest-value-first, "
        "least-important-first, or names with commas between.",
    )
    """Which cell goes first: an order by name, or the attributes themselves."""
    rounds: bool = option(
        False, "--rounds", panel=_ORDER, help="All risky records lose a cell in each round, as the rules are printed."
    )
    """Whether all risky records lose a cell in each round, as the printed rules say, instead of one after the other."""
    take_back: bool = option(True, "--no-take-back", panel=_ORDER, help="Leave nulls that turned out unnecessary.")
    """Whether nulls that turned out unnecessary are taken back at the end."""
    program: str | None = option(
        None, form=PROGRAM, typed=(_PROGRAM,), help="A rule program that says how the cycle runs: its name or file."
    )
    """The cycle as rules, by the name of a program or its file; then the rules say everything but roles and release."""
    parameters: Mapping[str, Any] = option(
        {}, form=PROGRAM_PARAMETERS, typed=(_PARAM, _PROGRAM), help="Parameters of the program."
    )
    """Parameters of the program."""
    sensitive: tuple[str, ...] = option((), typed=(), help="Sensitive attributes, as `--sensitive` names them.")
    identifiers: tuple[str, ...] = option((), typed=(), help="Identifiers, as `--identifier` names them.")
    weight: str | None = option(None, typed=(), help="The sampling weight, as `--weight` names it.")
    cluster: str | None = option(None, typed=(), help="The household or group key, as `--cluster` names it.")
    """The household or group key, if it matters: for `household`, and for the risk of clusters; None: that of the
    dictionary."""
    release: ReleaseOptions | None = option(
        None, form=RELEASE, typed=(), help="What is chosen about the release: a table."
    )
    links: Mapping[str, Relation] = field(default_factory=lambda: MappingProxyType({}))
    """Pairs of identifiers that belong together, by what their clusters are called: at most one kind."""

    def __post_init__(self) -> None:
        if isinstance(self.measure, list | tuple):
            object.__setattr__(self, "measure", together(self.measure))
        for name, weight in self.importance.items():
            if not weight > 0:
                raise UsageError(
                    f"the importance of '{name}' is {weight:g}",
                    do="give a number above 0: the cost of suppressing one of its cells",
                )
        if self.program is not None and self._beside_program():
            raise by_rules_alone()
        faults = []
        if len(self.links) > 1 or len(self.related) > 1:
            faults.append("records are linked in two ways: put the rules into one program")
        if (self.links or self.related) and self.cluster_risk:
            faults.append("the risk of households and that of linked records are asked for at once: take one of them")
        if not 0 <= self.suppression_limit <= 1:
            faults.append(f"the suppression limit is {self.suppression_limit:g}: give a share from 0 to 1")
        if self.inputs and not self.related and self.program is None:
            faults.append("--input gives facts to --related, which is not there: add --related PROGRAM")
        if faults:
            raise UsageError(faults_text(faults))

    @property
    def roles(self) -> Roles:
        """The roles of attributes that the plan names."""
        return Roles(self.known, self.sensitive, self.identifiers, self.weight, self.cluster)

    def with_roles(self, roles: Roles) -> Self:
        """Return the plan with these roles."""
        return replace(
            self,
            known=roles.quasi,
            sensitive=roles.sensitive,
            identifiers=roles.identifier,
            weight=roles.weight,
            cluster=roles.cluster,
        )

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """Return the plan of a TOML file; all faults of the file are reported together."""
        from tacita.cycle.plan_file import read_plan

        return read_plan(cls, Path(path))

    def write(self, path: str | PathLike[str], *, force: bool = False, with_seed: bool = False) -> None:
        """Write the plan as a TOML file, which `read` reads back. A key is never written, a seed only `with_seed`."""
        from tacita.cycle.plan_file import write_plan

        write_plan(self, Path(path), force=force, with_seed=with_seed)

    def nulls_in(self, dictionary: Dictionary) -> Nulls:
        """Return how nulls of microdata with this dictionary count."""
        nulls = self.nulls or default_nulls(self.measure, dictionary.missing_as)
        return nulls if self.missing_as is None else replace(nulls, missing_as=self.missing_as)

    def settle(self, microdata: Microdata) -> Self:
        """Return the plan with what it names by file read, and the household key of the dictionary.

        The population is read into the engine of the microdata, and the rules of `related` are run on them.
        """
        changes: dict[str, Any] = {}
        keys = [a.name for a in microdata.dictionary if a.category is not None and a.category.value == "cluster-key"]
        if self.cluster is None and keys:
            changes["cluster"] = keys[0]
        if isinstance(self.population, str):
            from tacita.files.read import read

            changes["population"] = read(self.population, microdata.relation.engine).relation
        if self.related and not self.links:
            from tacita.reasoning.links import related

            changes["links"] = {
                word: related(program, microdata, self.inputs) for word, program in self.related.items()
            }
        plan = replace(self, **changes) if changes else self
        plan._check_cluster()
        return plan

    def _check_cluster(self) -> None:
        faults = []
        if self.household and not self.cluster:
            faults.append("attributes of the household are named, but no household key")
        if self.cluster_risk and not self.cluster:
            faults.append("the risk of households is asked for, but no household key is named")
        if faults:
            raise UsageError(faults_text(faults))

    def _beside_program(self) -> bool:
        """Return whether something is said that the rules of a program do not hear of."""
        default = {one.name: one.default for one in fields(self)} | {"measure": KAnonymity()}
        said = {name: getattr(self, name) for name in default if name not in _PROGRAM_ALONE}
        return any(
            value != default[name] and not (isinstance(value, Mapping) and not value) for name, value in said.items()
        )
