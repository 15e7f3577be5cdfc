"""tacita anonymize: change microdata as little as possible until they are safe, and release them with the proof."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import DATA, AsJson, AsTyped, takes
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import UsageError

if TYPE_CHECKING:
    from tacita.api.reading import DataRequest
    from tacita.api.releasing import Plan, ReleaseOptions
    from tacita.options import Given

EXIT_UNSAFE = 1
_RELEASE, _FILE = "The release", "The plan as a file"
_WITHOUT_RELEASE = {"seed", "force"}
"""Options of a release that a trial may have."""


@takes(
    plan=AsTyped("tacita.api.releasing:Plan"),
    release=AsTyped("tacita.api.releasing:ReleaseOptions"),
    request=DATA,
)
def anonymize(
    *,
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file, a folder, a pattern or a database URL.")],
    out: Annotated[
        Path | None,
        typer.Option(rich_help_panel=_RELEASE, help="Release folder to make; without it nothing is written."),
    ] = None,
    plan: Given[Plan],
    release: Given[ReleaseOptions],
    curve: Annotated[
        bool,
        typer.Option(
            "--curve",
            rich_help_panel=_RELEASE,
            help="Show nulls against records that lean on others, from maybe to strict.",
        ),
    ] = False,
    plan_file: Annotated[
        Path | None,
        typer.Option(
            "--plan",
            rich_help_panel=_FILE,
            help="A plan in a TOML file; an option that is given replaces its entry of the file.",
        ),
    ] = None,
    write_plan: Annotated[
        Path | None,
        typer.Option(rich_help_panel=_FILE, help="Write what is asked for as such a file, without seed and key."),
    ] = None,
    as_json: AsJson = False,
    request: DataRequest,
) -> None:
    """Change microdata as little as possible until no record is too risky, and release them with a proof.

    The release folder holds the protected data, a dictionary, a report and a manifest; the internal folder is
    OUT.internal. Nothing is written if a record cannot be made safe: exit code 1, and what would make it pass. Ask
    'tacita explain OUT --row N' why a cell was changed, and 'tacita verify OUT' whether the claim holds.
    """
    from tacita.api import releasing

    if curve and out is not None:
        raise UsageError("--curve shows what would come of it and releases nothing", do="leave out --out, or --curve")
    if out is None and set(release.fields) - _WITHOUT_RELEASE:
        raise UsageError("an option about the release is given, but no release", do="add --out FOLDER")
    whole = _whole_plan(plan, release, plan_file)
    request = replace(request, roles=request.roles.over(whole.roles))
    whole = whole.with_roles(request.roles)
    if curve and whole.program is not None:
        raise releasing.by_rules_alone()
    options = whole.release or releasing.ReleaseOptions()
    if out is not None:
        releasing.check_folder(out, options)
    if write_plan is not None:
        whole.write(write_plan, force=options.force)
    with progress_shown() as progress:
        data = request.read(source, progress, only_given_roles=True)
        if curve:
            drawn = releasing.curve(data, whole, progress=progress)
            print_json(drawn.to_dict()["points"]) if as_json else print_text(drawn)
            return
        attempt = releasing.anonymize_to(out, data, whole, options, resume_as=request.content)
    if as_json:
        print_json(attempt.to_dict())
    else:
        print_text(attempt)
    if not attempt.passed:
        raise typer.Exit(EXIT_UNSAFE)


def _whole_plan(plan: Given[Plan], release: Given[ReleaseOptions], file: Path | None) -> Plan:
    """Return what the file of a plan and the options ask for; an option replaces the entry of the file."""
    from tacita.api.releasing import KAnonymity, Plan

    if release.typed.get("pseudonymise") and release.typed.get("key_file") is None and file is None:
        raise UsageError("--pseudonymise needs a key", do="add --key-file FILE with at least 16 random bytes")
    base = None if file is None else Plan.read(file)
    is_partial = "measure" in plan.fields and plan.typed.get("measure") is None
    if base is not None and is_partial and (base.program or not isinstance(base.measure, KAnonymity)):
        raise UsageError(
            "-k, --threshold and --param are given beside a plan that names its measures",
            where=str(file),
            do="add --measure, which replaces those of the plan, or change the file",
        )
    if base is not None and is_partial:
        plan = _with_rest_of_measure(plan, base)
    whole = plan.value(base)
    if base is not None and base.nulls is not None and "nulls" in plan.fields and whole.missing_as is None:
        whole = replace(whole, missing_as=base.nulls.missing_as)  # --nulls and --lean say nothing of missing values
    return replace(whole, release=release.value(whole.release)) if release.fields else whole


def _with_rest_of_measure(plan: Given[Plan], base: Plan) -> Given[Plan]:
    """Return what was typed with the k and the threshold of the file where none is typed."""
    named = {pair.partition("=")[0].rpartition(".")[2].strip() for pair in plan.typed.get("param") or ()}
    named |= {name for name in ("k", "threshold") if plan.typed.get(name) is not None}
    rest = {name: getattr(base.measure, name) for name in ("k", "threshold") if name not in named}
    return replace(plan, typed={**plan.typed, **rest})


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("anonymize")(anonymize)
