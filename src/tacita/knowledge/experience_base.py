"""The experience base: names of attributes whose category is known (``ExpBase`` of Algorithm 1).

What ships are some hundreds of concepts with their names in five languages, in `experience/`. What a person confirmed
is kept in a file of their own, and wins. Only names and categories are kept, never values.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from tacita.errors import DictionaryError, InputError
from tacita.model.attribute import Category, Kind
from tacita.model.dictionary import DictionaryFact
from tacita.model.names import normalised

LANGUAGES = {"en": "English", "it": "Italian", "es": "Spanish", "fr": "French", "de": "German"}


@dataclass(frozen=True, slots=True)
class Experience:
    """One known name: what it means and what category it had."""

    name: str
    category: Category
    concept: str
    why: str
    kind: Kind | None = None
    language: str = ""
    confirmed: bool = False
    """Whether a person of this house confirmed it."""


class ExperienceBase:
    """Known names, by their normalised spelling; confirmed ones replace shipped ones. Never changes: it is shared."""

    def __init__(self, entries: Iterable[Experience]) -> None:
        self._by_name: dict[str, Experience] = {}
        for entry in entries:
            key = normalised(entry.name)
            known = self._by_name.get(key)
            if known is None or entry.confirmed:
                self._by_name[key] = entry

    @staticmethod
    def load(confirmed: Path | None = None) -> ExperienceBase:
        """Return the shipped base with the confirmed names of a file on top."""
        return _with_shipped(tuple(_confirmed(confirmed)) if confirmed else ())

    def __len__(self) -> int:
        return len(self._by_name)

    def __iter__(self) -> Iterator[Experience]:
        return iter(self._by_name.values())

    def __getitem__(self, name: str) -> Experience:
        return self._by_name[name]

    @property
    def names(self) -> tuple[str, ...]:
        """All normalised names."""
        return tuple(self._by_name)

    def facts(self) -> Iterator[DictionaryFact]:
        """Yield ``ExpBase(attribute, category)`` for the reasoner."""
        for name, entry in self._by_name.items():
            yield DictionaryFact("ExpBase", (name, entry.category.value))


@functools.lru_cache(maxsize=4)
def _with_shipped(confirmed: tuple[Experience, ...]) -> ExperienceBase:
    return ExperienceBase([*_shipped(), *confirmed])


@functools.cache
def _shipped() -> tuple[Experience, ...]:
    entries: list[Experience] = []
    for file in sorted(resources.files(__package__).joinpath("experience").iterdir(), key=lambda f: f.name):
        if file.name.endswith(".toml"):
            for concept in tomllib.loads(file.read_text(encoding="utf-8"))["concept"]:
                entries += _entries(concept)
    return tuple(entries)


def _entries(concept: Mapping[str, object]) -> Iterator[Experience]:
    category, kind = Category(str(concept["category"])), Kind(str(concept["kind"]))
    for language in LANGUAGES:
        names = concept.get(language, ())
        for name in names if isinstance(names, list) else ():
            yield Experience(str(name), category, str(concept["id"]), str(concept["why"]), kind, language)


def _confirmed(file: Path) -> Iterator[Experience]:
    if not file.exists():
        return
    try:
        names = tomllib.loads(file.read_text(encoding="utf-8")).get("names", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(
            f"the experience base cannot be read ({error})", where=str(file), do="mend or remove this file"
        ) from None
    for name, category in names.items():
        try:
            parsed = Category.parse(str(category))
        except DictionaryError as error:
            raise InputError(error.found, where=f"{file}, name '{name}'", do=error.do) from None
        yield Experience(name, parsed, "confirmed", "confirmed here before", confirmed=True)


def with_confirmed(text: str, decisions: Mapping[str, Category]) -> str:
    """Return the text of the file of confirmed names with some decisions added (``Cat -> ExpBase``, rule 3)."""
    import tomlkit

    document = tomlkit.parse(text) if text.strip() else tomlkit.document()
    if not text.strip():
        document.add(tomlkit.comment("Categories of attributes that were confirmed here: names only, never values."))
    names = document.setdefault("names", tomlkit.table())
    for name, category in decisions.items():
        if key := normalised(name):
            names[key] = category.value
    return tomlkit.dumps(document)
