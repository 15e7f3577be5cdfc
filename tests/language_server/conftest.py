"""An editor that talks to the real command over its standard input and output."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest


class Editor:
    """The other side of the protocol, as small as it can be."""

    def __init__(self, folder: Path, **capabilities: Any) -> None:
        command = [str(Path(sys.executable).with_name("tacita")), "rules", "serve"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder)
        self.folder = folder
        self.number = 0
        self.versions: dict[str, int] = {}
        self.told: list[dict[str, Any]] = []
        self._incoming: Queue[dict[str, Any]] = Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self.server = self.ask(
            "initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": capabilities}
        )["result"]
        self.tell("initialized", {})

    # -- the protocol --------------------------------------------------------------------------------------------------

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _listen(self) -> None:
        out = self.process.stdout
        assert out is not None
        while header := out.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                assert name.startswith(b"Content-"), f"not the protocol: {header!r}"
                length = int(value) if name == b"Content-Length" else length
                header = out.readline()
            self._incoming.put(json.loads(out.read(length)))

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any, patience: float = 600) -> dict[str, Any]:
        """Ask, and return the whole answer."""
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        return self._wait(lambda message: message.get("id") == self.number and "method" not in message, patience)

    def _wait(self, wanted: Callable[[dict[str, Any]], bool], patience: float = 600) -> dict[str, Any]:
        for at, message in enumerate(self.told):
            if wanted(message):
                return self.told.pop(at)
        end = time.monotonic() + patience
        while True:
            try:
                message = self._incoming.get(timeout=max(0.01, end - time.monotonic()))
            except Empty:
                raise AssertionError("no answer") from None
            if wanted(message):
                return message
            self.told.append(message)

    # -- what a person does --------------------------------------------------------------------------------------------

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, text: str, name: str = "p.vada") -> list[dict[str, Any]]:
        """Open a program; return what is wrong with it."""
        self.versions[name] = 1
        document = {"uri": self.uri(name), "languageId": "vada", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return self.diagnostics(name)

    def change(self, text: str, name: str = "p.vada") -> None:
        self.versions[name] += 1
        document = {"uri": self.uri(name), "version": self.versions[name]}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def diagnostics(self, name: str = "p.vada") -> list[dict[str, Any]]:
        """Return what is wrong with the version that the editor has."""

        def is_ours(message: dict[str, Any]) -> bool:
            params = message.get("params", {})
            return (
                message.get("method") == "textDocument/publishDiagnostics"
                and params["uri"] == self.uri(name)
                and params.get("version") == self.versions[name]
            )

        return self._wait(is_ours)["params"]["diagnostics"]

    def at(self, line: int, character: int, name: str = "p.vada", **more: Any) -> dict[str, Any]:
        position = {"line": line, "character": character}
        return {"textDocument": {"uri": self.uri(name)}, "position": position, **more}

    def close(self) -> tuple[int, str]:
        """Say goodbye; return the exit code and what was said on the error output."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        assert self.process.stderr is not None
        return self.process.wait(600), self.process.stderr.read().decode()


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    snippets = {"textDocument": {"completion": {"completionItem": {"snippetSupport": True}}}}
    one = Editor(tmp_path, **snippets)
    yield one
    if one.process.poll() is None:
        one.process.kill()
    one.process.wait()
    for stream in (one.process.stdin, one.process.stdout, one.process.stderr):
        if stream is not None:
            stream.close()
