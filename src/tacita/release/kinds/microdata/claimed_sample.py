"""The sample that a claim is about, made from the released file and, for clusters and links, the internal folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlglot import exp

from tacita.cycle.outcome import Claim
from tacita.engines.protocol import Relation
from tacita.errors import InputError
from tacita.model.attribute import Attribute, Category
from tacita.model.microdata import Microdata
from tacita.model.relation import Column, ColumnType
from tacita.release.folder import CLUSTERS, LINKS
from tacita.risk.catalogue import measure as measure_named
from tacita.risk.cluster_risk import ClusterRisk
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Nulls
from tacita.risk.sample import Sample
from tacita.risk.together import together

_PLACE = "\0place"
"""A name that no attribute of anybody's data has."""


def measured(
    claim: Claim, microdata: Microdata, full: Mapping[str, Any] | None, internal: Path, own: Measure | None
) -> tuple[Measure, Sample]:
    """Return the measure of a claim, and the sample that it looks at."""
    chosen = own if own is not None else measure_of(claim)
    if claim.related:
        microdata, links = _with_links(microdata, internal, full, claim.related)
        chosen = ClusterRisk(chosen, links, claim.related)
    elif claim.cluster:
        if claim.cluster not in microdata.dictionary.names:
            microdata = _with_clusters(microdata, internal, full, claim.cluster)
        chosen = ClusterRisk(chosen, key=claim.cluster)
    return chosen, Sample.of(microdata, claim.known, nulls_of(claim))


def measure_of(claim: Claim) -> Measure:
    """Return the measure of a claim: several, if they hold together."""
    return together([measure_named(name, parameters) for name, parameters in claim.measures])


def nulls_of(claim: Claim) -> Nulls:
    """Return how nulls count under a claim."""
    try:
        return Nulls.from_words(claim.nulls)
    except (TypeError, ValueError):
        raise InputError("the claim does not say how nulls count", do="give it as options") from None


def _with_clusters(microdata: Microdata, internal: Path, full: Mapping[str, Any] | None, key: str) -> Microdata:
    path = internal / CLUSTERS
    if full is None or not path.is_file():
        raise InputError(
            f"the claim is about clusters by '{key}', which is not released: it can be checked with the internal folder"
        )
    return _beside(microdata, path, Attribute(key, Category.CLUSTER_KEY))


def _with_links(
    microdata: Microdata, internal: Path, full: Mapping[str, Any] | None, word: str
) -> tuple[Microdata, Relation]:
    path = internal / LINKS
    if full is None or not path.is_file():
        raise InputError(f"the claim is about records linked by '{word}', and there are no links to check it with")
    return _numbered(microdata), microdata.relation.engine.scan_parquet([path])


def _numbered(microdata: Microdata) -> Microdata:
    """Return microdata whose identifier is the place of the record: links are about places now."""
    relation = microdata.relation
    row = exp.alias_(relation.engine.numbered(relation), "place_")
    columns = [*relation.columns, Column(_PLACE, "place_", ColumnType.INTEGER)]
    stored = relation.engine.store(exp.select("*", row).from_(relation.source()), columns)
    return _extended(microdata, stored, Attribute(_PLACE, Category.IDENTIFIER))


def _beside(microdata: Microdata, path: Path, attribute: Attribute) -> Microdata:
    """Return microdata with a column of a Parquet file, row by row."""
    relation = microdata.relation
    engine = relation.engine
    other = engine.scan_parquet([path])
    left = exp.select("*", exp.alias_(engine.numbered(relation), "left_")).from_(relation.source()).subquery("l")
    right = exp.select(
        exp.alias_(engine.numbered(other), "right_"), exp.column(other.columns[0].physical).as_("added_")
    ).from_(other.source())
    on = exp.EQ(this=exp.column("left_", table="l"), expression=exp.column("right_", table="r"))
    plan = exp.select("*").from_(left).join(right.subquery("r"), on=on, join_type="left").order_by("left_")
    stored = engine.store(plan, [*relation.columns, Column(attribute.name, "added_", ColumnType.INTEGER)])
    return _extended(microdata, stored, attribute)


def _extended(microdata: Microdata, relation: Relation, attribute: Attribute) -> Microdata:
    dictionary = replace(microdata.dictionary, attributes=(*microdata.dictionary.attributes, attribute))
    return replace(microdata, relation=relation, dictionary=dictionary)
