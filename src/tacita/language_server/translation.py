"""Our answers in the words of the protocol."""

from __future__ import annotations

from lsprotocol import types

from tacita.api.editor import Completion, Document, Fault, Origin, Severity, Sort, TextLines, Token

_SORTS = {
    Sort.PREDICATE: types.CompletionItemKind.Class,
    Sort.FUNCTION: types.CompletionItemKind.Function,
    Sort.AGGREGATE: types.CompletionItemKind.Function,
    Sort.ANNOTATION: types.CompletionItemKind.Property,
    Sort.PARAMETER: types.CompletionItemKind.Constant,
    Sort.VARIABLE: types.CompletionItemKind.Variable,
    Sort.KEYWORD: types.CompletionItemKind.Keyword,
    Sort.MODULE: types.CompletionItemKind.Module,
    Sort.ATTRIBUTE: types.CompletionItemKind.Field,
    Sort.VALUE: types.CompletionItemKind.Value,
}
SYMBOLS = {
    "rule": types.SymbolKind.Function,
    "fact": types.SymbolKind.Constant,
    "annotation": types.SymbolKind.Property,
}


def range_of(lines: TextLines, origin: Origin) -> types.Range:
    """Return a stretch of text; one without an end is one character long."""
    end_line, end_column = origin.end_line or origin.line, origin.end_column or origin.column + 1
    start, end = lines.theirs(origin.line, origin.column), lines.theirs(end_line, end_column)
    return types.Range(types.Position(*start), types.Position(*max(start, end)))


def token_range(lines: TextLines, token: Token) -> types.Range:
    """Return the stretch of a token."""
    return range_of(lines, token.origin(""))


def diagnostics(document: Document) -> list[types.Diagnostic]:
    """Return all faults of a program; those of a module are shown where the module is used."""
    return [_diagnostic(document, fault) for fault in document.diagnosis.faults]


def _diagnostic(document: Document, fault: Fault) -> types.Diagnostic:
    message, origin = fault.message, fault.origin
    if origin.source != document.source:
        message, origin = f"in {fault.origin}: {message}", _use(document, origin.source)
    return types.Diagnostic(
        range=range_of(document.lines, origin),
        message=f"{message}\nwhat to do: {fault.do}" if fault.do else message,
        severity=types.DiagnosticSeverity.Error
        if fault.severity is Severity.ERROR
        else types.DiagnosticSeverity.Warning,
        code=fault.code,
        source="tacita",
    )


def _use(document: Document, source: str) -> Origin:
    """Return the annotation that brings a module in, directly or not; else the beginning of the text."""
    uses = list(document.diagnosis.parsed.program.directives("use", "bind_module"))
    for annotation in uses:
        names = [annotation.text(i) for i in range(len(annotation.arguments))]
        if any(name and source.endswith(f"{name}.vada") for name in names):
            return annotation.origin
    return uses[0].origin if uses else Origin(document.source, 1, 1, 1, 2)


def completion_item(completion: Completion, *, snippets: bool) -> types.CompletionItem:
    """Return a completion; with gaps to fill if the editor knows them."""
    snippet = completion.snippet if snippets else ""
    return types.CompletionItem(
        label=completion.label,
        kind=_SORTS[completion.sort],
        detail=completion.detail or completion.sort.value,
        insert_text=snippet or completion.insert or None,
        insert_text_format=types.InsertTextFormat.Snippet if snippet else types.InsertTextFormat.PlainText,
        # What one writes first comes first: what is in the program, before the words of the language.
        sort_text=f"{list(_SORTS).index(completion.sort):02d}{completion.label}",
    )
