"""Seeded data sets for experiments, written to files with the truth to score an attack against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacita.api.reading import from_generated
from tacita.describe.describe import Uniques, uniques
from tacita.engines.context import Context
from tacita.errors import UsageError, counted
from tacita.files.atomic import check_target, write_text
from tacita.files.contract import WriteOptions
from tacita.files.write import write as write_microdata
from tacita.generators import catalogue
from tacita.generators.stream import Generated
from tacita.model import dictionary_file
from tacita.model.result import Result
from tacita.options import option
from tacita.progress import Progress, Step, silent
from tacita.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorOptions:
    """What is generated beside the name, and where it goes."""

    out: Path | None = option(None, help="The file to write; by default NAME.csv here.")
    seed: int = option(0, least=0, help="Seed: the same seed gives the same rows.")
    rows: int | None = option(None, least=1, help="Number of rows, where the name does not say it.")
    fraction: float | None = option(None, help="Share of the population that a firm survey samples.")
    oracle: Path | None = option(None, help="Also write the identity oracle: the population with identities.")
    ownership: Path | None = option(None, help="Also write an ownership graph between the firms: Owner, Owned, Share.")
    edges: int | None = option(None, least=1, help="Number of ownership edges.")
    control: int | None = option(
        None, least=0, help="Ownership graph with exactly this many control relationships instead."
    )
    dictionary: bool = option(False, "--dictionary", help="Also write the true dictionary.")
    memory: str | None = option(None, help="Most memory of the engine, such as 4GB.")
    force: bool = option(False, "--force", help="Replace files that exist.")

    def __post_init__(self) -> None:
        if (self.edges is not None or self.control is not None) and self.ownership is None:
            raise UsageError("--edges and --control need an ownership graph", do="add --ownership FILE")
        if self.edges is not None and self.control is not None:
            raise UsageError("--edges and --control together", do="give one of the two")


@dataclass(frozen=True, slots=True)
class CompanionFile:
    """A file that belongs to generated data: the identity oracle, or the ownership graph."""

    file: Path
    rows: int


@dataclass(frozen=True, slots=True, repr=False)
class GeneratedFiles(Result):
    """What was generated and where it is; everything is invented."""

    name: str
    file: Path
    rows: int
    seed: int
    uniques: Uniques | None
    companions: Mapping[str, CompanionFile] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def _in_short(self) -> str:
        return f"{self.name}: {counted(self.rows, 'tuple')}"


def generators() -> dict[str, str]:
    """Return the names of what can be generated, and what each is."""
    return catalogue.names()


def generate_files(
    name: str, options: GeneratorOptions | None = None, *, progress: Progress = silent
) -> GeneratedFiles:
    """Generate microdata by name and write it, with its companions; the same seed gives the same bytes."""
    options = options or GeneratorOptions()
    generated = catalogue.generate(name, seed=options.seed, rows=options.rows, fraction=options.fraction)
    companions = _companions(name, options)
    target = options.out or Path(f"{generated.name}.csv")
    beside = dictionary_file.dictionary_path(target)
    targets = [target, *(path for path, _ in companions.values()), *([beside] if options.dictionary else [])]
    if len({path.absolute() for path in targets}) < len(targets):
        raise UsageError("two outputs have the same name", do="give each its own file")
    for path in targets:
        check_target(path, force=options.force)
    with Context(Settings.from_environment(memory=options.memory), progress=progress) as context:
        progress(Step(f"generating {generated.name}"))
        data = from_generated(generated, context=context)
        figures = uniques(data.relation, data.dictionary.quasi_identifiers)
        progress(Step(f"writing {target.name}"))
        done = write_microdata(data.microdata, target, WriteOptions(force=options.force, progress=progress))
        written = {}
        for what, (path, companion) in companions.items():
            progress(Step(f"generating the {what}"))
            other = from_generated(companion, context=context)
            other.write(path, force=options.force)
            written[what] = CompanionFile(path, other.rows)
            context.engine.drop(other.relation)
    if options.dictionary:
        write_text(beside, dictionary_file.dumps(done.dictionary), force=options.force)
    return GeneratedFiles(generated.name, target, generated.rows, options.seed, figures, written, tuple(done.notes))


def _companions(name: str, options: GeneratorOptions) -> dict[str, tuple[Path, Generated]]:
    sampled: dict[str, Any] = {} if options.fraction is None else {"fraction": options.fraction}
    companions: dict[str, tuple[Path, Generated]] = {}
    if options.oracle is not None:
        from tacita.generators.oracle import oracle

        companions["identity oracle"] = (options.oracle, oracle(name, seed=options.seed, **sampled))
    if options.ownership is not None:
        from tacita.generators import ownership as graphs

        graph = (
            graphs.planted_control(name, relationships=options.control, seed=options.seed, **sampled)
            if options.control is not None
            else graphs.ownership(name, edges=options.edges, seed=options.seed, **sampled)
        )
        companions["ownership graph"] = (options.ownership, graph)
    return companions
