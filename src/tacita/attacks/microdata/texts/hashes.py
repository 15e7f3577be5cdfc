"""Hidden values that are found by trying all of them: a hash of the value, alone or together with others.

Whoever has the hash of a region and a form number calculates the hash of every region with that number, and takes the
region that fits. That it is such a hash is seen from records that show the value: here those of a few records, for all
usual functions, spellings and orders of up to three attributes. Where several of them are hidden, all are tried. A
secret that is hashed along (a salt, a key) cannot be found in this way; a hash of one value with a salt is a code of
it, and found as such.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product

import numpy as np

from tacita.attacks.microdata.derivation import EXAMPLES, SHARE, DerivableValues, Transcript
from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.lessons import Target
from tacita.attacks.microdata.texts.released_texts import ReleasedTexts

_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{8,128}")
_BASE64 = re.compile(r"[0-9a-zA-Z+/_-]{22,86}={0,2}")
_FUNCTIONS = ("md5", "sha1", "sha256", "sha512", "sha224", "sha384", "sha3_256", "sha3_512", "blake2b", "blake2s")
_SIZES = {hashlib.new(name, usedforsecurity=False).digest_size for name in _FUNCTIONS}
_BETWEEN = ("", "|", "-", "_", ";", ",", " ", ":", "/", ".", "#")
_SMALLEST = 8
"""Hexadecimal digits that a hash has at least; shorter parts of one are met by accident."""
_DIGITS = 10
"""Digits of the largest numbers of 32 bits."""
_CHECKED, _LEAST = 60, 20
"""Records in which a hash is checked, and those that must show the value."""
_COMPLETE = 5
"""Of these, the records that must show the other attributes as well; eight digits agree by accident in none of them."""
MOST_ATTRIBUTES = 14
"""Attributes that are tried together with the target."""
MOST_HASHES = 8

Spelling = Callable[[str], str]
_SPELLINGS: tuple[Spelling, ...] = (str, str.casefold, str.upper, str.strip)


@dataclass(frozen=True, slots=True, eq=False)
class SpelledAttribute:
    """An attribute as texts: what the release shows, and of a target what it was."""

    name: str
    released: Callable[[Codes], list[str | None]] = field(repr=False)
    original: Callable[[Codes], list[str | None]] | None = field(default=None, repr=False)


def hash_derivations(
    columns: Sequence[ReleasedTexts], targets: Sequence[Target], spelled: Mapping[str, SpelledAttribute]
) -> Iterator[DerivableValues]:
    """Yield hashes of hidden values, at most one for each released hash and target.

    >>> region = [("Lazio", "Molise", "Umbria")[n * n % 3] for n in range(90)]
    >>> codes, hidden = np.array([ord(name[0]) - 76 for name in region]), np.arange(90) < 9
    >>> hashes = [hashlib.md5(f"{name}{n}".encode()).hexdigest() for n, name in enumerate(region)]
    >>> texts = ReleasedTexts("h", lambda rows: [hashes[row] for row in rows], 90)
    >>> number = SpelledAttribute("n", lambda rows: [str(row) for row in rows])
    >>> own = SpelledAttribute("region", lambda rows: [None] * len(rows), lambda rows: [region[row] for row in rows])
    >>> target = Target("region", codes, hidden, ~hidden)
    >>> print(*hash_derivations([texts], [target], {"n": number, "region": own}))
    h and n determine 9 of 9 suppressed cells of region
    """
    once = {target.name: target for target in targets if target.hidden.any() and not target.is_coarse}
    for written in columns[:MOST_HASHES] if once else ():
        column = _in_hexadecimal_digits(written)
        if not _looks_like_hashes(column):
            continue
        for target in once.values():
            own = spelled.get(target.name)
            if own is None or own.original is None or target.name == column.attribute:
                continue
            others = [one for name, one in spelled.items() if name not in {target.name, column.attribute}]
            derived = _Search(column, target, own, others[:MOST_ATTRIBUTES]).derivation()
            if derived is not None:
                yield derived


def _in_hexadecimal_digits(column: ReleasedTexts) -> ReleasedTexts:
    """Return the texts of an attribute in hexadecimal digits, if they are hashes in base64."""
    texts = [text for text in column.texts(column.sample[:_CHECKED]) if text]
    if not texts or any(_digest(text) is None for text in texts):
        return column

    def digits(rows: Codes) -> list[str | None]:
        return [_digest(text) if text else None for text in column.texts(rows)]

    return ReleasedTexts(column.name, digits, column.records, column.is_code, column.of)


def _digest(text: str) -> str | None:
    """Return the hexadecimal digits of a text in base64, if it is as long as a hash.

    >>> _digest("rL0Y20zC+Fzt72VPzMSk2A=="), _digest("Rome")
    ('acbd18db4cc2f85cedef654fccc4a4d8', None)
    """
    if _BASE64.fullmatch(text) is None or (_HEXADECIMAL.fullmatch(text) and len(text) / 2 in _SIZES):
        return None
    bare = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        read = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except binascii.Error:
        return None
    return read.hex() if len(read) in _SIZES else None


def _looks_like_hashes(column: ReleasedTexts) -> bool:
    texts = [text for text in column.texts(column.sample[:_CHECKED]) if text]
    if len(texts) < _LEAST:
        return False
    if all(text.isdigit() for text in texts):
        return max(len(text) for text in texts) == _DIGITS
    return len({len(text) for text in texts}) == 1 and all(_HEXADECIMAL.fullmatch(text) for text in texts)


class _Search:
    """The search for what a released hash is made of, for one target."""

    def __init__(
        self, column: ReleasedTexts, target: Target, own: SpelledAttribute, others: Sequence[SpelledAttribute]
    ) -> None:
        self._column, self._target, self._own, self._others = column, target, own, others
        shown = np.flatnonzero(target.shown & (target.truth >= 0))
        known = np.flatnonzero((target.shown | target.hidden) & (target.truth >= 0))
        self._is_public = len(shown) < _LEAST
        rows = known if self._is_public else shown
        self._rows = rows[:: max(1, len(rows) // _CHECKED)][:_CHECKED]

    def derivation(self) -> DerivableValues | None:
        """Return what the hash determines; None if it is not one of the target."""
        rows, target = self._rows, self._target
        if len(rows) < _LEAST:
            return None
        recipe = self._recipe(rows)
        if recipe is None:
            return None
        hidden = np.flatnonzero(target.hidden & (target.truth >= 0))
        right = hidden[self._fits(recipe, hidden)]
        if len(right) < SHARE * len(hidden):
            return None
        names = tuple(one.name for one in recipe.parts if one is not self._own)
        together = f"{recipe.function} of {f' {recipe.between!r} '.join(one.name for one in recipe.parts)}"
        sentence = f"{self._column.name} is {together}: all values of {target.name} are tried."
        attributes = (self._column.attribute, *names)
        clue = attributes[0] if len(attributes) == 1 else f"{', '.join(attributes[:-1])} and {attributes[-1]}"
        return DerivableValues(
            clue,
            target.name,
            target.is_suppressed,
            len(hidden),
            len(right),
            len(right),
            "hash",
            self._is_public,
            attributes[:1] if len(attributes) > 1 or self._column.of else (),  # without the others, all are tried
            Transcript(sentence, len(rows), len(rows), len(rows), tuple(int(row) + 1 for row in right[:EXAMPLES])),
        )

    def _recipe(self, rows: Codes) -> _Recipe | None:
        """Return what gives the hashes of all records that show the value, if something does."""
        hashes = [text.casefold() if text else None for text in self._column.texts(rows)]
        text = next((text for text in hashes if text), None)
        if text is None:
            return None
        functions = _functions(text)
        released = {one.name: one.released(rows) for one in self._others}
        released[self._own.name] = _originals(self._own, rows)
        originals = released | {one.name: _originals(one, rows) for one in self._others if one.original}
        for size in range(3):
            for others in permutations(self._others, size):
                for place in range(size + 1):
                    parts = (*others[:place], self._own, *others[place:])
                    for values, is_public in ((released, False), (originals, True)):
                        examples = _complete([hashes, *(values[part.name] for part in parts)])
                        if len(examples) >= _COMPLETE:
                            recipe = _made_like(examples, parts, functions)
                            self._is_public |= is_public and recipe is not None
                            if recipe is not None:
                                return recipe
                            break
        return None

    def _fits(self, recipe: _Recipe, rows: Codes) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return which records the recipe gives the hash of; whoever tries all values meets the original ones."""
        cells = zip(self._column.texts(rows), *(_originals(one, rows) for one in recipe.parts), strict=True)
        return np.array([bool(_complete([[cell] for cell in own])) and recipe.gives(own) for own in cells], dtype=bool)


def _originals(one: SpelledAttribute, rows: Codes) -> list[str | None]:
    return (one.original or one.released)(rows)


def _complete(columns: Sequence[Sequence[str | None]]) -> list[tuple[str, ...]]:
    """Return the records, a hash and the cells that it may be of, in which nothing is missing."""
    whole = []
    for hash_, *cells in zip(*columns, strict=True):
        present = tuple(cell for cell in cells if cell is not None)
        if hash_ and len(present) == len(cells):
            whole.append((hash_, *present))
    return whole


def _made_like(
    examples: Sequence[tuple[str, ...]],
    parts: tuple[SpelledAttribute, ...],
    functions: Mapping[str, Callable[[bytes], str]],
) -> _Recipe | None:
    """Return how the hashes of examples are made of their cells in this order, if in a usual way."""
    first, *cells = examples[0]
    for between, spelling in product(_BETWEEN if len(parts) > 1 else ("",), _SPELLINGS):
        for variant in _spelled(cells):
            text = spelling(between.join(variant.cells)).encode()
            for name, function in functions.items():
                if function(text).startswith(first):
                    recipe = _Recipe(parts, between, spelling, variant.how, name)
                    if all(recipe.gives(example) for example in examples):
                        return recipe
    return None


@dataclass(frozen=True, slots=True)
class _Recipe:
    """How a hash is made."""

    parts: tuple[SpelledAttribute, ...]
    between: str
    spelling: Spelling
    how: int
    """Which spelling of numbers."""
    function: str

    def gives(self, record: Sequence[str]) -> bool:
        """Return whether the hash, which comes first, is that of the cells after it."""
        text = self.spelling(self.between.join(_NUMBERS[self.how](cell) for cell in record[1:])).encode()
        function = _functions(record[0]).get(self.function)
        return function is not None and function(text).startswith(record[0].casefold())


@dataclass(frozen=True, slots=True)
class _Variant:
    cells: tuple[str, ...]
    how: int


def _plain(cell: str) -> str:
    return cell


def _short(cell: str) -> str:
    """Return a number without zeros behind its decimals: 12.50 and 12.0 become 12.5 and 12."""
    return cell.rstrip("0").removesuffix(".") if _is_decimal(cell) else cell


def _floating(cell: str) -> str:
    """Return a number as programs write one that may have decimals: 12.0."""
    return f"{cell}.0" if cell.removeprefix("-").isdigit() else repr(float(cell)) if _is_decimal(cell) else cell


def _two_decimals(cell: str) -> str:
    return f"{float(cell):.2f}" if cell.removeprefix("-").isdigit() or _is_decimal(cell) else cell


def _is_decimal(cell: str) -> bool:
    return re.fullmatch(r"-?\d+\.\d+", cell) is not None


_NUMBERS = (_plain, _short, _floating, _two_decimals)


def _spelled(cells: Sequence[str]) -> Iterator[_Variant]:
    """Yield the ways to spell some cells that differ from each other."""
    seen: set[tuple[str, ...]] = set()
    for how, spell in enumerate(_NUMBERS):
        variant = tuple(spell(cell) for cell in cells)
        if variant not in seen:
            seen.add(variant)
            yield _Variant(variant, how)


def _functions(text: str) -> dict[str, Callable[[bytes], str]]:
    """Return the functions whose results may look like a text."""
    length = len(text)
    functions: dict[str, Callable[[bytes], str]] = {}
    if text.isdigit() and length <= _DIGITS:
        functions["crc32"] = lambda data: str(zlib.crc32(data))
        functions["adler32"] = lambda data: str(zlib.adler32(data))
    if length == _SMALLEST:
        functions["crc32 in hexadecimal digits"] = lambda data: f"{zlib.crc32(data):08x}"
    if length >= _SMALLEST:
        for name in _FUNCTIONS:
            if hashlib.new(name, usedforsecurity=False).digest_size * 2 >= length:
                functions[name] = _hexadecimal_digest(name)
    return functions


def _hexadecimal_digest(name: str) -> Callable[[bytes], str]:
    return lambda data: hashlib.new(name, data, usedforsecurity=False).hexdigest()
