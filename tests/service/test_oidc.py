"""Tokens of an issuer: who gets in under which name, and everything that somebody hostile may send."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from tests.service.issuer import SECRET, SETTINGS, Issuer, Signer, encoded, hmac_token, issuing, rsa_key
from tests.service.serving import BY_AREA, RunningService, running

from tacita.errors import InputError, MissingExtra, TacitaError, UsageError
from tacita.service.application import opened_issuer
from tacita.service.faults import RequestRefused
from tacita.service.oidc.fetching import strict_json
from tacita.service.oidc.provider import OidcProvider
from tacita.service.oidc.settings_file import OidcSettings, read_oidc_settings
from tacita.service.options import ServeOptions
from tacita.service.serving import check
from tacita.service.state import ServiceState
from tacita.service.tokens import AccessToken, ServiceRole


def settings_of(folder: Path, issuer: Issuer, more: str = "") -> Path:
    """Write the settings of an issuer, with the secret of the client beside them."""
    folder.mkdir(exist_ok=True)
    (folder / "client.secret").write_text(SECRET + "\n")
    (folder / "client.secret").chmod(0o600)
    (folder / "oidc.toml").write_text(SETTINGS.format(issuer=issuer.url, more=more))
    return folder / "oidc.toml"


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with issuing() as issuer:
        yield issuer


@pytest.fixture(scope="module")
def site(issuer: Issuer, firms_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    home = tmp_path_factory.mktemp("oidc")
    options = ServeOptions(
        folders=(firms_folder,), port=0, state=home / "state", rate=1e5, burst=10**5, oidc=settings_of(home, issuer)
    )
    with running(options) as service:
        yield service


def provider_of(tmp_path: Path, issuer: Issuer, more: str = "", **how: Any) -> OidcProvider:
    return OidcProvider(read_oidc_settings(settings_of(tmp_path, issuer, more)), **how)


def taken(provider: OidcProvider, token: str) -> AccessToken | str:
    """Return whose token it is, or the code of the fault."""
    try:
        return asyncio.run(provider.owner_of_program(token))
    except RequestRefused as refused:
        return refused.fault.code


def name_of(provider: OidcProvider, token: str) -> str:
    owner = taken(provider, token)
    return owner if isinstance(owner, str) else owner.name


# -- who gets in


def test_a_program_asks_with_a_token_of_the_issuer(site: RunningService, issuer: Issuer) -> None:
    reply = site.ask(BY_AREA, issuer.token())
    assert reply.status == 200 and reply.json["status"] == "answered"
    own = site.send("GET", "/v1/databases", issuer.token()).json
    assert (own["name"], own["role"]) == ("oidc:248289761001", "analyst")
    assert site.send("GET", "/v1/databases/firms/audit", issuer.token()).code == "role"
    assert site.send("GET", "/v1/databases", site.token()).status == 200  # tokens of ours go on to count
    history = site.core.databases["firms"].database.history("oidc:248289761001")
    assert len(history.answers) == 1


@pytest.mark.parametrize(
    ("groups", "role"),
    [
        (["owners", "staff"], "holder"),
        (["auditors", "staff"], "auditor"),
        ("guests", "analyst"),
        (["Staff"], None),
        ([], None),
        ({"staff": True}, None),
        ([["staff"]], None),
        (None, None),
        ("staff guests", None),
    ],
)
def test_a_group_gives_a_role_and_nobody_else_gets_in(
    site: RunningService, issuer: Issuer, groups: Any, role: str | None
) -> None:
    reply = site.send("GET", "/v1/databases", issuer.token(realm={"roles": groups}))
    assert (reply.status, reply.json.get("role")) == ((200, role) if role else (403, None))
    assert role or reply.code == "role"


def test_signatures_of_all_three_kinds_are_taken(tmp_path: Path, issuer: Issuer) -> None:
    signers = [
        Signer(rsa_key(), "first"),
        Signer(ec.generate_private_key(ec.SECP256R1()), "e"),
        Signer(ed25519.Ed25519PrivateKey.generate(), "d", alg="EdDSA", use="sig"),
    ]
    issuer.keys = [one.public for one in signers]
    provider = provider_of(tmp_path, issuer)
    assert [name_of(provider, one.token(issuer.claims())) for one in signers] == ["oidc:248289761001"] * 3
    assert name_of(provider, signers[2].token(issuer.claims(), alg="Ed25519")) == "oidc:248289761001"  # RFC 9864
    assert name_of(provider, signers[1].token(issuer.claims(), kid=None)) == "oidc:248289761001"  # the only one
    fewer = provider_of(tmp_path, issuer, 'algorithms = ["ES256"]')
    assert [name_of(fewer, one.token(issuer.claims())) for one in signers] == ["token", "oidc:248289761001", "token"]
    issuer.keys = [issuer.signer.public]


# -- hostile tokens

Make = Callable[[Issuer], str]


def changed(issuer: Issuer, at: int, part: str) -> str:
    parts = issuer.token().split(".")
    parts[at] = part
    return ".".join(parts)


def with_header(issuer: Issuer, header: str) -> str:
    text = f"{encoded(header)}.{encoded(issuer.claims())}"
    return f"{text}.{encoded(issuer.signer.sign(text.encode()))}"


def as_shared_key(issuer: Issuer) -> bytes:
    """The public key as anybody can write it: the key of those who confuse kinds of signatures."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return bytes(issuer.signer.key.public_key().public_bytes(serialization.Encoding.PEM, form))


def own_key(issuer: Issuer) -> str:
    thief = Signer(rsa_key(1), "first")
    return thief.token(issuer.claims(), jwk=thief.public, jku=f"{issuer.url}/jwks_uri", x5u="http://evil.example")


def at(issuer: Issuer, **seconds: float) -> str:
    now = time.time()
    return issuer.token(**{name: now + value for name, value in seconds.items()})


HOSTILE: dict[str, Make] = {
    "of no signature": lambda i: f"{encoded({'alg': 'none'})}.{encoded(i.claims())}.",
    "none with a signature": lambda i: i.signer.token(i.claims(), alg="none"),
    "None in other letters": lambda i: i.signer.token(i.claims(), alg="nOnE"),
    "the public key as a shared one": lambda i: hmac_token(i.claims(), as_shared_key(i), kid="first"),
    "an empty shared key": lambda i: hmac_token(i.claims(), b"", kid="first"),
    "another algorithm of the same key": lambda i: i.signer.token(i.claims(), alg="PS256"),
    "an algorithm of another kind of key": lambda i: i.signer.token(i.claims(), alg="ES256"),
    "no algorithm": lambda i: i.signer.token(i.claims(), alg=None),
    "an algorithm that is a list": lambda i: i.signer.token(i.claims(), alg=["RS256"]),
    "the key of somebody else": own_key,
    "a key that nobody has": lambda i: i.signer.token(i.claims(), kid="other"),
    "a key id that is a path": lambda i: i.signer.token(i.claims(), kid="../../../dev/null"),
    "a key id that is a number": lambda i: i.signer.token(i.claims(), kid=1),
    "something that must be understood": lambda i: i.signer.token(i.claims(), crit=["exp"]),
    "a payload that is not encoded": lambda i: i.signer.token(i.claims(), b64=False, crit=["b64"]),
    "another issuer": lambda i: i.token(iss="https://evil.example"),
    "an issuer with a slash": lambda i: i.token(iss=i.url + "/"),
    "no issuer": lambda i: i.token(iss=None),
    "issuers in a list": lambda i: i.token(iss=[i.url]),
    "another audience": lambda i: i.token(aud="other"),
    "no audience": lambda i: i.token(aud=None),
    "an audience that begins alike": lambda i: i.token(aud="tacita2"),
    "audiences that are not texts": lambda i: i.token(aud=["tacita", 1]),
    "an audience in a table": lambda i: i.token(aud={"tacita": 1}),
    "no subject": lambda i: i.token(sub=None),
    "a subject that is a number": lambda i: i.token(sub=248289761001),
    "an empty subject": lambda i: i.token(sub=""),
    "no end": lambda i: i.token(exp=None),
    "an end that is a text": lambda i: i.token(exp=str(int(time.time()) + 99)),
    "an end that is true": lambda i: i.token(exp=True),
    "an end that is not a number": lambda i: i.signer.token(
        json.dumps(i.claims(exp=0)).replace('"exp": 0', '"exp": NaN')
    ),
    "an end that never comes": lambda i: i.signer.token(
        json.dumps(i.claims(exp=0)).replace('"exp": 0', '"exp": 1e999')
    ),
    "an end in a million years": lambda i: at(i, exp=1e13),
    "an end that has come": lambda i: at(i, exp=-31),
    "a beginning that has not": lambda i: at(i, nbf=60),
    "made in the future": lambda i: at(i, iat=60),
    "an ID token": lambda i: i.token(nonce="n"),
    "an ID token by its hash": lambda i: i.token(at_hash="h"),
    "an ID token of Keycloak": lambda i: i.token(typ="ID"),
    "a logout token": lambda i: i.signer.token(i.claims(), typ="logout+jwt"),
    "a subject said twice": lambda i: i.signer.token('{"sub": "1", ' + json.dumps(i.claims())[1:]),
    "a role said twice": lambda i: i.signer.token(
        json.dumps(i.claims()).replace('"roles": ["staff"]', '"roles": ["staff"], "roles": ["owners"]')
    ),
    "a list": lambda i: i.signer.token(json.dumps([i.claims()])),
    "not JSON": lambda i: i.signer.token("sub"),
    "not UTF-8": lambda i: changed(i, 1, base64.urlsafe_b64encode(b'{"sub": "\xff"}').decode().rstrip("=")),
    "nested too deep": lambda i: i.signer.token("[" * 3000 + "]" * 3000),
    "too long": lambda i: i.token(more="x" * 7000),
    "another payload": lambda i: changed(i, 1, encoded(i.claims(sub="1"))),
    "no payload": lambda i: changed(i, 1, ""),
    "a cut signature": lambda i: i.token()[:-8],
    "a signature with more": lambda i: i.token() + "AAAA",
    "a signature in padding": lambda i: i.token() + "==",
    "four parts": lambda i: i.token() + ".e30",
    "five parts, as if encrypted": lambda i: ".".join([encoded({"alg": "RSA-OAEP", "enc": "A128GCM"}), *["AA"] * 4]),
    "two parts": lambda i: i.token().rpartition(".")[0],
    "a line break": lambda i: i.token().replace(".", ".\t", 1),
    "an algorithm said twice": lambda i: with_header(i, '{"kid":"first","alg":"none","alg":"RS256"}'),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_token_opens_nothing(site: RunningService, issuer: Issuer, what: str) -> None:
    reply = site.send("GET", "/v1/databases", HOSTILE[what](issuer))
    missing = site.send("GET", "/v1/databases")
    # A header with a tab is HTTP, one of more than 16 kB is not: all others look as if there were no token.
    assert (reply.status, reply.text) == (401, missing.text)


def test_a_clock_that_differs_a_little_is_borne(site: RunningService, issuer: Issuer) -> None:
    for token in (at(issuer, exp=-20), at(issuer, nbf=20), at(issuer, iat=20)):
        assert site.send("GET", "/v1/databases", token).status == 200


def test_a_clock_that_jumps_ends_tokens_both_ways(tmp_path: Path, issuer: Issuer) -> None:
    now = [time.time()]
    provider = provider_of(tmp_path, issuer, clock=lambda: now[0])
    token = issuer.token()
    for jump, opens in ((0, True), (1e6, False), (-1e6, False), (0, True)):
        now[0] = time.time() + jump
        assert (name_of(provider, token) == "oidc:248289761001") is opens, jump


def test_only_programs_that_are_named_bring_tokens(tmp_path: Path, issuer: Issuer) -> None:
    provider = provider_of(tmp_path, issuer, 'clients = ["notebook"]')
    assert name_of(provider, issuer.token(azp="notebook")) == "oidc:248289761001"
    assert name_of(provider, issuer.token(client_id="notebook")) == "oidc:248289761001"
    for wrong in ({"azp": "other"}, {}, {"azp": ["notebook"]}, {"azp": "other", "client_id": "notebook"}):
        assert name_of(provider, issuer.token(**wrong)) == "token"


@pytest.mark.parametrize(
    "key",
    [
        {"kty": "oct", "k": encoded(b"x" * 32), "kid": "x"},
        Signer(rsa_key(2, 1024), "x").public,
        Signer(rsa_key(), "x", use="enc").public,
        Signer(rsa_key(), "x", alg="PS256").public,
        Signer(rsa_key(), "x", alg=["RS256"]).public,
        Signer(rsa_key(), "x", d="AQAB").public,
        Signer(rsa_key(), 7).public,  # type: ignore[arg-type]
        {"kty": "EC", "crv": "P-256", "x": encoded(b"\1" * 32), "y": encoded(b"\1" * 32), "kid": "x"},
        {"kty": ["RSA"]},
        "key",
    ],
    ids=range(10),
)
def test_a_key_that_cannot_verify_is_left_out(tmp_path: Path, issuer: Issuer, key: Any) -> None:
    issuer.keys = [key]
    try:
        with pytest.raises(InputError, match="does not reply"):
            provider_of(tmp_path, issuer)
    finally:
        issuer.keys = [issuer.signer.public]


# -- names


@pytest.mark.parametrize(
    ("claim", "values", "name"),
    [
        ("sub", {"sub": "Ab"}, "oidc:Ab"),
        ("sub", {"sub": "ab"}, "oidc:ab"),  # another person: subjects are compared letter by letter
        ("sub", {"sub": "ann "}, "name"),
        ("sub", {"sub": "änn"}, "name"),
        ("sub", {"sub": "a\u200bnn"}, "name"),
        ("sub", {"sub": "a\nnn"}, "name"),
        ("sub", {"sub": "x" * 96}, "name"),
        ("email", {"email": "ann@bank.example", "email_verified": True}, "oidc:ann@bank.example"),
        ("email", {"email": "Ann@Bank.Example", "email_verified": True}, "oidc:ann@bank.example"),
        ("email", {"email": "ann@bank.example", "email_verified": "true"}, "name"),
        ("email", {"email": "ann@bank.example"}, "name"),
        ("login", {"login": "Änn"}, "oidc:änn"),
        ("login", {"login": "A\u0308nn"}, "name"),  # the same letters, spelt otherwise
        ("login", {"login": "\uff41nn"}, "name"),
        ("login", {"login": "stra\u00dfe"}, "name"),  # would be another spelling of 'strasse'
        ("login", {"login": ["ann"]}, "name"),
        ("login", {}, "name"),
    ],
)
def test_one_person_has_one_name(tmp_path: Path, issuer: Issuer, claim: str, values: dict[str, Any], name: str) -> None:
    provider = provider_of(tmp_path, issuer, f'name = "{claim}"')
    assert name_of(provider, issuer.token(**values)) == name


def test_a_token_and_an_account_share_a_budget_only_if_the_holder_says_so(
    tmp_path: Path, issuer: Issuer, firms_folder: Path
) -> None:
    path = settings_of(tmp_path, issuer)
    path.write_text(path.read_text() + '[names]\n"248289761001" = "ann"\n')
    assert name_of(OidcProvider(read_oidc_settings(path)), issuer.token()) == "ann"
    with ServiceState(tmp_path / "state") as state:
        for name in ("oidc:ann", "OIDC:ann", "\uff4fidc:ann"):
            with pytest.raises(UsageError, match="those of an issuer"):
                state.make_token(name, ServiceRole.ANALYST, None)
        state._tokens.execute(  # as an earlier version made them
            "INSERT INTO tokens (id, name, role, created, digest) VALUES ('a', 'oidc:x', 'analyst', 0, x'00')"
        )
    options = ServeOptions(folders=(firms_folder,), port=0, state=tmp_path / "state", oidc=path)
    with pytest.raises(UsageError, match="begins with 'oidc:'"):
        check(options)
    with ServiceState(tmp_path / "state") as state:
        state.revoke("a")
    assert check(options) == ["firms"]


# -- keys of the issuer


def test_new_keys_are_fetched_once_a_minute_whoever_sends_what(tmp_path: Path, issuer: Issuer) -> None:
    ticks = [0.0]
    provider = provider_of(tmp_path, issuer, ticks=lambda: ticks[0])
    before = len(issuer.asked)
    second = Signer(rsa_key(3), "second")
    issuer.keys = [issuer.signer.public, second.public]
    unknown = second.token(issuer.claims(), kid="unknown")
    assert name_of(provider, second.token(issuer.claims())) == "token"  # the start was just now
    ticks[0] = 61
    assert name_of(provider, second.token(issuer.claims())) == "oidc:248289761001"
    assert [name_of(provider, unknown) for _ in range(20)] == ["token"] * 20
    assert len(issuer.asked) == before + 1
    ticks[0] = 122
    assert [name_of(provider, unknown) for _ in range(20)] == ["token"] * 20
    assert len(issuer.asked) == before + 2
    issuer.keys = [issuer.signer.public]
    ticks[0] = 122 + 3601  # the issuer withdrew it an hour ago
    assert name_of(provider, second.token(issuer.claims())) == "token"
    assert name_of(provider, issuer.token()) == "oidc:248289761001"


def test_a_silent_issuer_is_borne_for_a_day(tmp_path: Path, issuer: Issuer) -> None:
    ticks = [0.0]
    provider = provider_of(tmp_path, issuer, ticks=lambda: ticks[0])
    issuer.is_silent = True
    try:
        ticks[0] = 80_000
        assert name_of(provider, issuer.token()) == "oidc:248289761001"
        ticks[0] = 90_000
        assert name_of(provider, issuer.token()) == "issuer"
        with pytest.raises(InputError, match="does not reply"):
            provider_of(tmp_path, issuer)
    finally:
        issuer.is_silent = False
    assert name_of(provider, issuer.token()) == "issuer"  # until the next minute
    ticks[0] = 90_061
    assert name_of(provider, issuer.token()) == "oidc:248289761001"


def test_an_issuer_that_names_another_one_is_refused(
    tmp_path: Path, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"issuer": issuer.url, "jwks_uri": f"{issuer.url}/jwks_uri"}
    pages = dict.fromkeys(("authorization_endpoint", "token_endpoint"), f"{issuer.url}/x")
    for wrong in (
        {**said, **pages, "issuer": "https://other.example"},
        {**said, **pages, "jwks_uri": "http://keys.example/"},
        {**said, **pages, "token_endpoint": "http://10.0.0.1/token"},
        {**said, "authorization_endpoint": 1},
    ):
        monkeypatch.setattr("tacita.service.oidc.provider.get_json", lambda _, wrong=wrong: wrong)
        with pytest.raises(InputError, match="does not reply"):
            provider_of(tmp_path, issuer)


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "[]", "{", '{"a": NaN}', "[" * 100_000, b"\xff"])
def test_json_is_read_strictly(text: str | bytes) -> None:
    with pytest.raises((ValueError, RecursionError)):
        strict_json(text)


# -- settings


def faults_of(tmp_path: Path, issuer: Issuer, old: str, new: str) -> str:
    path = settings_of(tmp_path, issuer)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(TacitaError) as caught:
        read_oidc_settings(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('issuer = "http://127.0.0.1', 'issuer = "http://id.example', "over https"),
        ("[roles]", "[rules]", "unknown key 'rules'"),
        ('audience = "tacita"\nclient_id = "pages"\nclient_secret_file = "client.secret"', "", "is needed"),
        ('audience = "tacita"', 'algorithms = ["HS256"]', "RS256, ES256, EdDSA"),
        ('audience = "tacita"', 'algorithms = ["none"]', "RS256, ES256, EdDSA"),
        ('audience = "tacita"', "leeway = 3600", "at most 300"),
        ('audience = "tacita"', "session_hours = 100", "at most 24"),
        ('"staff", "guests"', '"staff", "owners"', "two roles"),
        ('claim = ["realm", "roles"]', "", "must name the claim"),
        ('"client.secret"', '"nothing"', "no file"),
        ('client_id = "pages"', "", "of no use"),
        ('auditor = "auditors"', '[names]\nx = "oidc:y"', "cannot be used"),
        ('audience = "tacita"', 'client_secret = "s3cr3t"', "unknown key 'client_secret'"),
    ],
)
def test_faults_of_settings_are_said(tmp_path: Path, issuer: Issuer, old: str, new: str, words: str) -> None:
    assert words in faults_of(tmp_path, issuer, old, new)


def test_the_extra_that_is_needed_is_named(tmp_path: Path, issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "joserfc", None)
    for module in ("provider", "verification"):
        monkeypatch.delitem(sys.modules, f"tacita.service.oidc.{module}")
    with pytest.raises(MissingExtra, match="joserfc") as caught:
        opened_issuer(ServeOptions(oidc=settings_of(tmp_path, issuer)))
    assert caught.value.do == "pip install 'tacita[oidc]'"


def test_the_secret_of_the_client_is_private_and_shown_nowhere(tmp_path: Path, issuer: Issuer) -> None:
    path = settings_of(tmp_path, issuer)
    settings = read_oidc_settings(path)
    assert settings.client_secret == SECRET and SECRET not in repr(settings)
    assert SECRET not in repr(OidcProvider(settings))
    assert isinstance(settings, OidcSettings)
    (tmp_path / "client.secret").chmod(0o644)
    with pytest.raises(InputError, match="open to other users"):
        read_oidc_settings(path)


def test_nothing_of_a_token_is_in_the_log(
    site: RunningService, issuer: Issuer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("tacita.service"), "propagate", True)
    good, bad = issuer.token(), own_key(issuer)
    with caplog.at_level(logging.DEBUG):
        site.ask(BY_AREA, good)
        site.ask(BY_AREA, bad)
        site.send("GET", "/login/oidc/callback?code=c0de-4711&state=st4te-4711")
    written = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("tacita"))
    assert written
    for text in (*good.split("."), *bad.split("."), "248289761001", "c0de-4711", "st4te-4711", SECRET):
        assert text not in written
