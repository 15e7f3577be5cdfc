"""An open program: its tokens, its clauses, what is wrong with it, and what is known of its predicates."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tacita.errors import TacitaError
from tacita.knowledge import programs as shipped
from tacita.knowledge.programs import ENDING, ProgramText
from tacita.model import dictionary_file
from tacita.model.dictionary import Dictionary
from tacita.model.dictionary_file.place import ENDING as DICTIONARY_ENDING
from tacita.reasoning.diagnosis import Diagnosis, diagnose
from tacita.reasoning.editor.text_lines import CursorPlace, TextLines
from tacita.rules.logic.functions import AGGREGATES, FUNCTIONS
from tacita.rules.logic.program import Program
from tacita.rules.logic.signatures import Signature, signatures
from tacita.rules.syntax.lexer import Lexed, Token
from tacita.rules.syntax.literals import name_value, text_value
from tacita.rules.syntax.parser import Parsed, SourceReading, parse, read

_CALLEES = frozenset({"variable", "name", "quoted", "external", "is", "null", "subset", "of"})
_MOST_DICTIONARIES = 20
PREDICATE_FIRST = frozenset({"input", "output", "model", "bind", "versioned"})
"""The annotations whose first argument is a predicate."""


@dataclass(frozen=True, slots=True)
class EditedText(ProgramText):
    """A program in an editor: modules that are open there count as they stand there."""

    opened: Callable[[Path], str | None] = field(default=lambda _: None)

    def find(self, name: str) -> tuple[str, str] | None:
        """Return the text of a module: as it is open, beside the program, or shipped."""
        beside = self.folder / f"{name}{ENDING}"
        text = self.opened(beside)
        return (text, str(beside)) if text is not None else ProgramText.find(self, name)


class Document:
    """A program as it stands in an editor; everything about it is worked out when first asked for."""

    def __init__(self, program: ProgramText, encoding: str = "utf-16") -> None:
        self.program = program
        self.lines = TextLines(program.text, encoding)

    @property
    def source(self) -> str:
        """What places in this text are called."""
        return self.program.source

    @cached_property
    def reading(self) -> SourceReading:
        """The tokens and what they mean."""
        return read(self.program.text, self.source)

    @property
    def lexed(self) -> Lexed:
        """The tokens."""
        return self.reading.lexed

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """What is wrong; a fault of ours costs the checks, never the answer."""
        try:
            return diagnose(self.program)
        except Exception:
            parsed: Parsed = parse(self.program.text, self.source)
            return Diagnosis(parsed, parsed.program, parsed.faults, {self.source: self.program.text})

    @property
    def linked(self) -> Program:
        """The program with its modules."""
        return self.diagnosis.linked

    @cached_property
    def signatures(self) -> Mapping[str, Signature]:
        """What is known of each predicate, those of modules included."""
        return signatures(self.linked)

    @cached_property
    def dictionaries(self) -> tuple[Dictionary, ...]:
        """The dictionaries beside the program."""
        dictionaries = []
        try:
            files = sorted(self.program.folder.glob(f"*{DICTIONARY_ENDING}"))[:_MOST_DICTIONARIES]
        except OSError:
            return ()
        for file in files:
            try:
                dictionaries.append(dictionary_file.load(file))
            except (TacitaError, OSError):
                continue  # a dictionary with faults is for other commands to report
        return tuple(dictionaries)

    # -- tokens --------------------------------------------------------------------------------------------------------

    def at(self, place: CursorPlace) -> int | None:
        """Return the number of the token under a place, or that ends there."""
        tokens = self.lexed
        number = bisect_right(tokens.rows, place.line) - 1
        while number >= 0 and tokens.rows[number] == place.line and tokens.columns[number] > place.column:
            number -= 1
        if number < 0 or tokens.rows[number] != place.line or tokens.kinds[number] == "end":
            return None
        token = tokens.token(number)
        if token.end_column == place.column and not _is_word(token) and number + 1 < len(tokens.kinds):
            after = tokens.token(number + 1)
            return number + 1 if (after.line, after.column) == place else number
        return number if place.column <= token.end_column else None

    def before(self, place: CursorPlace) -> int:
        """Return the number of the last token that begins before a place; -1 if there is none."""
        tokens = self.lexed
        low, high = 0, len(tokens.kinds) - 3
        while low < high:
            middle = (low + high) // 2
            if (tokens.rows[middle], tokens.columns[middle]) < place:
                low = middle + 1
            else:
                high = middle
        return low - 1

    def is_called(self, number: int) -> bool:
        """Whether a token is a name with arguments behind it."""
        return self.lexed.kinds[number] in _CALLEES and self.lexed.kinds[number + 1] == "("

    def predicate(self, number: int) -> str | None:
        """Return the predicate that a token names: before its arguments, or as the text of an annotation."""
        token = self.lexed.token(number)
        if self.is_called(number) and not self.annotation(number):
            name = name_value(token.text) if token.kind == "quoted" else token.text
            if name.startswith("#'"):
                name = "#" + name_value(name[1:])
            is_function = token.kind != "quoted" and (name in FUNCTIONS or name in AGGREGATES)
            return None if is_function else name
        if token.kind == "text":
            annotation, argument = self.argument(number)
            if annotation in PREDICATE_FIRST and argument == 0:
                return text_value(token.text)
        return None

    def module(self, number: int) -> str | None:
        """Return the module that a token names, as the text of ``@use`` or ``@bind_module``."""
        token = self.lexed.token(number)
        if token.kind != "text":
            return None
        annotation, argument = self.argument(number)
        is_module = annotation == "use" or (annotation == "bind_module" and argument == 1)
        return text_value(token.text) if is_module else None

    def annotation(self, number: int) -> str:
        """Return the annotation whose arguments a token is among; nothing if it is in none."""
        return self.argument(number)[0]

    def argument(self, number: int) -> tuple[str, int]:
        """Return the annotation around a token, and which of its arguments the token is in, counted from 0."""
        kinds = self.lexed.kinds
        depth = argument = 0
        for at in range(number - 1, max(-1, number - 400), -1):
            kind = kinds[at]
            if kind in (")", "]", "}"):
                depth += 1
            elif kind in ("(", "[", "{"):
                depth -= 1
                if depth < 0:
                    if kind == "(" and at and kinds[at - 1] == "annotation":
                        return self.lexed.texts[at - 1][1:], argument
                    if kind == "(":
                        return "", 0
                    depth, argument = 0, 0  # out of a list: it is one argument
            elif kind == "," and not depth:
                argument += 1
            elif kind in (".", "->", ":-", "annotation"):
                return "", 0
        return "", 0

    def clause(self, number: int) -> tuple[int, int]:
        """Return the first token of the clause around a token, and the one behind its last."""
        for start, end in self.reading.ends:
            if start <= number < end:
                return start, end
        kinds = self.lexed.kinds  # a clause that could not be read: from period to period
        start = number
        while start > 0 and kinds[start - 1] != ".":
            start -= 1
        end = number
        while kinds[end] not in (".", "end"):
            end += 1
        return start, end + (kinds[end] == ".")

    def module_path(self, name: str) -> Path | None:
        """Return the file of a module: beside the program, or shipped."""
        beside = self.program.folder / f"{name}{ENDING}"
        return beside if beside.is_file() else shipped.path(name)

    def path_of(self, source: str) -> Path | None:
        """Return the file that places of a source are in."""
        path = Path(source)
        return path if path.is_file() else shipped.path(path.stem) if path.name == source else None


def _is_word(token: Token) -> bool:
    return token.text[:1].isalnum() or token.text[:1] in "_@$#'\""
