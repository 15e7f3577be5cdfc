"""The Python front door: a data set and the verbs that a data scientist uses on it.

>>> import tacita as tc
>>> firms = tc.sample("figure-1")
>>> firms.describe().uniques.sample_uniques
20
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from tacita.describe.describe import Description, uniques
from tacita.describe.kinds import natural_order
from tacita.describe.profile import profiles
from tacita.describe.propose import named_as, propose
from tacita.describe.similarity import Similarity
from tacita.describe.undecided import doubts, told
from tacita.engines.context import Context
from tacita.engines.plans.profile import sample as first_rows
from tacita.engines.protocol import Engine, Relation
from tacita.engines.published_codes import published_codes
from tacita.errors import UsageError
from tacita.files.contract import ReadOptions, Told, WriteOptions, types_named
from tacita.files.read import check_weight
from tacita.files.read import read as read_microdata
from tacita.files.write import write as write_microdata
from tacita.knowledge.experience_base import ExperienceBase
from tacita.model.attribute import Category, Kind
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata, Source
from tacita.model.profile import AttributeProfile
from tacita.model.proposal import Proposal
from tacita.progress import Progress, silent

if TYPE_CHECKING:
    import pyarrow as pa

    from tacita.assess.assess import Question
    from tacita.assess.assessment import Assessment
    from tacita.generators.stream import Generated

_CELLS = 1000  # values of each attribute looked at for their format
_ENOUGH_CELLS = 100


def read(
    source: object,
    options: ReadOptions | None = None,
    *,
    name: str | None = None,
    dictionary: str | Path | None = None,
    engine: Engine | None = None,
    context: Context | None = None,
    **told: Unpack[Told],
) -> Dataset:
    """Read a file, a folder, a pattern, a database URL, or a pandas, polars or pyarrow object.

    A dictionary beside the file (``firms.dictionary.toml``) is picked up. What the reader should not have to find out
    is told as keywords: ``tc.read("firms.csv", delimiter=";", types={"zip": "text"})``. `context` says what it runs on;
    by default that is the context that the process shares, or one around the `engine` that is given.
    """
    given = Path(dictionary) if dictionary else None
    changes: dict[str, Any] = dict(told)
    if "types" in told:
        changes["types"] = types_named(told["types"])
    options = replace(options or ReadOptions(), **changes)
    context = context_of(engine, context)
    if options.progress is silent:
        options = replace(options, progress=context.progress)
    return Dataset(read_microdata(source, context.engine, options, name=name, dictionary=given), context)


def context_of(engine: Engine | None = None, context: Context | None = None) -> Context:
    """Return the context that was given, one around the engine that was given, or the one that the process shares."""
    if context is not None and engine is not None:
        raise UsageError("an engine is given beside a context", do="give it to the context: Context(engine=...)")
    return context or (Context.of(engine) if engine is not None else Context.shared())


def from_generated(
    generated: Generated,
    *,
    with_dictionary: bool = True,
    engine: Engine | None = None,
    context: Context | None = None,
) -> Dataset:
    """Return generated microdata as a data set."""
    context = context_of(engine, context)
    relation = context.engine.adopt(generated.batches(), generated.schema)
    dictionary = generated.dictionary
    if not with_dictionary:
        dictionary = dictionary.mapped(lambda a: a.with_(category=None, kind=None, order=()))
    source = Source(generated.name, "generated")
    return Dataset(Microdata(relation, dictionary, source, dictionary_is_given=with_dictionary), context)


def generate(name: str, *, seed: int = 0, rows: int | None = None) -> Dataset:
    """Generate one of the shipped kinds of microdata, with its true dictionary.

    >>> generate("R1A4W", seed=7).rows
    1000
    """
    from tacita.generators import catalogue

    return from_generated(catalogue.generate(name, seed=seed, rows=rows))


def sample(name: str) -> Dataset:
    """Return one of the small data sets of the papers: figure-1, figure-5, patients, patients-4-anonymous."""
    return generate(name)


@dataclass(frozen=True, slots=True)
class Dataset:
    """Microdata with verbs. Every verb returns a value or a new data set; the data itself never changes."""

    microdata: Microdata
    context: Context = None  # type: ignore[assignment]
    """What the data set runs on; without one, the engine that holds the data and the settings of the environment."""

    def __post_init__(self) -> None:
        if self.context is None:
            object.__setattr__(self, "context", Context.of(self.relation.engine))

    @property
    def name(self) -> str:
        """The name of the microdata DB."""
        return self.microdata.name

    @property
    def dictionary(self) -> Dictionary:
        """What is known of the attributes."""
        return self.microdata.dictionary

    @property
    def rows(self) -> int:
        """The number of tuples."""
        return self.microdata.relation.count()

    @property
    def relation(self) -> Relation:
        """The tuples, where they live."""
        return self.microdata.relation

    def profiles(self, progress: Progress = silent) -> dict[str, AttributeProfile]:
        """Return the figures of every attribute."""
        return profiles(self.relation, self.dictionary.attributes, progress)

    def propose(
        self,
        *,
        experience: ExperienceBase | None = None,
        similarity: Similarity | None = None,
        figures: Mapping[str, AttributeProfile] | None = None,
    ) -> dict[str, Proposal]:
        """Return the category that each attribute seems to have, with reasons.

        >>> sample("patients").propose()["Condition"].category.value
        'sensitive'
        """
        base = experience or ExperienceBase.load(self.context.settings.experience)
        found = propose(self.dictionary, figures or self.profiles(), self._cells(), base, similarity)
        return {proposal.attribute: proposal for proposal in found}

    def describe(
        self,
        *,
        quasi: Sequence[str] | None = None,
        experience: ExperienceBase | None = None,
        progress: Progress = silent,
    ) -> Description:
        """Return what each attribute looks like, its category, and how many tuples are unique.

        Attributes without a category in the dictionary get a proposed one. Uniques are counted on the
        quasi-identifiers, or on those attributes that are given as what an intruder knows.
        """
        figures = self.profiles(progress)
        undecided = any(attribute.category is None for attribute in self.dictionary)
        proposals = self.propose(experience=experience, figures=figures) if undecided else {}
        known = [
            a.name for a in self.dictionary if (a.category or proposals[a.name].category) is Category.QUASI_IDENTIFIER
        ]
        if quasi is not None:
            known = [self.dictionary[name].name for name in quasi]
        seen = published_codes(self.relation, self.dictionary, known).relation
        return Description(self.microdata, figures, proposals, uniques(seen, known))

    def assess(
        self,
        question: Question | None = None,
        *,
        known: Sequence[str] | None = None,
        progress: Progress = silent,
    ) -> Assessment:
        """Return how risky the records are, and why, for an intruder who knows the quasi-identifiers, or `known`.

        Without quasi-identifiers in the dictionary those that are proposed count. `question` says which measures, which
        k, how nulls count, and more.

        >>> print(sample("figure-1").assess(known=["Area", "Sector", "Employees"]).verdict)
        20 records of 20 (100 %) are unsafe by k-anonymity.
        """
        from tacita.assess.assess import Question, assess

        if isinstance(known, str) or any(not isinstance(name, str) for name in known or ()):
            raise UsageError("known is no list of names", do='write for example known=["Area", "Sector"]')
        question = replace(question or Question(), known=tuple(known)) if known is not None else question
        data, proposals = self, {}
        if known is None and not self.dictionary.quasi_identifiers and not self.dictionary.scenarios:
            figures = self.profiles(progress)
            proposals = self.propose(figures=figures)
            data = self.accept(proposals, figures)
            proposals = {n: p for n, p in proposals.items() if self.dictionary[n].category is None}
        return assess(data.microdata, question, proposals=proposals, progress=progress)

    def accept(self, proposals: Mapping[str, Proposal], figures: Mapping[str, AttributeProfile] | None = None) -> Self:
        """Return the data set with every proposal without a conflict taken over, and kinds filled in."""
        figures = figures or self.profiles()
        accepted = {
            p.attribute: p.category
            for p in proposals.values()
            if not p.conflict and self.dictionary[p.attribute].category is None
        }
        dictionary = self.dictionary.with_categories(accepted).mapped(
            lambda a: a.with_(kind=a.kind or figures[a.name].kind, order=a.order or _order(figures[a.name]))
        )
        return self._with(dictionary)

    def for_release(
        self, known: Sequence[str] | None = None, decided: Sequence[str] = (), *, progress: Progress = silent
    ) -> tuple[Self, tuple[str, ...]]:
        """Return the data set with the roles that a release needs, and notes about roles that nobody decided on.

        Without quasi-identifiers in the dictionary, and without `known`, those that are proposed count. An attribute
        without a category that may identify respondents, by its name, the form of its values or because they differ
        from record to record, becomes an identifier, which no release holds. Every command and function that leads to
        a release begins here. `decided` are attributes that have a role without having a category.
        """
        data, notes = self, []
        if known is None and not self.dictionary.quasi_identifiers:
            figures = self.profiles(progress)
            data = self.accept(self.propose(figures=figures), figures)
            if names := ", ".join(data.dictionary.quasi_identifiers):
                notes.append(f"quasi-identifiers were proposed, nobody decided on them: {names}")
        base = ExperienceBase.load(self.context.settings.experience)
        decided = [*(known or ()), *decided]
        found = doubts(data.relation, data.dictionary, base, decided)
        notes += told(found)
        if dropped := [doubt.attribute for doubt in found if doubt.is_dropped]:
            data = data.with_categories(dict.fromkeys(dropped, Category.IDENTIFIER))
        homes = [name for name in named_as(Category.CLUSTER_KEY, data.dictionary, base) if name not in decided]
        if homes:
            notes.append(
                f"released attributes whose names look like household keys: {', '.join(homes)}; they show which "
                "records belong together, and maybe the order of the source; to drop one, name it with --cluster"
            )
        return data, tuple(notes)

    def with_categories(self, categories: Mapping[str, Category | str]) -> Self:
        """Return the data set with the categories of some attributes set by a person.

        >>> sample("figure-5").with_categories({"Area": "sensitive"}).dictionary["Area"].category.value
        'sensitive'
        """
        parsed = {name: Category.parse(category) for name, category in categories.items()}
        return self._with(self.dictionary.with_categories(parsed))

    def with_roles(
        self,
        *,
        quasi: Sequence[str] = (),
        sensitive: Sequence[str] = (),
        identifier: Sequence[str] = (),
        weight: str | None = None,
        cluster: str | None = None,
        only: bool = True,
    ) -> Self:
        """Return the data set with roles given by name.

        Quasi-identifiers given so are the only ones of the dictionary; with ``only=False`` the others stay too.
        """
        given = [*quasi, *sensitive, *identifier, *filter(None, (weight, cluster))]
        twice = [name for name in dict.fromkeys(given) if given.count(name) > 1 and list(quasi).count(name) < 2]
        if twice:
            raise UsageError(
                f"'{twice[0]}' is given two roles", do="give each attribute one: an attribute has one category"
            )
        roles = {
            **dict.fromkeys(sensitive, Category.SENSITIVE),
            **dict.fromkeys(identifier, Category.IDENTIFIER),
            **({weight: Category.WEIGHT} if weight else {}),
            **({cluster: Category.CLUSTER_KEY} if cluster else {}),
            **dict.fromkeys(quasi, Category.QUASI_IDENTIFIER),
        }
        exclusive = {
            a.name: Category.NON_IDENTIFYING
            for a in self.dictionary
            if (quasi and only and a.category is Category.QUASI_IDENTIFIER and a.name not in roles)
            or (weight and a.category is Category.WEIGHT and a.name != weight)
            or (cluster and a.category is Category.CLUSTER_KEY and a.name != cluster)
        }
        return self._with(self.dictionary.with_categories({**exclusive, **roles}))

    def write(
        self, target: str | Path, *, force: bool = False, delimiter: str | None = None, escape_formulas: bool = False
    ) -> tuple[str, ...]:
        """Write the tuples to a file of any writable format, atomically; return what the format could not hold.

        `escape_formulas` puts an apostrophe before cells of a CSV file that a spreadsheet would run as formulas.
        """
        options = WriteOptions(delimiter, force, escape_formulas=escape_formulas)
        return write_microdata(self.microdata, target, options).notes

    def batches(self, rows: int = 100_000) -> Iterator[pa.RecordBatch]:
        """Yield the tuples as Arrow batches."""
        return self.microdata.relation.batches(rows)

    def to_arrow(self) -> pa.Table:
        """Return all tuples as an Arrow table; `polars.from_arrow` and ``.to_pandas()`` take it from there."""
        import pyarrow as pa

        batches = list(self.batches())
        return pa.Table.from_batches(batches) if batches else pa.table({c.name: [] for c in self.microdata.columns})

    def _with(self, dictionary: Dictionary) -> Self:
        microdata = self.microdata.with_dictionary(dictionary)
        check_weight(microdata, where=f"'{self.name}'")
        return replace(self, microdata=microdata)

    def _cells(self) -> dict[str, list[str]]:
        """Return some values of each attribute that is not a number, as text."""
        columns = [c for c in self.relation.columns if not c.type.is_numeric]
        cells: dict[str, list[str]] = {}
        for start in range(0, len(columns), 500):
            part = columns[start : start + 500]
            rows: list[dict[str, Any]] = self.relation.engine.run(first_rows(self.relation, part, _CELLS))
            for column in part:
                cells[column.name] = [row[column.physical] for row in rows if row[column.physical] is not None]
                if len(cells[column.name]) < _ENOUGH_CELLS:  # mostly missing at the beginning: look further down
                    plan = first_rows(self.relation, [column], _CELLS, present=True)
                    cells[column.name] = [row[column.physical] for row in self.relation.engine.run(plan)]
        return cells

    def __repr__(self) -> str:
        return f"<Dataset '{self.name}': {self.rows:,} tuples, {len(self.dictionary.attributes)} attributes>"


def _order(profile: AttributeProfile) -> tuple[str, ...]:
    """Return the values of an ordinal attribute in their natural order, if all of them are known."""
    if profile.kind is not Kind.ORDINAL or len(profile.most_frequent) < profile.distinct:
        return ()
    return tuple(sorted((value for value, _ in profile.most_frequent), key=natural_order))
