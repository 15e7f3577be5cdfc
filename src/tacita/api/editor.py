"""What an editor asks about a rule program, answered in plain values; the language server speaks the protocol.

>>> document = Document(ProgramText("Own(X, Y) -> Control(X, Y).", "program.vada"))
>>> hover(document, document.lines.place(0, 0)).text.splitlines()[0]
'**Own**(X, Y)'
"""

from tacita.knowledge.programs import ProgramText
from tacita.reasoning.editor.completions import Completion, Sort, completions
from tacita.reasoning.editor.document import Document, EditedText
from tacita.reasoning.editor.grammar import grammar
from tacita.reasoning.editor.hovers import Hover, hover
from tacita.reasoning.editor.navigation import Symbol, definitions, renameable, renaming_edits, symbols
from tacita.reasoning.editor.text_lines import CursorPlace, TextLines
from tacita.rules.logic.faults import Fault, Origin, Severity
from tacita.rules.syntax import formatted
from tacita.rules.syntax.lexer import Token

__all__ = [
    "Completion",
    "CursorPlace",
    "Document",
    "EditedText",
    "Fault",
    "Hover",
    "Origin",
    "ProgramText",
    "Severity",
    "Sort",
    "Symbol",
    "TextLines",
    "Token",
    "completions",
    "definitions",
    "formatted",
    "grammar",
    "hover",
    "renameable",
    "renaming_edits",
    "symbols",
]
