"""A data set and the verbs that a data scientist uses on it. Each verb is a thin method; its module says the rest.

>>> import tacita as tc
>>> firms = tc.sample("figure-1")
>>> firms.describe().uniques.sample_uniques
20
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from tacita.api import roles
from tacita.describe.describe import Description, uniques
from tacita.describe.profile import profiles
from tacita.engines.context import Context
from tacita.engines.protocol import Relation
from tacita.engines.published_codes import published_codes
from tacita.errors import UsageError
from tacita.files.contract import WriteOptions
from tacita.files.read import check_weight
from tacita.files.write import write as write_microdata
from tacita.model.attribute import Category
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata
from tacita.model.profile import AttributeProfile
from tacita.model.proposal import Proposal
from tacita.model.roles import RoleKeywords, Roles
from tacita.progress import Progress, silent

if TYPE_CHECKING:
    import pyarrow as pa

    from tacita.api.attacking import AttackOptions, AttackReport
    from tacita.api.categorizing import Categorization
    from tacita.api.concealing import Concealment, ConcealPlan, DependencyOptions
    from tacita.api.converting import Conversion
    from tacita.api.masking import ExploreOptions, Masking, RecipeLike
    from tacita.api.reasoning import Conclusions
    from tacita.api.releasing import ReleaseAttempt
    from tacita.api.tables import Tabulation
    from tacita.assess.assessment import Assessment
    from tacita.assess.question import Question
    from tacita.cycle.outcome import Outcome
    from tacita.cycle.plan import Plan
    from tacita.dependencies.dependency import Discovery
    from tacita.dependencies.discovery.options import DiscoveryOptions
    from tacita.describe.similarity import Similarity
    from tacita.knowledge.experience_base import ExperienceBase
    from tacita.recipes.comparison import RecipeComparison
    from tacita.release.options import ReleaseOptions
    from tacita.risk.why import RiskExplanation
    from tacita.tables.specification.keywords import TableKeywords
    from tacita.tables.specification.specification import TableSpecification


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

    # -- what the attributes are ---------------------------------------------------------------------------------------

    def describe(
        self,
        *,
        quasi: Sequence[str] | None = None,
        experience: ExperienceBase | None = None,
        progress: Progress | None = None,
    ) -> Description:
        """Return what each attribute looks like, its category, and how many tuples are unique.

        Attributes without a category in the dictionary get a proposed one. Uniques are counted on the
        quasi-identifiers, or on those attributes that are given as what an intruder knows.
        """
        figures = self.profiles(progress or self.context.progress)
        undecided = any(attribute.category is None for attribute in self.dictionary)
        proposals = self.propose(experience=experience, figures=figures) if undecided else {}
        known = [
            a.name for a in self.dictionary if (a.category or proposals[a.name].category) is Category.QUASI_IDENTIFIER
        ]
        if quasi is not None:
            known = [self.dictionary[name].name for name in quasi]
        seen = published_codes(self.relation, self.dictionary, known).relation
        return Description(self.microdata, figures, proposals, uniques(seen, known))

    def propose(
        self,
        *,
        experience: ExperienceBase | None = None,
        similarity: Similarity | None = None,
        figures: Mapping[str, AttributeProfile] | None = None,
    ) -> dict[str, Proposal]:
        """Return the category that each attribute seems to have, with reasons.

        >>> import tacita as tc
        >>> tc.sample("patients").propose()["Condition"].category.value
        'sensitive'
        """
        return roles.propose(self, experience=experience, similarity=similarity, figures=figures)

    def accept(
        self,
        proposals: Mapping[str, Proposal] | None = None,
        figures: Mapping[str, AttributeProfile] | None = None,
    ) -> Self:
        """Return the data set with every proposal without a conflict taken over, and kinds filled in."""
        figures = figures or self.profiles()
        return self._with(
            roles.accept(self, self.propose(figures=figures) if proposals is None else proposals, figures)
        )

    def categorize(self, decisions: Mapping[str, Category | str] | None = None, **options: Any) -> Categorization:
        """Propose categories, take over decisions, and write the dictionary; see `api.categorizing.categorize`."""
        from tacita.api.categorizing import categorize

        return categorize(self, decisions, **options)

    def with_categories(self, categories: Mapping[str, Category | str]) -> Self:
        """Return the data set with the categories of some attributes set by a person.

        >>> import tacita as tc
        >>> tc.sample("figure-5").with_categories({"Area": "sensitive"}).dictionary["Area"].category.value
        'sensitive'
        """
        parsed = {name: Category.parse(category) for name, category in categories.items()}
        return self._with(self.dictionary.with_categories(parsed))

    def with_roles(self, given: Roles | None = None, *, only: bool = True, **named: Unpack[RoleKeywords]) -> Self:
        """Return the data set with roles given by name: as a value, or by keywords, which go before it.

        Quasi-identifiers given so are the only ones of the dictionary; with ``only=False`` the others stay too.

        >>> import tacita as tc
        >>> tc.sample("figure-5").with_roles(quasi=["Area", "Sector"]).dictionary.quasi_identifiers
        ('Area', 'Sector')
        """
        changes: dict[str, Any] = dict(named)
        return self._with(replace(given or Roles(), **changes).assign(self.dictionary, only=only))

    # -- risk ----------------------------------------------------------------------------------------------------------

    def assess(
        self,
        question: Question | None = None,
        *,
        known: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> Assessment:
        """Return how risky the records are, and why, for an intruder who knows the quasi-identifiers, or `known`.

        Without quasi-identifiers in the dictionary those that are proposed count. `question` says which measures, which
        k, how nulls count, and more.

        >>> import tacita as tc
        >>> print(tc.sample("figure-1").assess(known=["Area", "Sector", "Employees"]).verdict)
        20 records of 20 (100 %) are unsafe by k-anonymity.
        """
        from tacita.assess.assess import assess
        from tacita.assess.question import Question

        if isinstance(known, str) or any(not isinstance(name, str) for name in known or ()):
            raise UsageError("known is no list of names", do='write for example known=["Area", "Sector"]')
        question = replace(question or Question(), known=tuple(known)) if known is not None else question
        progress = progress or self.context.progress
        data, proposals = self, {}
        if known is None and not self.dictionary.quasi_identifiers and not self.dictionary.scenarios:
            figures = self.profiles(progress)
            proposals = self.propose(figures=figures)
            data = self.accept(proposals, figures)
            proposals = {n: p for n, p in proposals.items() if self.dictionary[n].category is None}
        if question is not None and question.related:
            from tacita.reasoning.links import related

            programs = question.related.items()
            links = {word: related(program, self.microdata, question.inputs) for word, program in programs}
            question = replace(question, links=links, related={}, inputs={})
        return assess(data.microdata, question, proposals=proposals, progress=progress)

    def explain(
        self, row: int, question: Question | None = None, *, known: Sequence[str] | None = None
    ) -> RiskExplanation:
        """Return why a record has its risk: the reason, and the proof where rules define the measure."""
        return self.assess(question, known=known).why(row)

    def attack(
        self, released: str | Path | Dataset, options: AttackOptions | None = None, *, known: Sequence[str] = ()
    ) -> AttackReport:
        """Attack a release that was made from these data, which serve as the truth; see `api.attacking.attack`."""
        from tacita.api.attacking import attack

        return attack(self, released, options, known=known)

    def discover_dependencies(
        self, options: DiscoveryOptions | None = None, *, progress: Progress | None = None
    ) -> Discovery:
        """Return what determines what among the attributes, exactly or nearly; see `api.depending.discover`."""
        from tacita.api.depending import discover

        return discover(self, options, progress=progress)

    def for_release(
        self, known: Sequence[str] | None = None, decided: Sequence[str] = (), *, progress: Progress | None = None
    ) -> tuple[Dataset, tuple[str, ...]]:
        """Return the data set with the roles that a release needs, and notes about roles that nobody decided on.

        Every verb that leads to a release begins here; see `api.roles.prepare_release`.
        """
        return roles.prepare_release(self, known, decided, progress=progress or self.context.progress)

    # -- protection ----------------------------------------------------------------------------------------------------

    def anonymize(self, plan: Plan | None = None, *, k: int | None = None, progress: Progress | None = None) -> Outcome:
        """Change the data as little as possible until they are safe; see `api.releasing.anonymize`."""
        from tacita.api.releasing import anonymize

        return anonymize(self, plan, k=k, progress=progress)

    def release(
        self, folder: str | Path, plan: Plan | None = None, options: ReleaseOptions | None = None
    ) -> ReleaseAttempt:
        """Anonymize, and write a safe outcome as a release folder; see `api.releasing.anonymize_to`."""
        from tacita.api.releasing import anonymize_to

        return anonymize_to(Path(folder), self, plan, options)

    def mask(self, recipe: RecipeLike, *, seed: int | None = None, progress: Progress | None = None) -> Masking:
        """Carry out a recipe of masking, measure and attack the result; see `api.masking.mask`."""
        from tacita.api.masking import mask

        return mask(self, recipe, seed=seed, progress=progress)

    def compare(self, recipes: Sequence[RecipeLike], **options: Any) -> RecipeComparison:
        """Carry out several recipes and judge them on the same ground; see `api.masking.compare`."""
        from tacita.api.masking import compare

        return compare(self, recipes, **options)

    def explore(self, options: ExploreOptions | None = None, **more: Any) -> RecipeComparison:
        """Try methods and parameters that fit the data; see `api.masking.explore`."""
        from tacita.api.masking import explore

        return explore(self, options, **more)

    def conceal(
        self, plan: ConcealPlan, dependencies: DependencyOptions | None = None, *, progress: Progress | None = None
    ) -> Concealment:
        """Hide what people keep confidential, and what would give it away; see `api.concealing.conceal`."""
        from tacita.api.concealing import conceal

        return conceal(self, plan, dependencies, progress=progress)

    def tabulate(
        self,
        dimensions: str | Path | TableSpecification | Iterable[str] | Iterable[Iterable[str]],
        response: str | Sequence[str] | None = None,
        **keywords: Unpack[TableKeywords],
    ) -> Tabulation:
        """Return tables of these records, to build, assess, protect and audit: by their dimensions, or a specification.

        Without a response records are counted. Every key of a specification can be given as a keyword.

        >>> import tacita as tc
        >>> firms = tc.sample("figure-1").tabulate(["Area", "Sector"], minimum_frequency=3)
        >>> firms.assess()
        <TableAssessment 'frequencies by Area, Sector': 28 cells, 10 sensitive>
        """
        from tacita.api.tables import tabulate

        return tabulate(self, dimensions, response, **keywords)

    # -- rules and files -----------------------------------------------------------------------------------------------

    def reason(self, program: str | Path, inputs: Mapping[str, Any] | None = None, **options: Any) -> Conclusions:
        """Run a program that reads these data as ``MicroDB``, ``Att``, ``Cat`` and ``Val``; see `api.reasoning`."""
        from tacita.api.reasoning import reason

        return reason(program, inputs, data=self, **options)

    def write(
        self, target: str | Path, *, force: bool = False, delimiter: str | None = None, escape_formulas: bool = False
    ) -> tuple[str, ...]:
        """Write the tuples to a file of any writable format, atomically; return what the format could not hold.

        `escape_formulas` puts an apostrophe before cells of a CSV file that a spreadsheet would run as formulas.
        """
        options = WriteOptions(delimiter, force, escape_formulas=escape_formulas)
        return write_microdata(self.microdata, target, options).notes

    def convert(self, target: str | Path, *, force: bool = False, escape_formulas: bool = False) -> Conversion:
        """Write a file of another format with the dictionary that belongs to it; see `api.converting.convert`."""
        from tacita.api.converting import convert

        return convert(self, target, force=force, escape_formulas=escape_formulas)

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

    def __repr__(self) -> str:
        return f"<Dataset '{self.name}': {self.rows:,} tuples, {len(self.dictionary.attributes)} attributes>"
