"""Categories of attributes: proposed with reasons, decided by a person, written to the dictionary beside the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tacita.api.dataset import Dataset
from tacita.describe.propose import SURE
from tacita.errors import UsageError, counted
from tacita.files.atomic import write_text
from tacita.files.formats import is_database
from tacita.forms import PAIRS, Form
from tacita.knowledge.experience_base import ExperienceBase, with_confirmed
from tacita.model import dictionary_file
from tacita.model.attribute import Category
from tacita.model.names import normalised
from tacita.model.proposal import Proposal
from tacita.model.result import Result
from tacita.options import Typed, option


@dataclass(frozen=True, slots=True, repr=False)
class Categorization(Result):
    """The categories of a data set: those that are decided, and a proposal with reasons for each attribute."""

    data: Dataset
    """The data set with the decisions taken over."""
    proposals: Mapping[str, Proposal]
    given: frozenset[str]
    """The attributes that a person decided on, now or in the dictionary."""
    written: Path | None = None
    """The dictionary file, if one was written."""

    @property
    def conflicts(self) -> tuple[str, ...]:
        """The attributes that only a person can decide on."""
        dictionary = self.data.dictionary
        return tuple(a.name for a in dictionary if a.category is None and self.proposals[a.name].conflict)

    def _in_short(self) -> str:
        return f"'{self.data.name}': {counted(len(self.proposals), 'attribute')}, {len(self.conflicts):,} to decide"


@dataclass(frozen=True, slots=True, kw_only=True)
class CategorizeOptions:
    """What a person decides about categories, and where the dictionary with the decisions goes."""

    decisions: Mapping[str, Category | str] = option(
        {}, "--set", form=PAIRS, help="NAME=CATEGORY: decide it yourself; may be repeated."
    )
    accept: bool = option(False, "--accept", help="Take over every proposal without a conflict.")
    out: Path | None = option(None, help="Where to write the dictionary; by default beside the data.")
    remember: bool = option(
        True,
        form=Form(bool),
        typed=(
            Typed("remember", bool, "Keep confirmed names in the experience base, for the next file.", default=True),
        ),
    )
    force: bool = option(False, "--force", help="Start anew: leave what the dictionary file says aside and replace it.")


def categorize(
    data: Dataset,
    decisions: Mapping[str, Category | str] | None = None,
    options: CategorizeOptions | None = None,
    **more: Any,
) -> Categorization:
    """Propose a category for each attribute; with decisions, or with ``accept``, write the dictionary of the data.

    It goes to the file ``out``, or beside the data; entries and comments that are there are kept, unless ``force`` says
    to start anew. `more` are fields of `CategorizeOptions` by name; decisions go before those of the options.
    """
    options = replace(options or CategorizeOptions(), **more)
    decisions = options.decisions if decisions is None else decisions
    source = data.microdata.source.name
    check_dictionary_target(source, options.out, force=options.force)
    chosen = {name: Category.parse(category) for name, category in decisions.items()}
    figures = data.profiles(data.context.progress)
    proposals = data.propose(figures=figures)
    decided = data.with_categories(chosen)
    if options.accept:
        decided = decided.accept(_without_second_weight(proposals, decided), figures)
    written = None
    if options.accept or chosen:
        written = _write(decided, source, options.out, force=options.force)
        if options.remember:
            sure = {name for name, proposal in proposals.items() if proposal.confidence >= SURE}
            _remember(data.context.settings.experience, data, decided, chosen, sure)
    given = {a.name for a in data.dictionary if a.category is not None} | set(chosen)
    return Categorization(decided, proposals, frozenset(given), written)


def check_dictionary_target(source: str, out: Path | None, *, force: bool = False) -> None:
    """Raise if a dictionary would take the place of something that is not a dictionary."""
    if out is None:
        return
    if out.suffix != ".toml":
        raise UsageError(f"--out is '{out}', but a dictionary is a .toml file", do="give firms.dictionary.toml")
    if not is_database(source) and out.exists() and Path(source).exists() and out.samefile(source):
        raise UsageError("--out is the data itself", do="give firms.dictionary.toml")
    if out.exists() and not force and "[microdata]" not in out.read_text(encoding="utf-8", errors="replace"):
        raise UsageError(f"'{out}' is no dictionary", do="choose another name, or add --force to replace it")


def _without_second_weight(proposals: Mapping[str, Proposal], data: Dataset) -> dict[str, Proposal]:
    """Leave out a proposed weight when a person chose another one."""
    chosen = data.dictionary.weight
    return {name: p for name, p in proposals.items() if chosen is None or p.category is not Category.WEIGHT}


def _write(data: Dataset, source: str, out: Path | None, *, force: bool) -> Path:
    if out is None and is_database(source):
        raise UsageError("a database has no folder for a dictionary", do="say where with --out firms.dictionary.toml")
    target = out or dictionary_file.dictionary_path(Path(source))
    if target.exists() and not force:
        text = dictionary_file.updated(target.read_text(encoding="utf-8"), data.dictionary)
    else:
        text = dictionary_file.dumps(data.dictionary)
    write_text(target, text, force=True)
    return target


def _remember(file: Path, before: Dataset, after: Dataset, decisions: Mapping[str, Category], sure: set[str]) -> None:
    """Feed confirmed decisions back into the experience base (rule 3): those made by a person, and new names."""
    base = ExperienceBase.load(file)
    known = set(base.names)
    # A numbered name (q17) says nothing of its neighbours (q18), and names are compared without their number.
    confirmed = {name: category for name, category in decisions.items() if not name[-1:].isdigit()}
    for attribute in after.dictionary:
        name = normalised(attribute.name)
        new = (
            name not in known
            and attribute.name in sure
            and len(name.replace(" ", "")) > 2
            and not attribute.name[-1:].isdigit()
        )
        if new and attribute.category and before.dictionary[attribute.name].category is None:
            confirmed.setdefault(attribute.name, attribute.category)
    if confirmed:
        file.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        write_text(file, with_confirmed(text, confirmed), force=True)
