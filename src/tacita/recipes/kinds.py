"""What kind of values attributes have that nobody described: codes are categories, and no method may compute with them.

The kinds are those that `describe` shows. A dictionary that says otherwise (``kind = "continuous"``) is believed.
"""

from __future__ import annotations

from tacita.description.profile import profiles
from tacita.files.contract import engine_relation
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.microdata import Microdata
from tacita.model.profile import AttributeProfile

_NO_VALUES = (Category.IDENTIFIER, Category.CLUSTER_KEY, Category.WEIGHT)


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
    found = profiles(engine_relation(microdata), open_)
    kinds = {attribute.name: _kind(attribute, found[attribute.name]) for attribute in open_}
    return microdata.with_dictionary(
        microdata.dictionary.mapped(lambda each: each.with_(kind=kinds[each.name]) if each.name in kinds else each)
    )


def _kind(attribute: Attribute, profile: AttributeProfile) -> Kind:
    """Return what describe says; but values of which each has a label are codes, however many."""
    labelled = 1 < profile.distinct <= len(attribute.labels)
    return Kind.CATEGORICAL if labelled and profile.kind is Kind.CONTINUOUS else profile.kind
