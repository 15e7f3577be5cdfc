"""The look before a release: do attributes that stay give back what was suppressed or recoded?

What is compared is the released records with the original ones, cell by cell (`compared`). The attacker is
`tacita.attacks.microdata.relations.search`; what can be done about what it finds is in `remedies`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacita.attacks.microdata.derivation import DerivableValues
from tacita.attacks.microdata.relations.search import DerivationSearch, search_derivations
from tacita.errors import OutputError, faults_text
from tacita.model.attribute import Category
from tacita.model.dictionary import Dictionary
from tacita.release.records.compared import ComparedRecords
from tacita.release.records.remedies import Leeway, RemedyPlan, plans_text, remedies_by_derivation, remedy_plans

ON_RELEASE = "whether hidden values can be derived from other attributes is looked at on release (--out)"
"""What is said of an outcome that was not released: it may be safe by its measure, and be refused all the same."""
_KNOWS = {"same value": "the codes", "code": "the codes", "set": "the codes"}
_NO_PLAN = "no remedy was found that helps"


class DerivableError(OutputError):
    """A release was refused because hidden cells can be derived: from what, and what can be done about it."""

    def __init__(self, derived: Sequence[DerivableValues], plans: Sequence[RemedyPlan], where: str) -> None:
        remedies = plans_text(plans) or [_NO_PLAN]
        super().__init__(
            faults_text([_sentence(one) for one in derived]),
            where=where,
            do=f"{', or '.join(remedies)}; or accept it with --allow-derivable. Nothing was written",
        )
        self.derivations, self.plans = tuple(derived), tuple(plans)

    def to_dict(self) -> dict[str, Any]:
        """Return what was derived, with the remedies of each, and what helps against all of it, cheapest first."""
        return {
            "derivable": remedies_by_derivation(self.derivations, self.plans),
            "plans": [plan.to_dict() for plan in self.plans],
        }


def check_derivable(records: ComparedRecords, leeway: Leeway, where: str, *, allow: bool) -> DerivationSearch:
    """Return what can be derived, if that is allowed; raise with the attributes and the remedies if it is not."""
    search = search_derivations(records.view)
    if search.derivations and not allow:
        raise DerivableError(search.derivations, remedy_plans(records, search.derivations, leeway), where)
    return search


def cluster_key(dictionary: Dictionary) -> str | None:
    """Return the attribute that says which records belong together, if there is one."""
    return next((attribute.name for attribute in dictionary.of(Category.CLUSTER_KEY)), None)


def with_derivable(sentence: str, *, is_derivable: bool) -> str:
    """Return the first sentence about a release, which also says that hidden values can be derived, if so.

    >>> with_derivable("The files are those that were attacked.", is_derivable=True)
    'The files are those that were attacked. Hidden values can be derived (allowed).'
    """
    return f"{sentence} Hidden values can be derived (allowed)." if is_derivable else sentence


def derivable_notes(search: DerivationSearch) -> tuple[str, ...]:
    """Return what is said, inside only: what was allowed, and what was not looked at."""
    allowed = (f"allowed by --allow-derivable: {derivation}" for derivation in search.derivations)
    return (*allowed, *search.notes)


def search_facts(search: DerivationSearch) -> dict[str, Any]:
    """Return how far was looked, for the manifest that stays inside."""
    return {"sets": search.sets, "formulas": search.formulas, "not_looked_at": list(search.notes)}


def _sentence(derivation: DerivableValues) -> str:
    knows = f", for somebody who knows {_KNOWS.get(derivation.by, 'the rule')}" if derivation.public else ""
    return f"hidden values can be derived: {derivation}{knows}"
