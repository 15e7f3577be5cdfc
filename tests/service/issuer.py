"""A small issuer of tokens on this machine, and the tokens that it, or somebody hostile, makes.

It signs with the primitives of cryptography alone: the library that checks signatures has no part in it.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import html
import json
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

SETTINGS = """
issuer = "{issuer}"
audience = "tacita"
client_id = "pages"
client_secret_file = "client.secret"
{more}
[roles]
claim = ["realm", "roles"]
holder = "owners"
analyst = ["staff", "guests"]
auditor = "auditors"
"""
SECRET = "s3cr3t of: the client"


def encoded(content: bytes | dict[str, Any] | str) -> str:
    """Return a part of a token."""
    if isinstance(content, dict):
        content = json.dumps(content)
    content = content.encode() if isinstance(content, str) else content
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def number(value: int, length: int | None = None) -> str:
    return encoded(value.to_bytes(length or (value.bit_length() + 7) // 8, "big"))


@cache
def rsa_key(number: int = 0, bits: int = 2048) -> rsa.RSAPrivateKey:
    """Return a key; each number has one."""
    return rsa.generate_private_key(65537, bits)


class Signer:
    """A key with its id, and what it does."""

    def __init__(self, key: Any, id: str | None, **fields: Any) -> None:
        self.key, self.id, self.fields = key, id, fields

    @property
    def algorithm(self) -> str:
        kinds = {rsa.RSAPrivateKey: "RS256", ec.EllipticCurvePrivateKey: "ES256", ed25519.Ed25519PrivateKey: "EdDSA"}
        return next(name for kind, name in kinds.items() if isinstance(self.key, kind))

    def sign(self, text: bytes) -> bytes:
        if self.algorithm == "RS256":
            return bytes(self.key.sign(text, padding.PKCS1v15(), hashes.SHA256()))
        if self.algorithm == "EdDSA":
            return bytes(self.key.sign(text))
        r, s = decode_dss_signature(self.key.sign(text, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    @property
    def public(self) -> dict[str, Any]:
        """The key as a JWK."""
        public = self.key.public_key()
        fields: dict[str, Any] = {} if self.id is None else {"kid": self.id}
        if self.algorithm == "RS256":
            numbers = public.public_numbers()
            fields |= {"kty": "RSA", "n": number(numbers.n), "e": number(numbers.e)}
        elif self.algorithm == "EdDSA":
            fields |= {"kty": "OKP", "crv": "Ed25519", "x": encoded(public.public_bytes_raw())}
        else:
            at = public.public_numbers()
            fields |= {"kty": "EC", "crv": "P-256", "x": number(at.x, 32), "y": number(at.y, 32)}
        return {**fields, **self.fields}

    def token(self, claims: dict[str, Any] | str, **header: Any) -> str:
        """Return a signed token."""
        fields = {"alg": self.algorithm, "kid": self.id, "typ": "JWT", **header}
        text = encoded({k: v for k, v in fields.items() if v is not None}) + "." + encoded(claims)
        return f"{text}.{encoded(self.sign(text.encode()))}"


def hmac_token(claims: dict[str, Any], key: bytes, **header: Any) -> str:
    """Return a token that is signed with a shared key."""
    text = encoded({"alg": "HS256", "typ": "JWT", **header}) + "." + encoded(claims)
    return f"{text}.{encoded(hmac.digest(key, text.encode(), 'sha256'))}"


@dataclass
class Issuer:
    """The issuer: keys, people, and what it was asked."""

    port: int
    signer: Signer
    keys: list[dict[str, Any]] = field(default_factory=list)
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "248289761001", "realm": {"roles": ["staff"]}})
    id_token: dict[str, Any] = field(default_factory=dict)
    """Claims that the next ID tokens have instead."""
    is_silent: bool = False
    has_page: bool = False
    """Whether it shows a page before it sends a browser back, as issuers do that ask for a password."""
    asked: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/realm"

    def claims(self, **more: Any) -> dict[str, Any]:
        """Return the claims of an access token; those that are None are left out."""
        now = int(time.time())
        times = {"iat": now, "nbf": now, "exp": now + 300}
        claims = {"iss": self.url, "aud": "tacita", **times, **self.person, **more}
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, **more: Any) -> str:
        return self.signer.token(self.claims(**more))

    def get(self, path: str) -> tuple[int, dict[str, Any] | str]:
        parts = urlsplit(path)
        self.asked.append(parts.path)
        if self.is_silent:
            return 503, {}
        if parts.path == "/realm/.well-known/openid-configuration":
            pages = {name: f"{self.url}/{name}" for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
            return 200, {"issuer": self.url, **pages}
        if parts.path == "/realm/jwks_uri":
            return 200, {"keys": self.keys}
        if parts.path == "/realm/authorization_endpoint":
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            code = secrets.token_urlsafe(16)
            self.codes[code] = query
            return 303, f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state'], 'iss': self.url})}"
        return 404, {}

    def exchange(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Take a code for tokens, once, from the client that has the secret and the verifier."""
        expected = base64.b64encode(b"pages:" + SECRET.replace(" ", "%20").replace(":", "%3A").encode()).decode()
        query = self.codes.pop(form.get("code", ""), None)
        digest = encoded(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if authorization != f"Basic {expected}" or query is None:
            return 401, {"error": "invalid_client"}
        if digest != query["code_challenge"] or form.get("redirect_uri") != query["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        claims = self.claims(**{"aud": "pages", "nonce": query["nonce"], **self.id_token})
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": self.signer.token(claims)}


@contextlib.contextmanager
def issuing() -> Iterator[Issuer]:
    """Run an issuer."""
    signer = Signer(rsa_key(), "first")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, said = issuer.get(self.path)
            if isinstance(said, str) and issuer.has_page:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(f'<a href="{html.escape(said)}">It is me</a>'.encode())
                return
            self.send_response(status)
            if isinstance(said, str):
                self.send_header("Location", said)
            self.end_headers()
            self.wfile.write(b"" if isinstance(said, str) else json.dumps(said).encode())

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            form = {name: values[0] for name, values in parse_qs(self.rfile.read(length).decode()).items()}
            status, said = issuer.exchange(form, self.headers.get("Authorization", ""))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(said).encode())

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        issuer = Issuer(server.server_address[1], signer, [signer.public])
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield issuer
        server.shutdown()
        thread.join()
