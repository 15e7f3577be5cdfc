"""A master key and the keys of three persons."""

from __future__ import annotations

import hashlib

import pytest

from tacita.concealment.keys import KeyStore, MasterKey


def key_of(word: str) -> bytes:
    """Return 64 bytes that look random, the same in every run."""
    return hashlib.sha512(word.encode()).digest()


@pytest.fixture(scope="session")
def master() -> MasterKey:
    return MasterKey(key_of("master"))


@pytest.fixture(scope="session")
def other_master() -> MasterKey:
    return MasterKey(key_of("other master"))


@pytest.fixture(scope="session")
def store(master: MasterKey) -> KeyStore:
    return KeyStore.create(["ann", "bob", "cyd"], master, "survey")
