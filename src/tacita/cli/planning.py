"""Options of 'tacita anonymize' made into a plan of the cycle and the options of a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.cli.measuring import measures_asked, nulls_asked, with_parameters
from tacita.cli.options import Request
from tacita.errors import UsageError
from tacita.forms import names_in, once, split_pair

if TYPE_CHECKING:
    from tacita.api.dataset import Dataset
    from tacita.cycle.plan import Plan
    from tacita.release.options import ReleaseOptions

_K = 3


def check_alone(*others: object) -> None:
    """Raise if an option is given that a program does not hear of: whoever gave it expects an effect."""
    if any(others):
        raise UsageError(
            "with --program the rules say what is safe, what is changed and in which order",
            do="say it in the program or with --param NAME=VALUE, and leave out the other options",
        )


def with_population(plan: Plan, data: Dataset, source: str) -> Plan:
    """Return a plan whose measure looks into a population."""
    from dataclasses import replace

    from tacita.files.read import read

    return replace(plan, population=read(source, data.relation.engine).relation)


def plan_asked(
    data: Dataset,
    request: Request,
    links: dict[str, Any],
    *,
    measure: tuple[list[str], list[str], int | None, float | None],
    nulls: tuple[str | None, str | None, float | None, str | None],
    clusters: tuple[bool, bool],
    method: tuple[str, list[str] | None, float, bool],
    coding: tuple[list[str] | None, list[str] | None, list[str] | None],
    touch: tuple[list[str] | None, list[str] | None, Path | None, list[str] | None],
    order: tuple[str, str, bool, bool],
    linked: list[str] | None = None,
) -> Plan:
    """Return the plan that options ask for."""
    from tacita.cycle.plan import Method, Plan
    from tacita.cycle.suppression.routing import AttributeRoute, TupleOrder, route_named
    from tacita.risk.together import parts_of, together

    names, pairs, k, threshold = measure
    if k is not None and any("k" in given for _, given in map(with_parameters, names)):
        raise UsageError("k is given twice, by -k and by --measure", do="leave one of them out")
    chosen = together(measures_asked(names, pairs, k=k or _K, threshold=threshold))
    if k is not None and all(getattr(part, "k", None) != k for part in parts_of(chosen)):
        raise UsageError(f"{chosen.name} has no k of look-alikes", do="leave out -k, or say it with --param k=...")
    missing_as, word, lean, label = nulls
    if lean is not None and word is not None:
        raise UsageError("--lean and --nulls say the same thing twice", do="leave one of them out")
    asked, as_ = nulls_asked(missing_as, "alpha" if lean is not None else word, lean)
    importance, keep, keep_cells, household = touch
    attributes: Any = names_in(order[1])
    if len(attributes) == 1 and attributes[0] not in data.dictionary.names:
        attributes = route_named(attributes[0], AttributeRoute)
    clusters_of = [a.name for a in data.dictionary if a.category is not None and a.category.value == "cluster-key"]
    return Plan(
        measure=chosen,
        known=tuple(request.quasi_identifiers() or data.dictionary.quasi_identifiers),
        nulls=asked,
        missing_as=as_,
        missing_label=label,
        method=Method(route_named(method[0], Method)),
        importance=_numbers(importance, "--importance"),
        keep=tuple(names_in(keep)),
        keep_cells=_cells(keep_cells),
        household=tuple(names_in(household)),
        linked=_linked(linked),
        cluster=clusters_of[0] if clusters_of else None,
        links=links,
        cluster_risk=clusters[0],
        whole_clusters=clusters[1],
        tuples=TupleOrder(route_named(order[0], TupleOrder)),
        attributes=attributes if isinstance(attributes, AttributeRoute) else tuple(attributes),
        take_back=order[3],
        rounds=order[2],
        recode={name: int(_number(value, "--recode")) for name, value in _pairs(method[1], "--recode").items()},
        top=_numbers(coding[0], "--top"),
        bottom=_numbers(coding[1], "--bottom"),
        intervals=_numbers(coding[2], "--intervals"),
        suppression_limit=method[2],
        optimal=method[3],
    )


def release_asked(
    out: Path | None,
    internal: Path | None,
    no_shuffle: bool,
    seed: int | None,
    pseudonymise: list[str] | None,
    key_file: Path | None,
    keep_clusters: bool,
    weight_noise: float | None,
    weight_totals: list[str] | None,
    unchecked: bool,
    allow_derivable: bool,
    force: bool,
    *,
    escape_formulas: bool = False,
    drop: list[str] | None = None,
) -> ReleaseOptions:
    """Return what was said about the release; raise before any work if it cannot be written."""
    from tacita.release.folder import internal_folder
    from tacita.release.options import ReleaseOptions, WeightNoise
    from tacita.release.placing import check_places
    from tacita.release.records.identifiers import key_from

    if weight_totals and weight_noise is None:
        raise UsageError("--weight-totals is for blurred weights", do="add --weight-noise PERCENT, or leave it out")
    if pseudonymise and key_file is None:
        raise UsageError("--pseudonymise needs a key", do="add --key-file FILE with at least 16 random bytes")
    noise = None
    if weight_noise is not None:
        totals = tuple(tuple(names_in(group)) for group in weight_totals or ())
        noise = WeightNoise(weight_noise, totals or ((),))
    if out is not None:
        check_places(out, internal or internal_folder(out), force=force)
    return ReleaseOptions(
        shuffle=not no_shuffle,
        seed=seed,
        pseudonymise=tuple(names_in(pseudonymise)),
        key=key_from(file=key_file) if key_file else None,
        keep_clusters=keep_clusters,
        weights=noise,
        internal=internal,
        unchecked=unchecked,
        drop=tuple(names_in(drop)),
        allow_derivable=allow_derivable,
        force=force,
        escape_formulas=escape_formulas,
    )


def _pairs(given: list[str] | None, option: str) -> dict[str, str]:
    return once((split_pair(pair, option) for pair in given or ()), option)


def _linked(given: list[str] | None) -> dict[str, tuple[str, ...]]:
    """Return the attributes that are linked with each key; a key that is given again has those of both.

    >>> _linked(["region=code", "region=label,code", "sex=title"])
    {'region': ('code', 'label'), 'sex': ('title',)}
    """
    found: dict[str, tuple[str, ...]] = {}
    for key, names in (split_pair(pair, "--linked") for pair in given or ()):
        found[key] = tuple(dict.fromkeys([*found.get(key, ()), *names_in([names])]))
    return found


def _numbers(given: list[str] | None, option: str) -> dict[str, float]:
    return {name: _number(value, option) for name, value in _pairs(given, option).items()}


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{option} is given '{text}', which is no number", do=f"write {option} NAME=NUMBER") from None


def _cells(path: Path | None) -> tuple[tuple[int, str], ...]:
    """Return the cells that a CSV file names: row from 1, attribute."""
    import csv

    if path is None:
        return ()
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if not {"row", "attribute"} <= set(rows.fieldnames or ()):
            raise UsageError("there are no columns 'row' and 'attribute'", where=str(path), do="name them in a header")
        found = []
        for line, each in enumerate(rows, 2):
            if not (each["row"] or "").strip().isdigit():
                raise UsageError("the row is no number", where=f"{path}, line {line}", do="count records from 1")
            found.append((int(each["row"]), str(each["attribute"]).strip()))
    return tuple(found)
