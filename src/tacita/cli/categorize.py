"""tacita categorize: which attributes identify, which are sensitive; proposals with reasons, decided by a person."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.options import AsJson, Request, reads_data
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import UsageError, printable
from tacita.forms import once, split_pair

if TYPE_CHECKING:
    from tacita.api.dataset import Dataset
    from tacita.model.attribute import Category
    from tacita.model.proposal import Proposal


@reads_data
def categorize(
    source: Annotated[str, typer.Argument(help="A file, a folder or pattern of Parquet files, or a database URL.")],
    request: Request,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=CATEGORY: decide it yourself; may be repeated.")
    ] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Take over every proposal without a conflict.")] = False,
    out: Annotated[Path | None, typer.Option(help="Where to write the dictionary; by default beside the data.")] = None,
    remember: Annotated[
        bool, typer.Option(help="Keep confirmed names in the experience base, for the next file.")
    ] = True,
    force: Annotated[
        bool,
        typer.Option("--force", help="Start anew: leave what the dictionary file says aside and replace it."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Propose a category for each attribute, with the reason, and list conflicts for a person to decide.

    Categories: identifier, quasi-identifier, sensitive, non-identifying, weight, cluster-key. With --accept or --set
    the decisions are written to a dictionary file beside the data (firms.dictionary.toml), which every other command
    picks up; entries and comments that are there already are kept.
    """
    from tacita.describe.propose import SURE
    from tacita.files.database.url import without_secrets
    from tacita.files.formats import is_database
    from tacita.knowledge.experience_base import ExperienceBase
    from tacita.model.attribute import Category

    settings = request.settings()
    _check_out(source, out, force=force)
    told = once((split_pair(pair, "--set") for pair in set_ or []), "--set")
    decisions = {name: Category.parse(value) for name, value in told.items()}
    with progress_shown() as progress:
        data = request.read(source, progress, use_dictionary=not force)
        figures = data.profiles(progress)
        proposals = data.propose(experience=ExperienceBase.load(settings.experience), figures=figures)
    decided = data.with_categories(decisions)
    if accept:
        decided = decided.accept(_without_second_weight(proposals, decided), figures)
    written = None
    if accept or decisions:
        written = _write(decided, source, out or request.dictionary, force=force)
        if remember:
            sure = {name for name, p in proposals.items() if p.confidence >= SURE}
            _remember(settings.experience, data, decided, decisions, sure)
    if as_json:
        print_json(_as_dict(decided, proposals, written))
    else:
        given = {a.name for a in data.dictionary if a.category is not None} | set(decisions)
        shown = without_secrets(source) if is_database(source) else source
        print_text(*_as_text(decided, proposals, given, written, _shell(shown)))


def _check_out(source: str, out: Path | None, *, force: bool) -> None:
    """Raise if the dictionary would take the place of something that is none."""
    from tacita.files.formats import is_database

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
    from tacita.model.attribute import Category

    chosen = data.dictionary.weight
    return {name: p for name, p in proposals.items() if chosen is None or p.category is not Category.WEIGHT}


def _write(data: Dataset, source: str, out: Path | None, *, force: bool) -> Path:
    from tacita.files.atomic import write_text
    from tacita.files.formats import is_database
    from tacita.model import dictionary_file

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
    from tacita.files.atomic import write_text
    from tacita.knowledge.experience_base import ExperienceBase, with_confirmed
    from tacita.model.names import normalised

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


def _as_dict(data: Dataset, proposals: Mapping[str, Proposal], written: Path | None) -> dict[str, Any]:
    from tacita.views.description import proposal_dict

    return {
        "name": data.name,
        "dictionary": str(written) if written else None,
        "attributes": [
            {
                "name": a.name,
                "category": a.category.value if a.category else None,
                "proposal": proposal_dict(proposals[a.name]),
            }
            for a in data.dictionary
        ],
        "conflicts": [a.name for a in data.dictionary if a.category is None and proposals[a.name].conflict],
    }


def _as_text(
    data: Dataset, proposals: Mapping[str, Proposal], given: set[str], written: Path | None, source: str
) -> list[Any]:
    from rich.table import Table
    from rich.text import Text

    from tacita.describe.propose import SURE
    from tacita.views.description import STYLES

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("attribute", overflow="fold")
    table.add_column("category", no_wrap=True)
    table.add_column("sure", no_wrap=True, justify="right")
    table.add_column("why", overflow="fold", ratio=1)
    open_conflicts = []
    for attribute in data.dictionary:
        proposal = proposals[attribute.name]
        category = attribute.category or proposal.category
        mark = "" if attribute.category else "?"
        sure = "given" if attribute.name in given else f"{100 * proposal.confidence:.0f} %"
        why = "decided by a person" if attribute.name in given else proposal.why
        style = "bold red" if mark and (proposal.conflict or proposal.confidence < SURE) else "dim"
        table.add_row(
            Text(printable(attribute.name)),
            Text(category.value + mark, style=STYLES[category]),
            Text(sure, style=style),
            Text(why),
        )
        if not attribute.category and proposal.conflict:
            open_conflicts.append((attribute.name, proposal.conflict))
    parts: list[Any] = [table, Text("")]
    if open_conflicts:
        parts.append(Text(f"{len(open_conflicts)} for you to decide:", style="bold"))
        parts += [Text(printable(f"  {name}: {conflict}")) for name, conflict in open_conflicts]
        name, _ = open_conflicts[0]
        parts.append(Text(f"  tacita categorize {source} --accept --set {_shell(name)}=CATEGORY", style="dim"))
    if written:
        parts.append(Text(f"Dictionary written to {written}"))
    elif not open_conflicts:
        parts.append(Text(f"Nothing written yet. To accept: tacita categorize {source} --accept", style="dim"))
    return parts


def _shell(name: str) -> str:
    import shlex

    return shlex.quote(name)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("categorize")(categorize)
