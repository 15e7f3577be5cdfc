"""tacita generate: seeded data sets for experiments, with the truth to score an attack against."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.options import AsJson, Force
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import UsageError, counted
from tacita.progress import Progress, Step
from tacita.settings import Settings

if TYPE_CHECKING:
    from tacita.generators.stream import Generated


def generate(
    name: Annotated[str | None, typer.Argument(help="R25A4W, R100A4U, households, figure-1, ...; see --list.")] = None,
    out: Annotated[Path | None, typer.Option(help="The file to write; by default NAME.csv here.")] = None,
    seed: Annotated[int, typer.Option(help="Seed: the same seed gives the same rows.", min=0)] = 0,
    rows: Annotated[int | None, typer.Option(help="Number of rows, where the name does not say it.", min=1)] = None,
    fraction: Annotated[float | None, typer.Option(help="Share of the population that a firm survey samples.")] = None,
    oracle: Annotated[
        Path | None, typer.Option(help="Also write the identity oracle: the population with identities.")
    ] = None,
    ownership: Annotated[
        Path | None,
        typer.Option(help="Also write an ownership graph between the firms: Owner, Owned, Share."),
    ] = None,
    edges: Annotated[int | None, typer.Option(help="Number of ownership edges.", min=1)] = None,
    control: Annotated[
        int | None,
        typer.Option(help="Ownership graph with exactly this many control relationships instead.", min=0),
    ] = None,
    dictionary: Annotated[bool, typer.Option("--dictionary", help="Also write the true dictionary.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List what can be generated.")] = False,
    memory: Annotated[str | None, typer.Option(help="Most memory of the engine, such as 4GB.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Generate microdata: the firm surveys R{6,12,25,50,100,...}A{4..9}{W,U,V}, households, the papers' examples.

    W: realistic, few risky tuples. U: unbalanced. V: very unbalanced. Everything is invented; nothing is confidential.
    """
    from tacita.generators import catalogue

    if list_ or name is None:
        _list(catalogue.names(), as_json=as_json)
        return
    generated = catalogue.generate(name, seed=seed, rows=rows, fraction=fraction)
    companions = _companions(name, seed, fraction, oracle, ownership, edges, control)
    target = out or Path(f"{generated.name}.csv")
    with progress_shown() as progress:
        result = _write(generated, target, companions, progress, memory, with_dictionary=dictionary, force=force)
    result["seed"] = seed
    if as_json:
        print_json(result)
        return
    from rich.text import Text

    lines = [Text(f"{counted(result['rows'], 'tuple')} of {generated.name} (seed {seed}) written to {target}")]
    if result["uniques"]:
        under = ", ".join(f"{n:,} in groups under {k}" for k, n in result["uniques"]["under"].items() if k != "2")
        on = ", ".join(result["uniques"]["quasi_identifiers"])
        lines.append(Text(f"{counted(result['uniques']['sample_uniques'], 'sample unique')} on {on}; {under}"))
    lines += [
        Text(f"{entry['rows']:,} rows of the {what} written to {entry['file']}")
        for what, entry in result["companions"].items()
    ]
    lines += [Text(f"note: {note}") for note in result["notes"]]
    print_text(*lines)


def _companions(
    name: str,
    seed: int,
    fraction: float | None,
    oracle: Path | None,
    ownership: Path | None,
    edges: int | None,
    control: int | None,
) -> dict[str, tuple[Path, Generated]]:
    if (edges is not None or control is not None) and ownership is None:
        raise UsageError("--edges and --control need an ownership graph", do="add --ownership FILE")
    if edges is not None and control is not None:
        raise UsageError("--edges and --control together", do="give one of the two")
    sampled: dict[str, Any] = {} if fraction is None else {"fraction": fraction}
    found: dict[str, tuple[Path, Generated]] = {}
    if oracle is not None:
        from tacita.generators.oracle import oracle as population

        found["identity oracle"] = (oracle, population(name, seed=seed, **sampled))
    if ownership is not None:
        from tacita.generators import ownership as graphs

        graph = (
            graphs.planted_control(name, relationships=control, seed=seed, **sampled)
            if control is not None
            else graphs.ownership(name, edges=edges, seed=seed, **sampled)
        )
        found["ownership graph"] = (ownership, graph)
    return found


def _write(
    generated: Generated,
    target: Path,
    companions: dict[str, tuple[Path, Generated]],
    progress: Progress,
    memory: str | None,
    *,
    with_dictionary: bool,
    force: bool,
) -> dict[str, Any]:
    from tacita.api.dataset import from_generated
    from tacita.describe.describe import uniques
    from tacita.engines.context import Context
    from tacita.files.atomic import check_target, write_text
    from tacita.files.contract import WriteOptions
    from tacita.files.write import write as write_microdata
    from tacita.model import dictionary_file
    from tacita.views.description import uniques_dict

    beside = dictionary_file.dictionary_path(target)
    targets = [target, *(path for path, _ in companions.values()), *([beside] if with_dictionary else [])]
    if len({path.absolute() for path in targets}) < len(targets):
        raise UsageError("two outputs have the same name", do="give each its own file")
    for path in targets:
        check_target(path, force=force)
    with Context(Settings.from_environment(memory=memory), progress=progress) as context:
        progress(Step(f"generating {generated.name}"))
        data = from_generated(generated, context=context)
        found = uniques(data.relation, data.dictionary.quasi_identifiers)
        progress(Step(f"writing {target.name}"))
        done = write_microdata(data.microdata, target, WriteOptions(force=force, progress=progress))
        written = {}
        for what, (path, companion) in companions.items():
            progress(Step(f"generating the {what}"))
            other = from_generated(companion, context=context)
            other.write(path, force=force)
            written[what] = {"file": str(path), "rows": other.rows}
            context.engine.drop(other.relation)
    if with_dictionary:
        write_text(beside, dictionary_file.dumps(done.dictionary), force=force)
    return {
        "name": generated.name,
        "file": str(target),
        "rows": generated.rows,
        "uniques": uniques_dict(found),
        "companions": written,
        "notes": list(done.notes),
    }


def _list(names: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        print_json(names)
        return
    width = max(map(len, names))
    for name, meaning in names.items():
        typer.echo(f"{name:<{width}}  {meaning}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("generate")(generate)
