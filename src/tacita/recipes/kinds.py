"""What kind of values attributes have that nobody described: codes are categories, and no method may compute with them.

The kinds are those that `describe` shows, but for whole numbers that are codes: those of which each has a label, and
those whose name means a category, such as a district or a country. A dictionary that says otherwise
(``kind = "continuous"``) is believed.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacita.describe.profile import profiles
from tacita.describe.similarity import similarity_of_names
from tacita.knowledge.experience_base import ExperienceBase
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.microdata import Microdata
from tacita.model.names import normalised
from tacita.model.profile import AttributeProfile
from tacita.model.relation import ColumnType

_NO_VALUES = (Category.IDENTIFIER, Category.CLUSTER_KEY, Category.WEIGHT)
_ALIKE = 0.75
"""How much a name must be like a known one to tell the kind of values."""


def with_kinds(microdata: Microdata) -> Microdata:
    """Return microdata whose dictionary tells of every column of numbers whether it holds numbers or codes.

    >>> import pyarrow as pa, tacita as tc
    >>> data = tc.read(pa.table({"roof": [1, 2, 9, 2] * 5, "wage": list(range(20))}), name="homes")
    >>> [attribute.kind.value for attribute in with_kinds(data.microdata).dictionary]
    ['categorical', 'continuous']
    """
    open_ = [
        attribute
        for attribute in microdata.dictionary
        if attribute.kind is None
        and not attribute.order
        and attribute.category not in _NO_VALUES
        and microdata.column(attribute.name).type.is_numeric
    ]
    if not open_:
        return microdata
    figures = profiles(microdata.relation, open_)
    named = _named_categories(
        [attribute for attribute in open_ if figures[attribute.name].kind is Kind.CONTINUOUS], microdata
    )
    kinds = {attribute.name: _kind(attribute, figures[attribute.name]) for attribute in open_}
    kinds |= dict.fromkeys(named, Kind.CATEGORICAL)
    return microdata.with_dictionary(
        microdata.dictionary.mapped(
            lambda attribute: attribute.with_(kind=kinds[attribute.name]) if attribute.name in kinds else attribute
        )
    )


def _kind(attribute: Attribute, profile: AttributeProfile) -> Kind:
    """Return what describe says; but values of which each has a label are codes, however many."""
    labelled = 1 < profile.distinct <= len(attribute.labels)
    return Kind.CATEGORICAL if labelled and profile.kind is Kind.CONTINUOUS else profile.kind


def _named_categories(attributes: Sequence[Attribute], microdata: Microdata) -> list[str]:
    """Return columns of whole numbers whose names, or else descriptions, mean categories: their values are codes."""
    whole = [attribute for attribute in attributes if microdata.column(attribute.name).type is ColumnType.INTEGER]
    if not whole:
        return []
    base = ExperienceBase.load()
    similarity = similarity_of_names(base)

    def kind(text: str) -> Kind | None:
        best = max(((alike, known) for known, alike in similarity.alike(normalised(text))), default=(0.0, ""))
        return base[best[1]].kind if best[0] >= _ALIKE else None

    return [
        attribute.name
        for attribute in whole
        if (kind(attribute.name) or kind(attribute.description)) is Kind.CATEGORICAL
    ]
