"""Reading a dictionary: every fault of the file in one message, each with its line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from tacita.errors import DictionaryError, did_you_mean
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.dictionary import Dictionary, MissingAs
from tacita.model.dictionary_file.place import ENDING
from tacita.model.hierarchy.rule import rule_faults
from tacita.model.hierarchy.text_file import read_text
from tacita.toml.checked import kind_of
from tacita.toml.faults import Faults, tables_of
from tacita.toml.statements import Keys

FORMAT = 1
"""The newest format of the file that is known here."""

TOP_KEYS = ("format", "microdata", "attributes", "scenarios")
MICRODATA_KEYS = ("name", "description", "missing-as")
ATTRIBUTE_KEYS = ("category", "kind", "description", "format", "labels", "missing", "order", "hierarchy")

_T = TypeVar("_T")


def load(path: str | PathLike[str]) -> Dictionary:
    """Return the dictionary of a file."""
    path = Path(path)
    text = read_text(path, DictionaryError, "a dictionary, a TOML file")
    return loads(text, where=str(path), name=path.name.removesuffix(ENDING))


def loads(text: str, *, where: str = "dictionary", name: str = "microdata") -> Dictionary:
    """Return the dictionary of a text; `name` is for one that does not name its microdata DB.

    >>> loads('[attributes.Area]\\ncategory = "quasi-identifier"').quasi_identifiers
    ('Area',)
    """
    reading = _Reading(parsed(text, where))
    dictionary = reading.dictionary(name)
    reading.faults.raise_any(text, where=where, do=reading.remedy)
    assert dictionary is not None
    return dictionary


def parsed(text: str, where: str) -> dict[str, Any]:
    """Return the tables of the text of a dictionary."""
    quoting = ', and so do names with spaces or dots, such as [attributes."Residential Rev."]'
    return tables_of(text, where=where, error=DictionaryError, naming=named, quoting=quoting)


def named(keys: Keys) -> str:
    """Return how a sentence calls what stands under these keys.

    >>> named(("attributes", "Area")), named(("attributes", "Area", "kind")), named(("microdata", "name"))
    ("attribute 'Area'", "'kind' of attribute 'Area'", "'name' of the microdata")
    """
    match keys:
        case ("attributes", name):
            return f"attribute '{name}'"
        case ("attributes", name, *rest):
            return f"'{'.'.join(rest)}' of attribute '{name}'"
        case ("scenarios", name):
            return f"scenario '{name}'"
        case ("microdata", *rest) if rest:
            return f"'{'.'.join(rest)}' of the microdata"
    return f"'{'.'.join(keys)}'"


class _Reading:
    """One pass over the tables, collecting faults."""

    def __init__(self, tables: dict[str, Any]) -> None:
        self.tables = tables
        self.faults = Faults(error=DictionaryError)
        self.remedy = "correct the file"

    def dictionary(self, name: str) -> Dictionary | None:
        version = self.tables.get("format", FORMAT)
        if type(version) is not int or version < 1:
            self.fault(("format",), f"'format' must be {FORMAT}, without quotes")
        elif version > FORMAT:
            self.fault(("format",), f"format {version} is newer than what this Tacita knows ({FORMAT})")
            self.remedy = "install a newer Tacita"
            return None
        self.check_keys((), self.tables, TOP_KEYS)
        microdata = self.table(("microdata",), self.tables.get("microdata", {}))
        self.check_keys(("microdata",), microdata, MICRODATA_KEYS)
        attributes = [
            self.attribute(attribute, table)
            for attribute, table in self.table(("attributes",), self.tables.get("attributes", {})).items()
        ]
        weights = [a.name for a in attributes if a and a.category is Category.WEIGHT]
        for other in weights[1:]:
            self.fault(
                ("attributes", other, "category"),
                f"attribute '{other}' is a weight, and so is '{weights[0]}'; only one can be",
            )
        scenarios = self.scenarios([a.name for a in attributes if a])
        name = self.text(("microdata", "name"), microdata.get("name", name))
        description = self.text(("microdata", "description"), microdata.get("description", ""))
        missing_as = self.missing_as(microdata.get("missing-as", MissingAs.UNKNOWN.value))
        if self.faults.notes:
            return None
        return Dictionary(name, tuple(a for a in attributes if a), description, missing_as, scenarios)

    def attribute(self, name: str, given: object) -> Attribute | None:
        keys = ("attributes", name)
        if not name:
            self.fault(keys, "an attribute has an empty name")
            return None
        table = self.table(keys, given)
        self.check_keys(keys, table, ATTRIBUTE_KEYS)
        rule = table.get("hierarchy", "")
        is_rule = isinstance(rule, dict) and bool(rule)
        if is_rule:
            for fault in rule_faults(rule):
                self.fault((*keys, "hierarchy"), f"hierarchy of attribute '{name}': {fault}")
        return Attribute(
            name,
            self.parsed_name((*keys, "category"), table.get("category", ""), Category.parse, Category),
            self.parsed_name((*keys, "kind"), table.get("kind", ""), Kind.parse, Kind),
            self.text((*keys, "description"), table.get("description", "")),
            self.labels((*keys, "labels"), table.get("labels", {})),
            self.texts((*keys, "missing"), table.get("missing", []), '["9", "90..99"]'),
            self.texts((*keys, "order"), table.get("order", []), '["low", "high"]'),
            "" if isinstance(rule, dict) else self.text((*keys, "hierarchy"), rule, "the name of a file or a table"),
            rule if is_rule else {},
            self.text((*keys, "format"), table.get("format", "")),
        )

    def scenarios(self, names: list[str]) -> dict[str, tuple[str, ...]]:
        scenarios = {}
        for scenario, given in self.table(("scenarios",), self.tables.get("scenarios", {})).items():
            keys = ("scenarios", scenario)
            scenarios[scenario] = self.texts(keys, given, '["Area", "age"]')
            for name in dict.fromkeys(scenarios[scenario]):
                if name not in names:
                    near = did_you_mean(name, names)
                    self.fault(keys, f"scenario '{scenario}' names '{name}', which is no attribute{near}")
        return scenarios

    def missing_as(self, given: object) -> MissingAs:
        keys = ("microdata", "missing-as")
        return self.parsed_name(keys, given, MissingAs, MissingAs) or MissingAs.UNKNOWN

    def fault(self, keys: Keys, message: str) -> None:
        self.faults.add(keys, message)

    def check_keys(self, keys: Keys, table: dict[str, Any], known: tuple[str, ...]) -> None:
        inside = f" in {named(keys)}" if keys else ""
        for key, value in table.items():
            if key in known:
                continue
            near = did_you_mean(key, known)
            if not near and isinstance(value, dict) and len(keys) == 2:
                near = f'; if it is part of the name, quote it: [attributes."{keys[1]}.{key}"]'
            self.fault((*keys, key), f"unknown key '{key}'{inside}{near}")

    def table(self, keys: Keys, given: object) -> dict[str, Any]:
        return given if isinstance(given, dict) else self.wrong(keys, given, "a table", {})

    def text(self, keys: Keys, given: object, what: str = "a text") -> str:
        return given if isinstance(given, str) else self.wrong(keys, given, what, "")

    def texts(self, keys: Keys, given: object, example: str) -> tuple[str, ...]:
        what = f"a list of texts, such as {example}"
        if not isinstance(given, list):
            return self.wrong(keys, given, what, ())
        for number, item in enumerate(given, 1):
            if not isinstance(item, str):
                return self.wrong(keys, item, what, (), f"; item {number} is")
        return tuple(given)

    def labels(self, keys: Keys, given: object) -> dict[str, str]:
        what = 'a table of codes and texts, such as { "1" = "yes" }'
        if not isinstance(given, dict):
            return self.wrong(keys, given, what, {})
        for code, label in given.items():
            if not isinstance(label, str):
                return self.wrong((*keys, code), label, "a text", {})
        return given

    def wrong(self, keys: Keys, given: object, what: str, default: _T, joint: str = ", not") -> _T:
        self.fault(keys, f"{named(keys)} must be {what}{joint} {kind_of(given)}")
        return default

    def parsed_name(self, keys: Keys, given: object, parse: Callable[[str], _T], names: Iterable[str]) -> _T | None:
        text = self.text(keys, given)
        if not text:
            return None
        try:
            return parse(text)
        except (DictionaryError, ValueError):
            near = did_you_mean(text, names) or f"; use one of {', '.join(names)}"
            self.fault(keys, f"{named(keys)} cannot be '{text}'{near}")
            return None
