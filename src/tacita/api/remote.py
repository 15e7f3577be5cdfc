"""Questions to a server: the client of ``tacita serve``, with the methods of a `Database`.

Needs nothing but the standard library and a token:

    >>> import tacita as tc
    >>> tc.connect("http://127.0.0.1:8765", "tct_not-a-token")
    <RemoteServer http://127.0.0.1:8765>

Errors: `QueryRefused` for what nobody may ask; `ServiceError` with a `code` for everything else: ``token`` (it is
missing, unknown, expired or revoked), ``role``, ``database`` (none of this name), ``rate`` (too many requests),
``busy``, ``stopping``, ``storage`` (the server cannot record answers), ``unreachable``, ``reply`` (not one of Tacita).
A question that was refused by the policy is no error: its answer has the status 'refused'.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Mapping
from http.client import HTTPException
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from tacita.errors import QueryRefused, ServiceError, UsageError, did_you_mean, listed, printable, raise_alone
from tacita.queries.answer import AnswerRow, Figure, FigureStatus, QueryAnswer
from tacita.queries.auditing import QueryHistory
from tacita.queries.database import QuotedPrice

_FROM = re.compile(r"\bFROM\s+(?:\"((?:[^\"]|\"\")+)\"|([^\s\",;()]+))", re.IGNORECASE)
_MOST = 64 * 2**20
"""Bytes of a reply."""


def connect(url: str, token: str, database: str | None = None, *, timeout: float = 60.0) -> RemoteServer:
    """Return a server that answers questions; nothing is sent yet.

    `database` is the data set that is asked; by default the one that stands after FROM. A token goes over TLS, or to
    this machine itself: raises `UsageError` for any other address, or for a token that could not be sent.
    """
    return RemoteServer(url, token, database, timeout=timeout)


class RemoteServer:
    """A server, and the token with which it is asked. The token is in no message and no `repr`."""

    def __init__(self, url: str, token: str, database: str | None = None, *, timeout: float = 60.0) -> None:
        parts = urlsplit(url)
        is_here = _is_loopback(parts.hostname or "")
        if parts.scheme not in {"https", "http"} or not parts.hostname or parts.username is not None:
            raise UsageError("this is not the address of a server", do="give one such as https://data.example.org")
        if parts.scheme == "http" and not is_here:
            raise UsageError("the token would be sent in clear", where=url, do="use https")
        if not token.isascii() or not token.isprintable() or not token.strip():
            raise UsageError("this is not a token", do="give the line that 'tacita token make' printed")
        self._url, self._token, self._database, self._timeout = url.rstrip("/"), token.strip(), database, timeout
        self._opener: OpenerDirector = build_opener(_NoRedirect, *([ProxyHandler({})] if is_here else []))

    def __repr__(self) -> str:
        return f"<RemoteServer {self._url}>"

    def databases(self) -> list[str]:
        """Return the names of the data sets that are served."""
        return [str(name) for name in self._get("/v1/databases")["databases"]]

    def description(self, database: str | None = None) -> dict[str, Any]:
        """Return what may be asked of a data set: attributes with labels, measures, statistics, budget."""
        return self._get(self._path(database or self._only(), ""))

    def sql(
        self, question: str, *, epsilon: str | float | None = None, accuracy: str | float | None = None
    ) -> QueryAnswer:
        """Ask; the answer is in the ledger of the server before it is sent."""
        return _answer(self._post(question, "/ask", epsilon, accuracy))

    def price(
        self, question: str, *, epsilon: str | float | None = None, accuracy: str | float | None = None
    ) -> QuotedPrice:
        """Return what a question would cost; nothing is spent."""
        reply = self._post(question, "/price", epsilon, accuracy)
        return QuotedPrice(
            reply["question"],
            tuple(reply["names"]),
            reply["cost"],
            reply["left"],
            tuple(reply["errors"]),
            reply["repeated"],
        )

    def history(self, analyst: str | None = None, last: int = 100, *, database: str | None = None) -> QueryHistory:
        """Return what you asked, oldest first; holder and auditor see what everybody asked."""
        query = {"last": str(last)} | ({} if analyst is None else {"analyst": analyst})
        reply = self._get(self._path(database or self._only(), "/history") + "?" + urlencode(query))
        answers = tuple((one["analyst"], _answer(one)) for one in reply["answers"])
        return QueryHistory(reply["database"], reply["analyst"], answers, reply["left"])

    def audit(self, last: int = 100, *, database: str | None = None) -> dict[str, Any]:
        """Return everything that was asked, with reasons; for the holder and for auditors."""
        return self._get(self._path(database or self._only(), "/audit") + "?" + urlencode({"last": last}))

    def _only(self) -> str:
        if self._database is not None:
            return self._database
        names = self.databases()
        if len(names) != 1:
            raise UsageError(f"the server has {len(names)} data sets", do=f"name one of them: {listed(names)}")
        return names[0]

    def _path(self, database: str, what: str) -> str:
        return f"/v1/databases/{quote(database, safe='')}{what}"

    def _post(
        self, question: str, what: str, epsilon: str | float | None, accuracy: str | float | None
    ) -> dict[str, Any]:
        body = {"sql": question, "epsilon": _text(epsilon), "accuracy": _text(accuracy)}
        return self._send(self._path(self._database or self._asked_of(question), what), json.dumps(body).encode())

    def _asked_of(self, question: str) -> str:
        """Return the data set that a question names; the server reads the question, this only finds its address."""
        named = _FROM.search(question)
        if named is None:
            return self._only()
        name = named[1].replace('""', '"') if named[1] else named[2]
        names = self.databases()
        same = [one for one in names if one.casefold() == name.casefold()]
        if not same:
            do = f"name one of them: {listed(names)}"
            raise QueryRefused(f"the server has no data set of this name{did_you_mean(name, names)}", do=do)
        self._database = same[0] if len(names) == 1 else None
        return same[0]

    def _get(self, path: str) -> dict[str, Any]:
        return self._send(path, None)

    def _send(self, path: str, body: bytes | None) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = Request(self._url + path, data=body, headers=headers)
        try:
            with self._opener.open(request, timeout=self._timeout) as reply:
                return self._read(reply)
        except HTTPError as error:
            with error:
                raise_alone(self._fault(error.code, self._read(error)))
        except (OSError, HTTPException):
            raise_alone(ServiceError("cannot be reached", code="unreachable", where=self._url, do="check the address"))

    def _read(self, reply: IO[bytes]) -> dict[str, Any]:
        text = reply.read(_MOST + 1)
        try:
            fields = json.loads(text) if len(text) <= _MOST else None
        except ValueError:
            fields = None
        if not isinstance(fields, dict):
            do = "check the address: something else answers there"
            raise ServiceError("the reply is not one of Tacita", code="reply", where=self._url, do=do)
        return fields

    def _fault(self, status: int, reply: Mapping[str, Any]) -> ServiceError | QueryRefused:
        fault = reply.get("error")
        fields = fault if isinstance(fault, dict) else {}
        code = str(fields.get("code", "reply"))
        message = printable(str(fields.get("message", f"replied with status {status}")), keep="\n")
        do = printable(str(fields.get("do") or "ask the holder"))
        if code in {"question", "request"}:
            return QueryRefused(message, do=do)
        return ServiceError(message, code=code, where=self._url, do=do)


class _NoRedirect(HTTPRedirectHandler):
    """Follow no redirection: the token would go along."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _answer(fields: Mapping[str, Any]) -> QueryAnswer:
    rows = tuple(
        AnswerRow(tuple(row["group"]), tuple(_figure(figure) for figure in row["figures"])) for row in fields["rows"]
    )
    return QueryAnswer(
        fields["database"],
        fields["number"],
        fields["question"],
        tuple(fields["groups"]),
        tuple(fields["names"]),
        rows,
        fields["guarantee"],
        fields["cost"],
        fields["left"],
        fields["repeated"],
    )


def _figure(fields: Mapping[str, str | None]) -> Figure:
    bounds = (fields["value"], fields["lower"], fields["upper"], fields["error"])
    return Figure(FigureStatus(str(fields["status"])), *bounds)


def _text(amount: str | float | None) -> str | None:
    return None if amount is None else str(amount)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
