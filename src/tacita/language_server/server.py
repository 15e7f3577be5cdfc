"""The language server: what an editor asks, answered. Standard output is the editor's; nothing else is printed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from tacita.api.editor import (
    Document,
    EditedText,
    TextLines,
    completions,
    definitions,
    formatted,
    hover,
    renameable,
    renaming_edits,
    symbols,
)
from tacita.errors import TacitaError, UsageError
from tacita.language_server.translation import SYMBOLS, completion_item, diagnostics, range_of, token_range
from tacita.version import __version__

_PATIENCE = 0.2  # seconds without a change before a program is checked

_T = TypeVar("_T")


class RuleServer(LanguageServer):
    """Holds what is known of each open program, until it changes."""

    def __init__(self) -> None:
        super().__init__("tacita", __version__)
        self._documents: dict[str, tuple[int | None, Document]] = {}
        self._waiting: dict[str, asyncio.Task[None]] = {}

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Say that something went wrong, and nothing of what was in it."""
        del source
        self.window_log_message(
            types.LogMessageParams(types.MessageType.Error, f"{type(error).__name__} inside Tacita; please report it")
        )

    def document(self, uri: str) -> Document:
        """Return what is known of an open program."""
        text = self.workspace.get_text_document(uri)
        known = self._documents.get(uri)
        if known is not None and known[0] == text.version and known[1].program.text == text.source:
            return known[1]
        path = Path(uris.to_fs_path(uri) or "program.vada")
        encoding = str(getattr(self.workspace.position_encoding, "value", "utf-16"))
        document = Document(EditedText(text.source, str(path), path.parent, self._opened), encoding)
        self._documents[uri] = (text.version, document)
        return document

    def forget(self, uri: str) -> None:
        """Forget a program that was closed."""
        self._documents.pop(uri, None)
        if (task := self._waiting.pop(uri, None)) is not None:
            task.cancel()

    def check_soon(self, uri: str, patience: float = _PATIENCE) -> None:
        """Check a program once it has been left alone for a moment."""
        if (task := self._waiting.pop(uri, None)) is not None:
            task.cancel()
        self._waiting[uri] = asyncio.get_running_loop().create_task(self._check(uri, patience))

    async def _check(self, uri: str, patience: float) -> None:
        await asyncio.sleep(patience)
        document = self.document(uri)
        version = self._documents[uri][0]
        faults = await asyncio.to_thread(diagnostics, document)
        if self._documents.get(uri, (None, None))[1] is document:  # it may have changed in the meantime
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, faults, version))

    def _opened(self, path: Path) -> str | None:
        text = self.workspace.text_documents.get(uris.from_fs_path(str(path)) or "")
        return text.source if text is not None else None


def rule_server() -> RuleServer:
    """Return a server that answers everything."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # its messages quote what they are about
    server = RuleServer()
    _watch(server)
    _explain(server)
    _write(server)
    return server


def _answer(answer: Callable[[], _T]) -> _T | None:
    """Return an answer; a fault of ours over a half-typed program is no answer, and no end of the conversation."""
    try:
        return answer()
    except TacitaError:
        raise
    except Exception:
        return None


# -- what happens in the editor ----------------------------------------------------------------------------------------


def _watch(server: RuleServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(given: types.DidOpenTextDocumentParams) -> None:
        server.check_soon(given.text_document.uri, 0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(given: types.DidChangeTextDocumentParams) -> None:
        server.check_soon(given.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(given: types.DidSaveTextDocumentParams) -> None:
        for uri in server.workspace.text_documents:  # it may be a module of the others
            server.forget(uri)
            server.check_soon(uri, 0)
        del given

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(given: types.DidCloseTextDocumentParams) -> None:
        server.forget(given.text_document.uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(given.text_document.uri, []))


# -- what things mean and where they are -------------------------------------------------------------------------------


def _explain(server: RuleServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hovered(given: types.HoverParams) -> types.Hover | None:
        document = server.document(given.text_document.uri)
        place = document.lines.place(given.position.line, given.position.character)
        answer = _answer(lambda: hover(document, place))
        if answer is None:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, answer.text)
        return types.Hover(content, token_range(document.lines, answer.token))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def defined(given: types.DefinitionParams) -> list[types.Location]:
        document = server.document(given.text_document.uri)
        place = document.lines.place(given.position.line, given.position.character)
        locations = []
        for path, origin in _answer(lambda: definitions(document, place)) or []:
            if path is None:
                locations.append(types.Location(given.text_document.uri, range_of(document.lines, origin)))
            elif (uri := uris.from_fs_path(str(path.absolute()))) is not None:
                lines = TextLines(path.read_text(encoding="utf-8", errors="replace"))
                locations.append(types.Location(uri, range_of(lines, origin)))
        return locations

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def outlined(given: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        document = server.document(given.text_document.uri)
        outline = []
        for symbol in _answer(lambda: symbols(document)) or []:
            stretch = range_of(document.lines, symbol.origin)
            outline.append(
                types.DocumentSymbol(symbol.name or "rule", SYMBOLS[symbol.sort], stretch, stretch, symbol.detail)
            )
        return outline


# -- writing -----------------------------------------------------------------------------------------------------------


def _write(server: RuleServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["@", "$", '"', "#"]))
    def completed(given: types.CompletionParams) -> types.CompletionList:
        document = server.document(given.text_document.uri)
        place = document.lines.place(given.position.line, given.position.character)
        offers = _answer(lambda: completions(document, place)) or []
        items = [completion_item(one, snippets=_knows_snippets(server)) for one in offers]
        return types.CompletionList(is_incomplete=False, items=items)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def laid_out(given: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        document = server.document(given.text_document.uri)
        try:
            after = formatted(document.program.text, document.source)
        except TacitaError:
            return None  # the faults are shown already; a text that cannot be read keeps its layout
        if after == document.program.text:
            return []
        end = types.Position(*document.lines.theirs(len(document.lexed.lines) + 2, 1))
        return [types.TextEdit(types.Range(types.Position(0, 0), end), after)]

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepared(given: types.PrepareRenameParams) -> types.Range | None:
        document = server.document(given.text_document.uri)
        place = document.lines.place(given.position.line, given.position.character)
        token = _answer(lambda: renameable(document, place))
        return token_range(document.lines, token) if token is not None else None

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def renaming(given: types.RenameParams) -> types.WorkspaceEdit | None:
        document = server.document(given.text_document.uri)
        place = document.lines.place(given.position.line, given.position.character)
        try:
            tokens = renaming_edits(document, place, given.new_name)
        except UsageError as error:
            raise JsonRpcInvalidParams(str(error).replace("\n ", ";")) from None
        edits = [types.TextEdit(token_range(document.lines, token), token.kind) for token in tokens]
        return types.WorkspaceEdit({given.text_document.uri: edits})


def _knows_snippets(server: RuleServer) -> bool:
    text = server.client_capabilities.text_document
    completion = text.completion if text is not None else None
    item = completion.completion_item if completion is not None else None
    return bool(item is not None and item.snippet_support)
