"""Policies from an attribute of the data, in which each record lists what its person wants confidential."""

from __future__ import annotations

from tacita.concealment.policies.policy import KnownNames, Policies, policy_names, resolved
from tacita.concealment.texts import texts_of
from tacita.model.microdata import Microdata


def policies_of_column(microdata: Microdata, name: str, names: KnownNames) -> Policies:
    """Return the policies that an attribute holds, as lists with semicolons between; an empty cell wants nothing."""
    microdata.column(name)
    (texts,) = texts_of(microdata.relation, [name])
    first: dict[str | None, int] = {}
    for record, text in enumerate(texts, start=1):
        first.setdefault(text, record)
    lists = [(record, policy_names(text or "")) for text, record in first.items()]
    sets = dict(zip(first, resolved(lists, names, f"attribute '{name}', records"), strict=True))
    return Policies.of(len(texts), {place: sets[text] for place, text in enumerate(texts)})
