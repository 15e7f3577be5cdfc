"""What is asked for when a program runs: facts, parameters, limits, files to write. Fields are options of commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tacita.engines.context import EngineName
from tacita.engines.protocol import Engine
from tacita.errors import UsageError
from tacita.forms import BINDINGS, TEXTS, Form
from tacita.model.microdata import Microdata
from tacita.options import option, part
from tacita.progress import Progress, silent
from tacita.rules.passes.externals import Functions
from tacita.rules.reasoner.program import Budget
from tacita.rules.reasoner.similar import Similarity
from tacita.rules.typed_parameters import parsed_parameters
from tacita.settings import Settings

SHOWN = 20
"""How many facts of each output are told."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ProgramInputs:
    """What a program is given, and how long it may run."""

    inputs: Mapping[str, Any] = option(
        {},
        "--input",
        form=BINDINGS,
        metavar="PREDICATE=FILE",
        help="Facts of a predicate: a file or a database URL, behind it #TABLE, #SHEET or :no-header; may be repeated.",
    )
    """Files, database URLs, data frames, microdata or lists of tuples, by predicate."""
    parameters: Mapping[str, Any] = option(
        {},
        "--param",
        form=Form(list[str], parse=lambda typed, flag: parsed_parameters(typed)),
        metavar="NAME=VALUE",
        help="Value of a parameter, such as k=3; may be repeated.",
    )
    no_header: bool = option(False, "--no-header", help="The first line of every text file is data.")
    max_rounds: int | None = option(None, least=1, help="Stop after so many rounds.")
    settings: Settings = part(Settings, Settings.from_environment)

    def __post_init__(self) -> None:
        if self.max_rounds is not None and self.max_rounds < 1:
            raise UsageError(f"max_rounds is {self.max_rounds}", do="give a number above zero")

    @property
    def budget(self) -> Budget:
        """When a run that does not end by itself is stopped."""
        return Budget() if self.max_rounds is None else Budget(rounds=self.max_rounds)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReasoningRequest(ProgramInputs):
    """What is asked of one run of a program."""

    outputs: Mapping[str, str | Path] = option(
        {},
        "--output",
        form=BINDINGS,
        metavar="PREDICATE=FILE",
        help="Write the facts of a predicate to a file; may be repeated.",
    )
    """Files to write, by predicate: all of them, or none."""
    data: Microdata | str | Path | None = option(
        None, form=Form(), help="Microdata that the rules speak about, with its dictionary: Cat, Val, Tuple."
    )
    """Microdata whose dictionary and values the program reads as ``MicroDB``, ``Att``, ``Cat`` and ``Val``."""
    engine: EngineName | Engine = option("duckdb", form=Form(), help="What reasons: duckdb or spark.")
    force: bool = option(False, "--force", help="Replace files that exist.")
    functions: Functions = field(default_factory=lambda: MappingProxyType({}))
    """What computes external predicates."""
    similarity: Similarity | None = None
    """What ``~`` means: a function of two texts that gives a number from 0 to 1, or an object with ``pairs``."""
    progress: Progress = silent


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReportOptions:
    """What is told of the conclusions of a program."""

    why: tuple[str, ...] = option(
        (), form=TEXTS, metavar="FACT", help='Prove a fact: \'Control("a", "c")\'; may be repeated.'
    )
    why_not: tuple[str, ...] = option(
        (), form=TEXTS, metavar="FACT", help="Say why a fact does not hold; may be repeated."
    )
    graph: Path | None = option(None, help="Draw the proof of --why: proof.svg or proof.dot.")
    """The picture of the first proof."""
    show: int = option(SHOWN, least=0, help="How many facts of each output to print.")

    def __post_init__(self) -> None:
        if self.graph is None:
            return
        if not self.why:
            raise UsageError("--graph draws a proof, and no --why asks for one", do='add --why \'Control("a", "c")\'')
        if self.graph.suffix not in {".svg", ".dot"}:
            raise UsageError(f"no picture is known for '{self.graph.suffix}'", do="name a .svg or a .dot file")
