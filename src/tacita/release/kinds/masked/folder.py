"""The release folder of masked microdata.

``release/`` holds the data, their dictionary, further tables, a report and a manifest: which methods were used on which
attributes, and what that cost. ``release.internal/`` holds the recipe with its seed, the figures of every step, what
attackers achieved, and where each released record comes from. Neither seed nor parameters are told outside, unless the
steward decides to hand out the recipe, which then comes without its seed and without what it says of attackers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tacita.attacks.microdata.derivation import DerivableValues
from tacita.errors import OutputError, UsageError, counted, faults_text, listed
from tacita.files.atomic import write_text
from tacita.files.contract import WriteOptions
from tacita.files.file_names import file_names
from tacita.files.formulas import escaped
from tacita.files.write import write
from tacita.model import dictionary_file
from tacita.model.microdata import Microdata, Source
from tacita.model.result import Result
from tacita.options import option
from tacita.progress import Progress, Step, silent
from tacita.recipes.carry_out import Masked
from tacita.recipes.evaluation import Evaluation
from tacita.recipes.recipe import Judgement, Recipe
from tacita.recipes.recipe_file import recipe_text
from tacita.recipes.verdict import UNGATED, has_limit, reasons_against
from tacita.release.folder import DATA, DICTIONARY, ORDER, REPORT, internal_folder, write_parquet
from tacita.release.kinds.masked.manifest import internal_manifest, public_manifest
from tacita.release.kinds.masked.report import external_report, internal_report
from tacita.release.kinds.masked.tuples import identifiers_of, released_tuples, taken_codes
from tacita.release.kinds.masked.written import faults_of_written
from tacita.release.manifest import as_json
from tacita.release.placing import MANIFEST, check_places, placed
from tacita.release.records.derivable import allowed_notes, check_not_derivable, cluster_key, derivable
from tacita.release.records.dictionary import SPSS, released_dictionary, with_blanks_missing
from tacita.release.records.ending import released_ending
from tacita.release.records.identifiers import without_undecided
from tacita.release.records.shuffling import seed_notes
from tacita.release.tuples import Tuples, with_tuples
from tacita.settings import Settings
from tacita.views.evaluation import headline

RECIPE = "recipe.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedOptions:
    """What a steward may say about a release of masked microdata."""

    internal: Path | None = option(None, help="Folder for what stays in the house; default: OUT.internal.")
    shuffle: bool = option(True, "--no-shuffle", help="Keep the order of the records, which may tell who is who.")
    publish_recipe: bool = option(False, "--publish-recipe", help="Hand out the recipe too, without its seed.")
    """Whether the recipe is handed out too, without its seed: who analyses noise wants to know its size."""
    anyway: bool = option(
        False, "--anyway", help="Release although a limit of the recipe is not kept; that is recorded."
    )
    """Whether data are released although a limit of the recipe is not kept."""
    ungated: bool = option(
        False, "--ungated", help="Release although the recipe sets no limit of risk (accept); recorded."
    )
    """Whether data are released although the recipe sets no limit of risk (`accept`); that is recorded and told."""
    escape_formulas: bool = option(
        False, "--escape-formulas", help="Put an apostrophe before CSV cells that a spreadsheet would run."
    )
    """Whether cells of a CSV file that a spreadsheet would run as formulas get an apostrophe in front."""
    allow_derivable: bool = option(
        False, "--allow-derivable", help="Release although an attribute that stays determines hidden cells."
    )
    """Whether data are released although a single attribute that stays determines suppressed or recoded cells."""
    force: bool = option(False, "--force", help="Replace files that exist.")


@dataclass(frozen=True, slots=True, repr=False)
class ReleasedRecords(Result):
    """Where a release is, and what has to be said about it."""

    folder: Path
    internal: Path
    data: Path
    records: int
    files: tuple[str, ...]
    notes: tuple[str, ...]
    is_derivable: bool = False
    """Whether attributes that stay determine hidden values, and it was released all the same."""

    def _in_short(self) -> str:
        return f"'{self.folder.name}': {counted(self.records, 'record')}"


def write_masked(
    masked: Masked,
    evaluation: Evaluation,
    target: Path,
    options: MaskedOptions | None = None,
    *,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> ReleasedRecords:
    """Write the release folder and its internal folder.

    What breaks a limit of its recipe is refused unless `anyway` is given, and a recipe without a limit of risk unless
    `ungated` is given.
    """
    options = options or MaskedOptions()
    _check_gate(masked.recipe, evaluation, options, where=str(target))
    against = reasons_against(masked.recipe, evaluation)
    if against and not options.anyway:
        raise OutputError(faults_text(against), where=str(target), do="change the recipe; nothing was written")
    internal = options.internal or internal_folder(target)
    check_places(target, internal, force=options.force, settings=settings)
    source = Path(masked.original.source.name)
    if any(source.resolve().is_relative_to(folder.resolve()) for folder in (target, internal)):
        raise OutputError("the source is in the folder that would be replaced", where=str(target), do="choose another")
    progress(Step("putting the release together"))
    masked, dropped = _without_undecided(masked, target)
    assert masked.recipe.seed is not None
    tuples = released_tuples(masked, masked.recipe.seed, shuffle=options.shuffle)
    microdata, ending, notes = _described(masked, tuples)
    notes = (*dropped, *notes)
    if options.shuffle or any(done.is_random for done in masked.steps):
        notes += seed_notes(masked.recipe.seed)
    tuples = replace(tuples, derivable=_derivable(masked, tuples, options, str(target)))
    notes += allowed_notes(tuples.derivable)
    with placed(target, internal, force=options.force, settings=settings) as places:
        data = DATA + ending
        as_asked = WriteOptions(progress=progress, escape_formulas=options.escape_formulas)
        written = write(microdata, places.release / data, as_asked, settings)
        microdata = escaped(microdata) if options.escape_formulas else microdata
        notes += written.notes
        text = dictionary_file.dumps(written.dictionary)
        write_text(places.release / DICTIONARY, text, force=False, settings=settings)
        tables = _write_tables(masked, places.release, settings)
        if options.publish_recipe:
            published = recipe_text(_handed_out(masked.recipe), with_seed=False)
            write_text(places.release / RECIPE, published, force=False, settings=settings)
        page = external_report(masked, evaluation, tuples, microdata, tables, is_ungated=options.ungated)
        write_text(places.release / REPORT, page, force=False, settings=settings)
        public = public_manifest(masked, microdata, data, tables, places.release, is_ungated=options.ungated)
        write_text(places.release / MANIFEST, as_json(public), force=False, settings=settings)
        file, names = places.release / data, written.dictionary.names
        if wrong := faults_of_written(file, public, microdata, names, identifiers_of(masked)):
            raise OutputError(
                f"the written file is not what was attacked: {wrong[0]}",
                where=str(target),
                do="nothing was released; write another format (tacita convert), and report this",
            )
        write_text(places.internal / RECIPE, recipe_text(masked.recipe), force=False, settings=settings)
        if masked.origin is not None:
            write_parquet(_origins(masked, tuples), places.internal / ORDER, settings)
        inside = internal_report(
            masked,
            evaluation,
            [*masked.notes, *notes],
            against,
            is_ungated=options.ungated,
            is_derivable=bool(tuples.derivable),
        )
        write_text(places.internal / REPORT, inside, force=False, settings=settings)
        told = (*masked.notes, *notes)
        full = internal_manifest(masked, evaluation, tuples, places, data, told, against, is_ungated=options.ungated)
        write_text(places.internal / MANIFEST, as_json(full), force=False, settings=settings)
    records = tuples.relation.count()
    tuples.relation.engine.drop(tuples.relation)
    return ReleasedRecords(
        target, internal, target / data, records, (data, *tables.values()), notes, bool(tuples.derivable)
    )


def _without_undecided(masked: Masked, target: Path) -> tuple[Masked, tuple[str, ...]]:
    """Return masked records in which undecided attributes that may name respondents are identifiers."""
    first, _ = without_undecided(masked.original)
    if beside := [name for table in masked.beside.values() for name in table.names if name in first]:
        raise OutputError(
            f"{listed(beside)} may name respondents, has no category, and would be released in a table of its own",
            where=str(target),
            do="give it a category; nothing was written",
        )
    second, notes = without_undecided(masked.released)
    if not second:
        return masked, ()
    before, after = (
        each.with_dictionary(
            each.dictionary.with_categories({n: c for n, c in second.items() if n in each.dictionary.names})
        )
        for each in (masked.original, masked.released)
    )
    return replace(masked, original=before, released=after), notes


def _derivable(masked: Masked, tuples: Tuples, options: MaskedOptions, where: str) -> tuple[DerivableValues, ...]:
    """Return which hidden cells can be derived, if that is allowed; raise if it is not."""
    if masked.origin is None:
        return ()
    places = tuples.order - 1 if tuples.order is not None else np.arange(len(masked.origin))
    found = derivable(
        masked.original.relation,
        tuples.relation,
        masked.origin[places],
        cluster=cluster_key(masked.original.dictionary),
        in_order=tuples.order is None,
        only_coarsened=True,
    )
    if not options.allow_derivable:
        check_not_derivable(found, where, masked.original.dictionary, of_recipe=True)
    return found


def check_ungated(recipe: Recipe, *, ungated: bool) -> None:
    """Raise if a release without a limit is asked for, and the recipe has a limit."""
    if has_limit(recipe) and ungated:
        raise UsageError(
            "a release without a limit is asked for, but the recipe has one (accept)",
            do="leave out --ungated (Python: ungated), or take 'accept' out of the recipe",
        )


def _check_gate(recipe: Recipe, evaluation: Evaluation, options: MaskedOptions, *, where: str) -> None:
    """Raise if a recipe has no limit of risk and nobody insists, or if somebody insists where there is a limit."""
    check_ungated(recipe, ungated=options.ungated)
    if not has_limit(recipe) and not options.ungated:
        raise OutputError(
            f"{UNGATED}. {headline(evaluation).removesuffix('.')}",
            where=where,
            do="add accept = SHARE to [attack] of the recipe, or release without a limit with --ungated (Python: "
            "MaskedOptions(ungated=True)), which is recorded; nothing was written",
        )


def _handed_out(recipe: Recipe) -> Recipe:
    """Return the steps alone: what the intruder was supposed to know, and what is accepted, helps nobody else.

    Of a file that a step reads the name is told, not where it lies in the house.
    """
    steps = []
    for step in recipe.steps:
        file = step.parameters.get("file")
        told = {**step.parameters, "file": Path(file).name} if isinstance(file, str) and file else step.parameters
        steps.append(replace(step, parameters=told))
    return recipe.with_(steps=tuple(steps), judgement=Judgement())


def _described(masked: Masked, tuples: Tuples) -> tuple[Microdata, str, tuple[str, ...]]:
    microdata = with_tuples(masked.released, tuples.relation)
    ending, notes = released_ending(masked.original.source)
    missing_as = masked.released.dictionary.missing_as
    dictionary = released_dictionary(masked.original, masked.released.dictionary, tuples, missing_as)
    if ending in SPSS:
        # Where no value was changed, an empty text is a value as before.
        dictionary = with_blanks_missing(dictionary, replace(tuples, touched=frozenset(masked.changed)))
    taken = [f"codes of missing values of '{n}' became values: missing cells are empty" for n in taken_codes(masked)]
    return microdata.with_dictionary(dictionary), ending, (*notes, *taken)


def _write_tables(masked: Masked, folder: Path, settings: Settings | None) -> dict[str, str]:
    """Write further tables as CSV; return their files by name."""
    import pyarrow as pa

    from tacita.engines.records import as_arrow_table
    from tacita.model.attribute import Attribute
    from tacita.model.dictionary import Dictionary

    found: dict[str, str] = {}
    engine = masked.released.relation.engine
    # What moved to another table keeps its type: a date is a date there too.
    types = {column.name: column.type for column in masked.original.columns if column.name in masked.dropped}
    beside = masked.beside
    for name, stem in zip(beside, file_names(list(beside)), strict=True):
        table: pa.Table = as_arrow_table(beside[name], types)
        relation = engine.adopt(table.to_batches(), table.schema)
        dictionary = Dictionary(name, tuple(Attribute(column.name) for column in relation.columns))
        file = f"{stem}.csv"
        write(Microdata(relation, dictionary, Source(file, "CSV")), folder / file, WriteOptions(), settings)
        engine.drop(relation)
        found[name] = file
    return found


def _origins(masked: Masked, tuples: Tuples) -> object:
    import numpy as np
    import pyarrow as pa

    assert masked.origin is not None
    places = tuples.order - 1 if tuples.order is not None else np.arange(len(masked.origin))
    return pa.table({"released": np.arange(1, len(places) + 1), "source": masked.origin[places] + 1})
