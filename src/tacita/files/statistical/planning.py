"""How a column goes into a package: what its dictionary entry becomes there, and what is lost.

Packages differ in what they can hold. SPSS declares up to three codes (or a range and one code) of a column missing;
Stata and SAS have the tagged missings ``.a`` to ``.z``. A code that a package can hold stays; a code that becomes a
tag keeps its label; what cannot be held becomes a plain missing value, and is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw

from tacita.errors import listed
from tacita.files.statistical.codes import Range, code_number, covers, range_of, tag_of
from tacita.files.statistical.display import is_general, moment_format, number_format, shape_of, text_format, text_width
from tacita.files.statistical.outgoing import Losses, Outgoing
from tacita.files.statistical.packages import Package, Shape
from tacita.files.statistical.survey import Measured
from tacita.model.attribute import Attribute, Kind
from tacita.model.relation import Column, ColumnType

# Stata keeps the largest numbers of a long for its missings.
_STATA_LONG = (-2_147_483_647, 2_147_483_620)
_SPSS_CODES = 3
_SPSS_TEXT_CODE = 8
_MEASURES = {Kind.CATEGORICAL: "nominal", Kind.ORDINAL: "ordinal", Kind.CONTINUOUS: "scale"}


@dataclass(frozen=True)
class Planner:
    """One column, what is known of it, and where it goes."""

    column: Column
    attribute: Attribute
    figures: Measured
    origin: Package | None
    """The package whose display formats the dictionary speaks."""
    losses: Losses

    @property
    def package(self) -> Package:
        """Where the column goes."""
        return self.losses.package

    def outgoing(self) -> Outgoing:
        """Return how the column is written, and note what it loses."""
        codes, missing = self._for_spss() if self.package is Package.SPSS else self._as_tags()
        labels = self._labels(codes)
        longest = 0
        if self.is_text:
            texts = [*labels, *(code for code in codes.values() if code), ""]
            longest = max(self.figures.longest, *(len(str(text).encode()) for text in texts))
            longest = max(longest, text_width(self.package, self.origin, self.attribute.format))
        measure = _MEASURES.get(self.attribute.kind, "") if self.attribute.kind else ""
        return Outgoing(
            self.column,
            self.package,
            self.shape,
            nw.String() if self.is_text else self._number_type(),
            self._format(),
            longest,
            codes,
            missing,
            labels,
            measure,
        )

    @cached_property
    def shape(self) -> Shape:
        """What the numbers of the column will be."""
        said = {shape_of(known, self.attribute.format) for known in Package}
        if self.column.type is ColumnType.TIMESTAMP:
            return Shape.MOMENT
        if self.column.type is ColumnType.DATE:
            periods = [s for s in said if s.is_period and s in self.figures.first_days]
            return periods[0] if periods and self.package is Package.STATA else Shape.DAY
        is_time = self.column.type is ColumnType.TEXT and Shape.CLOCK in said
        return Shape.CLOCK if is_time and self.figures.clocks and self.figures.longest else Shape.NUMBER

    @property
    def is_text(self) -> bool:
        """Whether text is written."""
        return self.column.type is ColumnType.TEXT and self.shape is Shape.NUMBER

    @cached_property
    def declared(self) -> list[str]:
        """Codes that occur and have a meaning; ``NA`` in a CSV is just a way to write an empty cell."""
        spans = [range_of(text, self.shape, self.package) for text in self.attribute.missing]
        known = [span for span in spans if span is not None]

        def is_declared(code: str) -> bool:
            if code in self.attribute.missing or tag_of(code):
                return True
            number = code_number(code, self.shape, self.package)
            return number is not None and covers(known, number)

        return [code for code in self.figures.codes if is_declared(code)]

    def _number_type(self) -> Any:
        whole = self.column.type in {ColumnType.INTEGER, ColumnType.BOOLEAN} and self.shape is Shape.NUMBER
        fits = _STATA_LONG[0] <= self.figures.low and self.figures.high <= _STATA_LONG[1]
        return nw.Int32() if self.package is Package.STATA and whole and fits else nw.Float64()

    def _format(self) -> str:
        form = self.attribute.format
        if self.shape.is_period or not form:
            return form or self._usual_format()
        if self.shape is not Shape.NUMBER:
            return moment_format(self.package, self.shape, form)
        if self.is_text:
            return text_format(self.package, self.origin, form) or ""
        own = number_format(self.package, self.origin, form)
        if own is None and not is_general(form):
            self.losses.note("{package} has no counterpart to the display formats of {columns}", self.column.name)
        return own or self._usual_format()

    def _usual_format(self) -> str:
        if self.shape is not Shape.NUMBER:
            return moment_format(self.package, self.shape, "")
        whole = self.column.type in {ColumnType.INTEGER, ColumnType.BOOLEAN}
        if self.package is not Package.SPSS or not whole:
            return ""
        digits = max(len(f"{self.figures.low:.0f}"), len(f"{self.figures.high:.0f}"))
        return f"F{max(8, digits)}.0"  # SPSS would show two decimals

    def _for_spss(self) -> tuple[dict[str, Any], list[Any]]:
        """Return what is written for each code, and what is declared missing."""
        codes: dict[str, Any] = {}
        missing: list[Any] = []
        lost: list[str] = []
        if self.is_text:
            for text in self.attribute.missing:
                fits = len(text.encode()) <= _SPSS_TEXT_CODE and len(missing) < _SPSS_CODES
                (missing if fits else lost).append(text)
            codes = {code: code if code in missing else None for code in self.declared}
        else:
            spans: list[Range] = []
            for text in self.attribute.missing:
                span = range_of(text, self.shape, Package.SPSS)
                if span is not None and _has_room([*spans, span]):
                    spans.append(span)
                else:
                    lost.append(text)
            for code in self.declared:
                number = code_number(code, self.shape, Package.SPSS)
                codes[code] = number if number is not None and covers(spans, number) else None
            missing = [{"lo": span.low, "hi": span.high} for span in spans]
        if lost:
            self.losses.note(
                "SPSS declares at most three codes of a column missing, or a range and a code, and no tags: "
                "{columns} became plain missing values",
                f"{listed(lost)} of '{self.column.name}'",
            )
        return codes, missing

    def _as_tags(self) -> tuple[dict[str, Any], list[Any]]:
        """Give each code a letter: a tag its own, any other code a free one, in the dictionary's order."""
        name, package = self.column.name, self.package
        if self.is_text:
            if self.declared:
                self.losses.note("{package} has no missing codes for text: those of {columns} became empty text", name)
            return {}, []
        places = {code: i for i, code in enumerate(self.attribute.missing)}
        ordered = sorted(self.declared, key=lambda code: (places.get(code, len(places)), len(code), code))
        wanted = dict.fromkeys([*ordered, *(key for key in self.attribute.labels if tag_of(key))])
        change = str.lower if package is Package.STATA else str.upper
        own = {code: change(tag_of(code)) for code in wanted if tag_of(code)}
        own = {code: letter for code, letter in own.items() if letter in package.tags}
        free = (letter for letter in package.tags if letter not in own.values())
        codes: dict[str, Any] = {code: own.get(code) or next(free, None) for code in wanted}
        lettered = self._lettered({code: codes[code] for code in ordered if codes[code] not in {None, code[1:]}})
        if lettered:
            self.losses.note("{package} has missing codes of its own: {columns}", f"{listed(lettered)} in '{name}'")
        without = list(dict.fromkeys(self._value_of(code) for code in ordered if not codes[code]))
        if without:
            self.losses.note(
                "{package} has too few missing codes: {columns} became plain missing values",
                f"{listed(without)} of '{name}'",
            )
        return codes, sorted({letter for letter in codes.values() if letter})

    def _value_of(self, code: str) -> str:
        """Return a code as a message may name it: what the dictionary declares, never what only the data holds."""
        return code if code in self.attribute.missing or tag_of(code) else "codes of a declared range"

    def _lettered(self, codes: dict[str, str]) -> list[str]:
        """Return which code became which tag, the codes of ranges together."""
        letters: dict[str, list[str]] = {}
        for code, letter in codes.items():
            letters.setdefault(self._value_of(code), []).append(f".{letter}")
        return [
            f"{value} as {tags[0]}" + (f" to {tags[-1]}" if len(tags) > 1 else "") for value, tags in letters.items()
        ]

    def _labels(self, codes: dict[str, Any]) -> dict[Any, str]:
        """Return the value labels under the keys that the package uses."""
        placed = {key: self._key(key, codes) for key in self.attribute.labels}
        lost = [key for key, place in placed.items() if place is None]
        if lost and self.package is not Package.SAS:  # SAS files hold no labels at all, which is told elsewhere
            self.losses.note(
                "{package} cannot hold the value labels of {columns}", f"{listed(lost)} in '{self.column.name}'"
            )
        labels = {place: self.attribute.labels[key] for key, place in placed.items() if place is not None}
        if self.package is Package.STATA:  # .a alone would not say that it was 99
            named = {letter: code for code, letter in codes.items() if letter and not tag_of(code)}
            labels = {**named, **labels}
        return labels

    def _key(self, key: str, codes: dict[str, Any]) -> Any:
        if self.is_text:
            return None if self.package is Package.STATA else key
        if self.package is not Package.SPSS and codes.get(key):
            return codes[key]
        number = code_number(key, self.shape, self.package)
        if self.package is not Package.STATA or number is None:
            return number
        return int(number) if number == int(number) and abs(number) < 2**31 else None


def _has_room(spans: list[Range]) -> bool:
    ranges = sum(not span.is_single for span in spans)
    return ranges <= 1 and len(spans) - ranges <= (1 if ranges else _SPSS_CODES)
