"""The small data sets that the papers print, as they print them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tacita.errors import UsageError, did_you_mean
from tacita.generators.stream import Generated, schema_of
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.dictionary import Dictionary

if TYPE_CHECKING:
    import pyarrow as pa

_REVENUE = ("0-30", "30-60", "60-90", "90+")
_EMPLOYEES = ("50-200", "201-1000", "1000+")
_I, _Q, _S = Category.IDENTIFIER, Category.QUASI_IDENTIFIER, Category.SENSITIVE
_A, _W = Category.NON_IDENTIFYING, Category.WEIGHT


@dataclass(frozen=True, slots=True)
class PrintedSample:
    """A printed table: its attributes and its rows, one line each, values between bars."""

    description: str
    attributes: tuple[Attribute, ...]
    text: str

    @property
    def rows(self) -> list[list[str]]:
        """The rows as printed."""
        return [[value.strip() for value in line.split("|")] for line in self.text.strip().splitlines()]


_FIGURE_1 = PrintedSample(
    "Figure 1 of the VADA-SA paper: 20 firms of the Inflation & Growth survey",
    (
        Attribute("Id", _I, Kind.TEXT, "Company Identifier"),
        Attribute("Area", _Q, Kind.CATEGORICAL, "Geographic Area"),
        Attribute("Sector", _Q, Kind.CATEGORICAL, "Product Sector"),
        Attribute("Employees", _Q, Kind.ORDINAL, "Num. of employees", order=_EMPLOYEES),
        Attribute("Residential Rev.", _Q, Kind.ORDINAL, "Rev. from internal market", order=_REVENUE),
        Attribute("Export Rev.", _Q, Kind.ORDINAL, "Rev. from external market", order=_REVENUE),
        Attribute("Exp. to DE", _A, Kind.ORDINAL, "Rev. from DE market", order=_REVENUE),
        Attribute("Grwth 6mos", _A, Kind.CONTINUOUS, "Rev. growth last 6 mths"),
        Attribute("W", _W, Kind.CONTINUOUS, "Sampling Weight"),
    ),
    """
    612276 | North  | Public Service | 50-200   | 0-30  | 0-30  | 30-60 | 2   | 230
    737536 | South  | Commerce       | 201-1000 | 0-30  | 90+   | 0-30  | -1  | 190
    971906 | Center | Commerce       | 1000+    | 0-30  | 30-60 | 0-30  | 4   | 70
    589681 | North  | Textiles       | 1000+    | 90+   | 0-30  | 0-30  | 30  | 60
    419410 | North  | Construction   | 1000+    | 90+   | 0-30  | 0-30  | 300 | 50
    972915 | North  | Other          | 1000+    | 0-30  | 0-30  | 30-60 | 50  | 70
    501118 | North  | Other          | 201-1000 | 60-90 | 90+   | 90+   | -20 | 300
    815363 | North  | Textiles       | 201-1000 | 60-90 | 30-60 | 90+   | 2   | 230
    490065 | South  | Public Service | 50-200   | 0-30  | 0-30  | 0-30  | 12  | 123
    415487 | South  | Commerce       | 1000+    | 0-30  | 0-30  | 90+   | 3   | 145
    399087 | South  | Commerce       | 50-200   | 30-60 | 0-30  | 30-60 | 2   | 70
    170034 | Center | Commerce       | 1000+    | 60-90 | 0-30  | 0-30  | 45  | 90
    724905 | Center | Construction   | 201-1000 | 0-30  | 30-60 | 0-30  | 2   | 200
    554475 | Center | Other          | 50-200   | 0-30  | 90+   | 0-30  | 0   | 104
    946251 | Center | Public Service | 201-1000 | 30-60 | 90+   | 90+   | 150 | 30
    581077 | North  | Textiles       | 50-200   | 0-30  | 60-90 | 30-60 | -20 | 160
    765562 | South  | Textiles       | 50-200   | 0-30  | 60-90 | 0-30  | -7  | 200
    154840 | Center | Commerce       | 201-1000 | 0-30  | 60-90 | 0-30  | 4   | 220
    600837 | Center | Construction   | 50-200   | 0-30  | 60-90 | 0-30  | 20  | 190
    220712 | Center | Financial      | 1000+    | 30-60 | 60-90 | 30-60 | -30 | 90
    """,
)

_FIGURE_5 = PrintedSample(
    "Figure 5a of the VADA-SA paper: 7 firms before local suppression and global recoding",
    (
        Attribute("Id", _I, Kind.TEXT, "Company Identifier"),
        Attribute("Area", _Q, Kind.CATEGORICAL, "Geographic Area"),
        Attribute("Sector", _Q, Kind.CATEGORICAL, "Product Sector"),
        Attribute("Employees", _Q, Kind.ORDINAL, "Num. of employees", order=("0-200", "1000+")),
        Attribute("Residential Revenue", _Q, Kind.ORDINAL, "Rev. from internal market", order=_REVENUE),
    ),
    """
    099876 | Roma   | Textiles     | 1000+ | 0-30
    765389 | Roma   | Commerce     | 1000+ | 0-30
    231654 | Roma   | Commerce     | 1000+ | 0-30
    097302 | Roma   | Financial    | 1000+ | 0-30
    120967 | Roma   | Financial    | 1000+ | 0-30
    232498 | Milano | Construction | 0-200 | 60-90
    340901 | Torino | Construction | 0-200 | 60-90
    """,
)

_PATIENTS = PrintedSample(
    "Table 1 of the survey Database Privacy: 12 patients",
    (
        Attribute("SS number", _I, Kind.TEXT, "Social security number"),
        Attribute("Age", _Q, Kind.CONTINUOUS, "Age in years"),
        Attribute("Zip code", _Q, Kind.CATEGORICAL, "Postal code of residence"),
        Attribute("Nationality", _Q, Kind.CATEGORICAL, "Nationality"),
        Attribute("Condition", _S, Kind.CATEGORICAL, "Medical condition"),
    ),
    """
    1234-12-1234 | 25 | 23053 | Russian  | Heart Disease
    2345-23-2345 | 26 | 23068 | Catalan  | Heart Disease
    3456-34-3456 | 21 | 23068 | French   | Viral Infection
    4567-45-4567 | 27 | 23053 | Italian  | Viral Infection
    5678-56-5678 | 49 | 44853 | Indian   | AIDS
    6789-67-6789 | 43 | 44853 | Chinese  | Heart Disease
    7890-78-7890 | 47 | 44850 | Japanese | Viral Infection
    8901-89-8901 | 49 | 44850 | Indian   | Viral Infection
    9012-90-9012 | 32 | 33153 | Spanish  | AIDS
    0123-12-0123 | 38 | 33153 | French   | AIDS
    4321-43-4321 | 34 | 33168 | Greek    | AIDS
    5432-54-5432 | 35 | 33168 | French   | AIDS
    """,
)

_PATIENTS_4_ANONYMOUS = PrintedSample(
    "Table 2 of the survey Database Privacy: the 12 patients, 4-anonymous",
    (
        _PATIENTS.attributes[0],
        Attribute("Age", _Q, Kind.ORDINAL, "Age class", order=("[20-30)", "[30-40)", "[40-50)")),
        *_PATIENTS.attributes[2:],
    ),
    """
    * | [20-30) | 230** | European | Heart Disease
    * | [20-30) | 230** | European | Heart Disease
    * | [20-30) | 230** | European | Viral Infection
    * | [20-30) | 230** | European | Viral Infection
    * | [40-50) | 448** | Asian    | AIDS
    * | [40-50) | 448** | Asian    | Heart Disease
    * | [40-50) | 448** | Asian    | Viral Infection
    * | [40-50) | 448** | Asian    | Viral Infection
    * | [30-40) | 331** | European | AIDS
    * | [30-40) | 331** | European | AIDS
    * | [30-40) | 331** | European | AIDS
    * | [30-40) | 331** | European | AIDS
    """,
)

_CUSTOMERS = PrintedSample(
    "Table 1 of the paper on confidentiality by relaxed functional dependencies (Caruccio et al. 2020): 10 customers",
    (
        Attribute("Name", _A, Kind.TEXT, "First name"),
        Attribute("Surname", _A, Kind.TEXT, "Last name"),
        Attribute("SSN", _I, Kind.TEXT, "Social security number"),
        Attribute("Age", _A, Kind.CONTINUOUS, "Age in years"),
        Attribute("Street", _A, Kind.CATEGORICAL, "Street"),
        Attribute("Native-Country", _A, Kind.CATEGORICAL, "Country of birth"),
        Attribute("Occupation", _S, Kind.CATEGORICAL, "Occupation"),
        Attribute("Sex", _A, Kind.CATEGORICAL, "Sex"),
        Attribute("City", _A, Kind.CATEGORICAL, "City"),
        Attribute("ZipCode", _A, Kind.CATEGORICAL, "Zip code"),
    ),
    """
    Katherine | Swavely   | 029-32-6730 | 35 | ALOHA AVE  | United-States | Employee   | F | Pearl City         | 96782
    Matthew   | Costabile | 475-96-3980 | 58 | SARGENT ST | United-States | Unemployed | M | San Francisco City | 94132
    Jarrett   | Albarado  | 214-20-7035 | 49 | MARNE AVE  | England       | Worker     | M | Newburgh           | 12550
    Rowena    | Hemeyer   | 481-98-9042 | 79 | ESQUINA DR | United-States | Retired    | F | San francisco      | 94134
    Corina    | Torris    | 490-03-6515 | 34 | ALOHA AVE  | United-States | Employee   | F | Pearl City         | 96782
    Carlotta  | Bracker   | 659-05-8786 | 32 | ALOHA AVE  | United-States | Unemployed | F | Pearl City         | 96782
    Zane      | Bracker   | 678-14-8279 | 32 | PALOS PL   | United-States | Teacher    | M | Illinois           | 60464
    Joselyn   | Bracker   | 004-03-6265 | 32 | PALOS PL   | United-States | Teacher    | M | Illinois           | 60464
    Sherry    | Swavely   | 400-20-9834 | 80 | ALOHA AVE  | United-States | Retired    | F | Pearl City         | 96782
    Matthew   | Costabile | 255-73-7429 | 24 | SARGENT ST | England       | Unemployed | M | San Francisco City | 94132
    """,
)

SAMPLES = {
    "figure-1": _FIGURE_1,
    "figure-5": _FIGURE_5,
    "patients": _PATIENTS,
    "patients-4-anonymous": _PATIENTS_4_ANONYMOUS,
    "customers": _CUSTOMERS,
}


def sample(name: str) -> Generated:
    """Return a printed data set; continuous attributes are whole numbers, all others text.

    >>> sample("figure-5").table()["Id"][0].as_py()
    '099876'
    """
    if name not in SAMPLES:
        raise UsageError(
            f"no printed data set '{name}'{did_you_mean(name, SAMPLES)}",
            do=f"use one of {', '.join(SAMPLES)}",
        )
    printed = SAMPLES[name]
    dictionary = Dictionary(name, printed.attributes, description=printed.description)
    whole = [attribute.name for attribute in dictionary if attribute.kind is Kind.CONTINUOUS]
    schema = schema_of(dictionary, counts=whole)

    def blocks() -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        columns = zip(*printed.rows, strict=True)
        arrays = [pa.array(column).cast(field.type) for column, field in zip(columns, schema, strict=True)]
        yield pa.record_batch(arrays, schema=schema)

    return Generated(name, len(printed.rows), dictionary, schema, blocks)
