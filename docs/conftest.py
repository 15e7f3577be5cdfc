"""Examples in the documentation run in an empty folder, with a clean home: a reader's files are out of reach."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def empty_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to an empty folder; keep journal and experience apart from those of the user."""
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("folder")
    for name in [name for name in os.environ if name.startswith("TACITA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TACITA_STATE", str(home / "state"))
    monkeypatch.setenv("TACITA_EXPERIENCE", str(home / "experience.toml"))
    monkeypatch.chdir(folder)
    return folder
