"""What speaks for a category: the name, the description, the form of the values, their distribution.

Each function gives reasons (category, strength, words) and knows nothing of the others; `propose` weighs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tacita.describe.formats import like_postcodes, recognised
from tacita.describe.similarity import Similarity
from tacita.knowledge.experience_base import LANGUAGES, Experience, ExperienceBase
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.names import normalised
from tacita.model.profile import AttributeProfile
from tacita.model.proposal import Reason
from tacita.model.relation import ColumnType

_ENOUGH_ROWS = 30  # below this, uniqueness says little
_CODE = re.compile(r"[A-Za-z]{1,3}[0-9]{3,}")
_POSSESSIVE = re.compile(r"(?<=\w)['\u2019]s?\b|(?<=s)['\u2019](?=\s)")
_ADDED = re.compile(
    r"\([^)]*\)|\b(?:in |during )?(?:the )?(?:past|last) (?:\w+ )?(?:months?|years?|weeks?|days?)\b|\brecoded?\b",
    re.IGNORECASE,
)
_UNIT = re.compile(r"\b(?:kilograms?|kg|grams?|pounds?|lbs?|stones?|chilogrammi|kilogramos|kilogrammes?|kilogramm)\b")
_IN_DOUBT = {Category.NON_IDENTIFYING: 0.8, Category.SENSITIVE: 1.1}
"""A name that only is like a harmless one counts less, one that is like a sensitive one more."""
_LITTLE_ENTROPY = 0.1  # bits: one value in about a hundred is another one


def from_name(attribute: Attribute, base: ExperienceBase, similarity: Similarity) -> Iterator[Reason]:
    """Yield what experience says of names like this one (rule 2 of Algorithm 1)."""
    is_code = _CODE.fullmatch(attribute.name) is not None
    for known, alike in similarity.alike(normalised(attribute.name)):
        # HH010 is a number of a codebook, not a household; what looks like an identifier is one until somebody decides.
        if not is_code or base[known].category is Category.IDENTIFIER:
            yield _experience(base[known], alike, "the name")


def from_description(attribute: Attribute, base: ExperienceBase, similarity: Similarity) -> Iterator[Reason]:
    """Yield what experience says of the description; longer texts say less."""
    text = normalised(_told_briefly(attribute.description))
    if text and text != normalised(attribute.name):
        is_measured = _UNIT.search(text) is not None  # 70 kilograms are no number of persons
        for known, alike in similarity.alike(text):
            if not (is_measured and base[known].category is Category.WEIGHT):
                yield _experience(base[known], alike, "the description", trust=0.9)


def _told_briefly(description: str) -> str:
    """Return a label without what codebooks add to it: parentheses, periods of reference, possessives.

    >>> _told_briefly("Respondent's income past 12 months (recode)")
    'Respondent income '
    """
    return _ADDED.sub(" ", _POSSESSIVE.sub("", description)).replace("  ", " ")


def _experience(entry: Experience, alike: float, what: str, trust: float = 1.0) -> Reason:
    if entry.confirmed:
        return Reason(entry.category, trust * alike, f"{what} was confirmed here as {entry.category.value}")
    language = f" ({LANGUAGES[entry.language]})" if entry.language not in {"", "en"} else ""
    means = entry.concept.replace("-", " ")
    how = "means" if alike > 0.97 else "is like"
    of = f"{means}{language}" if how == "means" else f"'{entry.name}'{language}"
    if how == "is like":  # in doubt, protect
        trust *= _IN_DOUBT.get(entry.category, 1.0)
    return Reason(entry.category, 0.95 * trust * alike, f"{what} {how} {of}: {entry.why}")


def from_formats(cells: Sequence[str], profile: AttributeProfile) -> Iterator[Reason]:
    """Yield what the form of the values says."""
    if recognition := recognised(cells):
        form, share = recognition
        share_text = "all values look" if share == 1 else f"{100 * share:.0f} % of the values look"
        yield Reason(form.category, form.strength, f"{share_text} like {form.name}")
    elif profile.type is ColumnType.TEXT and profile.distinct > 20 and like_postcodes(cells):
        yield Reason(Category.QUASI_IDENTIFIER, 0.55, "the values look like postcodes")


def from_distribution(profile: AttributeProfile) -> Iterator[Reason]:
    """Yield what the distribution of the values says; never strong, for it does not know what they mean."""
    if profile.present == 0:
        yield Reason(Category.NON_IDENTIFYING, 0.7, "it has no values")
        return
    if profile.distinct == 1:
        yield Reason(Category.NON_IDENTIFYING, 0.6, "it has one value only")
        return
    enough = profile.present >= _ENOUGH_ROWS
    code = profile.type is ColumnType.TEXT or _numbers_rows(profile)
    if code and profile.all_different:
        strength = (0.75 if profile.type is ColumnType.TEXT else 0.6) if enough else 0.45
        yield Reason(Category.IDENTIFIER, strength, f"all {profile.present:,} values are different")
    elif profile.type is ColumnType.TEXT and enough and profile.uniqueness > 0.9:
        yield Reason(Category.IDENTIFIER, 0.6, f"{100 * profile.uniqueness:.0f} % of the values are different")
    elif profile.kind is Kind.TEXT:
        yield Reason(Category.IDENTIFIER, 0.4, "free text may name people")
    elif profile.kind in {Kind.CATEGORICAL, Kind.ORDINAL} and enough and profile.entropy < _LITTLE_ENTROPY:
        text = f"nearly all tuples share one value ({profile.entropy:.2f} bits of entropy), so the others stand out"
        yield Reason(Category.QUASI_IDENTIFIER, 0.45, text)
    elif profile.kind in {Kind.CATEGORICAL, Kind.ORDINAL}:
        yield Reason(Category.QUASI_IDENTIFIER, 0.4, f"{profile.distinct:,} different values that outsiders may know")
    elif profile.kind is Kind.DATE:
        yield Reason(Category.QUASI_IDENTIFIER, 0.5, "dates single people out together with other attributes")
    else:
        yield Reason(Category.NON_IDENTIFYING, 0.3, "a measured number that outsiders hardly know exactly")


def against(category: Category, profile: AttributeProfile) -> str:
    """Return what in the data contradicts a category, in words, or nothing."""
    if category is Category.WEIGHT and (not profile.type.is_numeric or _not_positive(profile)):
        return "but its values are not all numbers above zero"
    if profile.present < _ENOUGH_ROWS:
        return ""
    if category is Category.IDENTIFIER and profile.uniqueness < 0.05:
        return f"but only {profile.distinct:,} different values in {profile.present:,} rows: hardly an identifier"
    if category is Category.QUASI_IDENTIFIER and profile.type is ColumnType.TEXT and profile.all_different:
        return "but every value is different: it may identify by itself"
    return ""


def _numbers_rows(profile: AttributeProfile) -> bool:
    """Return whether whole numbers lie so close together that they seem to number the rows; amounts do not."""
    if profile.type is not ColumnType.INTEGER or profile.least is None or profile.greatest is None:
        return False
    return int(profile.greatest) - int(profile.least) <= 20 * profile.present


def _not_positive(profile: AttributeProfile) -> bool:
    if profile.missing or profile.least is None or profile.greatest is None:
        return True
    least, greatest = float(profile.least), float(profile.greatest)
    return not (least > 0 and greatest < float("inf"))
