"""tacita explain: why a cell of a release was changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_text
from tacita.errors import printable

if TYPE_CHECKING:
    from tacita.cycle.program.why import LinkedWhy
    from tacita.release.kinds.microdata.explain import ChangeExplanation, OpenedMicrodata

_SHOWN = 20


def explain(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The release folder.")],
    row: Annotated[
        int | None,
        typer.Option("--row", min=1, help="Number of the record in the released file, from 1; without it: a list."),
    ] = None,
    attribute: Annotated[
        str | None, typer.Option("--attribute", help="The attribute; without it, all of them.")
    ] = None,
    source_row: Annotated[
        bool, typer.Option("--source-row", help="--row counts the records of the source instead of the release.")
    ] = False,
    internal: Annotated[
        Path | None, typer.Option(help="The internal folder; default: RELEASE.internal beside it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say why a cell was changed: the step, the rule, the risk before and after, and why not another cell.

    The answer comes from the internal folder, which never leaves the house. It holds no value of the data; for linked
    records the chain of facts is shown too, which names respondents.
    """
    from tacita.release.kinds.microdata.explain import explain_record, open_microdata

    folder = open_microdata(release, internal)
    if row is None:
        _list(folder, attribute, as_json=as_json)
        return
    found = explain_record(folder, row, attribute, of_source=source_row)
    chain = _chain(folder, found) if found.decisions else None
    if as_json:
        print_json(found.to_dict() | ({"chain": chain.as_json()} if chain is not None else {}))
        return
    from rich.text import Text

    print_text(found)
    if chain is not None:
        said = [Text(printable(line)) for line in chain.as_sentences().splitlines()]
        print_text(Text(""), *said, Text(""), Text(chain.as_text()))


def _list(folder: OpenedMicrodata, attribute: str | None, *, as_json: bool) -> None:
    """Show which records were changed, so that somebody can ask about one."""
    from tacita.release.kinds.microdata.explain import changed_records

    found = changed_records(folder, attribute)
    if as_json:
        print_json(found.to_dict()["records"])
    else:
        print_text(found)


def _chain(folder: OpenedMicrodata, found: ChangeExplanation) -> LinkedWhy | None:
    """Return why the record shares the risk of others, from the source and the rules, if rules linked them."""
    chain = folder.manifest.get("settings", {}).get("chain")
    if not chain or not Path(chain["source"]).exists():
        return None
    import tacita as tc
    from tacita.cycle.program.why import why_linked
    from tacita.engines.context import Context
    from tacita.release.kinds.microdata.claim import measure_of

    claim = folder.claim
    data = tc.read(chain["source"], context=Context())
    data = data.with_roles(quasi=claim.known, identifier=chain["identifier"], weight=chain["weight"])
    measured = measure_of(claim)
    return why_linked(
        data.microdata, found.source_row, chain["program"], chain["inputs"], measure=measured, known=claim.known
    )


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explain")(explain)
