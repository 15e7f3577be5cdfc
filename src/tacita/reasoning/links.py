"""Who belongs together, as rules have it: the pairs of identifiers that a program relates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacita.engines.protocol import Relation
from tacita.errors import UsageError, listed
from tacita.model.microdata import Microdata
from tacita.reasoning.request import ReasoningRequest
from tacita.reasoning.run import reason

REL = "rel"


def related(program: str, data: Microdata, inputs: Mapping[str, Any] | None = None) -> Relation:
    """Return the pairs ``rel(one, other)`` that a program concludes, as a relation in the engine of the data."""
    import pyarrow as pa

    engine = data.relation.engine
    conclusions = reason(program, ReasoningRequest(inputs=inputs or {}, data=data, engine=engine))
    if REL not in conclusions.predicates:
        raise UsageError(
            f"the program concludes nothing for {REL}",
            where=program,
            do=f"relate identifiers with {REL}(one, other); it has: {listed(conclusions.predicates)}",
        )
    pairs = [(str(one), str(other)) for one, other in conclusions.facts(REL)]
    batch = pa.RecordBatch.from_pydict(
        {"one": pa.array([a for a, _ in pairs], pa.string()), "other": pa.array([b for _, b in pairs], pa.string())}
    )
    return engine.adopt([batch], batch.schema)
