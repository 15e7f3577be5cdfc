"""A register of credentials of health care providers: attributes that depend on each other, exactly and nearly.

It stands in for the data set Health of the paper on confidentiality by relaxed functional dependencies, which is no
longer public in that form; it has the ten columns of the paper's Figure 3. The kind of credential says for how long it
is issued, dates follow from each other, the status follows from the date of expiry with few exceptions. Names and
streets are invented and say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tacita.errors import UsageError
from tacita.generators.stream import Generated, block_sizes, labels_of, random_stream, schema_of
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.dictionary import Dictionary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

ROWS = 45_250
"""As many as the paper has."""
CREDENTIALS = {
    "Nursing Assistant Registration": (0.16, 1),
    "Registered Nurse License": (0.14, 1),
    "Nursing Assistant Certification": (0.11, 1),
    "Counselor Registration": (0.08, 1),
    "Health Care Assistant Certification": (0.07, 2),
    "Medical Assistant Certification": (0.06, 2),
    "Licensed Practical Nurse License": (0.06, 1),
    "Emergency Medical Technician Certification": (0.05, 3),
    "Pharmacy Technician License": (0.05, 1),
    "Medical Assistant Registration": (0.04, 2),
    "Massage Practitioner License": (0.04, 1),
    "Pharmacist License": (0.03, 1),
    "Physician And Surgeon License": (0.03, 2),
    "Dental Assistant Registration": (0.02, 1),
    "Physical Therapist License": (0.02, 2),
    "Pharmacist Intern Registration": (0.02, 1),
    "Social Worker Independent Clinical License": (0.01, 2),
    "Registered Nurse Temporary Practice Permit": (0.01, 1),
}
"""Kinds of credentials, about their share, and the years that one is issued for."""
STATUS = ("ACTIVE", "EXPIRED", "PENDING", "SUPERSEDED", "INOPERABLE", "CLOSED")
_EDUCATION_DUE = ("Registered Nurse License", "Physician And Surgeon License", "Pharmacist License")
"""Kinds for which a date is known by which education must be continued."""
_DAY = np.datetime64("2019-06-01")
"""The day of the register."""
_SYLLABLES = (
    "ba",
    "den",
    "fo",
    "gar",
    "hol",
    "ken",
    "lin",
    "mar",
    "nes",
    "dor",
    "pel",
    "ros",
    "sten",
    "ta",
    "vin",
    "wick",
)
_STREETS = ("Avenue", "Harbor", "Knolls", "Motorway", "Pine", "Summit", "Turnpike", "Village")

_N, _T, _C, _D = Category.NON_IDENTIFYING, Kind.TEXT, Kind.CATEGORICAL, Kind.DATE
DICTIONARY = Dictionary(
    "credentials",
    (
        Attribute("LastName", _N, _T, "Last name, invented"),
        Attribute("FirstName", _N, _T, "First name, invented"),
        Attribute("StreetAddress", _N, _T, "Street and number, invented"),
        Attribute("CredentialType", _N, _C, "Kind of credential"),
        Attribute("Status", _N, _C, "Status of the credential"),
        Attribute("BirthYear", _N, Kind.CONTINUOUS, "Year of birth"),
        Attribute("CEDueDate", _N, _T, "By when education must be continued, as yyyymmdd"),
        Attribute("FirstIssueDate", _N, _T, "When it was first issued, as yyyymmdd"),
        Attribute("LastIssueDate", _N, _T, "When it was last issued, as yyyymmdd"),
        Attribute("ExpirationDate", _N, _T, "Until when it is valid, as yyyymmdd"),
    ),
    description="Register of credentials of health care providers, generated",
)


def credentials(*, seed: int, rows: int = ROWS) -> Generated:
    """Return a register of so many credentials.

    >>> credentials(seed=0, rows=100).table().num_rows
    100
    """
    if rows < 1:
        raise UsageError(f"a register of {rows} credentials", do="ask for at least one")
    schema = schema_of(DICTIONARY, counts=["BirthYear"])

    def blocks() -> Iterator[pa.RecordBatch]:
        for block, size in enumerate(block_sizes(rows)):
            columns = _block(size, random_stream(seed, "credentials", rows, block))
            yield pa.record_batch([columns[name] for name in DICTIONARY.names], schema=schema)

    return Generated("credentials", rows, DICTIONARY, schema, blocks)


def _block(size: int, random: np.random.Generator) -> dict[str, pa.Array]:
    shares, years = (np.array(column) for column in zip(*CREDENTIALS.values(), strict=True))
    kind = random.choice(len(shares), p=shares / shares.sum(), size=size)
    birth = 1925 + random.binomial(80, 0.58, size=size)
    # First issued between the ages of 18 and 60, and not after the day of the register.
    last_day = _days(_DAY)
    of_age = _days_of_year(birth + 18)
    first = of_age + (random.random(size) * np.minimum(42 * 365, last_day - of_age)).astype(np.int64)
    renewals = random.geometric(0.35, size=size) - 1
    last = np.minimum(first + renewals * 365 * years[kind], last_day - random.integers(1, 400, size=size))
    last = np.maximum(first, last)
    expiry = last + 365 * years[kind]
    status = np.where(expiry >= last_day, 0, 1)
    rare = random.random(size) < 0.04
    status = np.where(rare, random.integers(2, len(STATUS), size=size), status)
    names = [name in _EDUCATION_DUE for name in CREDENTIALS]
    due = np.where(np.array(names)[kind] & (status == 0), expiry + 365, -1)
    return {
        "LastName": _names(size, 6_000, 3, random),
        "FirstName": _names(size, 1_500, 2, random),
        "StreetAddress": _addresses(size, random),
        "CredentialType": labels_of(kind, list(CREDENTIALS)),
        "Status": labels_of(status, STATUS),
        "BirthYear": pa.array(birth.astype(np.int64)),
        "CEDueDate": _dates(due),
        "FirstIssueDate": _dates(first),
        "LastIssueDate": _dates(last),
        "ExpirationDate": _dates(expiry),
    }


def _days(moment: np.datetime64) -> int:
    return int(moment.astype("datetime64[D]").astype(np.int64))


def _days_of_year(year: Whole) -> Whole:
    days: Whole = (year - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
    return days


def _dates(days: Whole) -> pa.Array:
    """Return days as texts yyyymmdd; none where a day is below 0 and no such day is meant."""
    texts = np.datetime_as_string(np.asarray(days, dtype="datetime64[D]"))
    return pa.array([None if day == -1 else str(text).replace("-", "") for day, text in zip(days, texts, strict=True)])


def _names(size: int, different: int, syllables: int, random: np.random.Generator) -> pa.Array:
    """Return invented names, few of them frequent and most of them rare."""
    number = np.minimum((different * random.random(size) ** 2.5).astype(np.int64), different - 1)
    return labels_of(number, [_word(code, syllables) for code in range(different)])


def _word(code: int, syllables: int) -> str:
    """Return the invented word of a number; different numbers have different words.

    >>> _word(0, 2), _word(17, 2), _word(256, 2)
    ('Baba', 'Denden', 'Babaden')
    """
    word, rest = "", code
    for _ in range(syllables):
        rest, place = divmod(rest, len(_SYLLABLES))
        word += _SYLLABLES[place]
    while rest:
        rest, place = divmod(rest, len(_SYLLABLES))
        word += _SYLLABLES[place]
    return word.capitalize()


def _addresses(size: int, random: np.random.Generator) -> pa.Array:
    number = random.integers(1, 99_999, size=size)
    street = random.integers(0, len(_SYLLABLES) ** 2, size=size)
    ending = random.integers(0, len(_STREETS), size=size)
    parts = len(_SYLLABLES)
    return pa.array(
        [
            f"{n:05d} {(_SYLLABLES[s // parts] + _SYLLABLES[s % parts]).capitalize()} {_STREETS[e]}"
            for n, s, e in zip(number.tolist(), street.tolist(), ending.tolist(), strict=True)
        ]
    )
