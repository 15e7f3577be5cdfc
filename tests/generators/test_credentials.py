"""The register of credentials: invented, with the dependencies that it says it has."""

from __future__ import annotations

import pytest

from tacita.errors import UsageError
from tacita.generators.catalogue import generate
from tacita.generators.credentials import credentials


def test_the_kind_and_the_last_issue_determine_the_expiry_and_nearly_the_status() -> None:
    rows = credentials(seed=3, rows=5_000).table().to_pylist()
    expiry: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        expiry.setdefault((row["CredentialType"], row["LastIssueDate"]), set()).add(row["ExpirationDate"])
    assert all(len(dates) == 1 for dates in expiry.values())
    assert len({row["ExpirationDate"] for row in rows}) > 1_000
    usual = sum((row["Status"] == "ACTIVE") == (row["ExpirationDate"] >= "20190601") for row in rows) / len(rows)
    assert 0.95 < usual < 1
    assert all(row["FirstIssueDate"] <= row["LastIssueDate"] < row["ExpirationDate"] for row in rows)


def test_the_seed_decides() -> None:
    one, again, other = (generate("credentials", seed=seed, rows=200).table() for seed in (1, 1, 2))
    assert one.equals(again) and not one.equals(other)
    assert generate("credentials", seed=0).rows == 45_250
    with pytest.raises(UsageError, match="register of 0"):
        credentials(seed=0, rows=0)
