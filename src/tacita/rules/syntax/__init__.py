"""Reading and printing rule programs: lexer, parser with recovery, printer, formatter.

A text becomes tokens (`lexer`), tokens become clauses (`clauses`, on top of `items`, `terms` and `cursor`), a program
becomes text again (`printer`), and a text is laid out anew without losing a comment (`formatting`). Everything that can
be wrong with the way a program is written is in `faults`.
"""

from tacita.rules.syntax.formatting import formatted
from tacita.rules.syntax.parser import Parsed, parse
from tacita.rules.syntax.printer import text_of

__all__ = ["Parsed", "formatted", "parse", "text_of"]
