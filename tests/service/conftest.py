"""A service for the tests of a module: what is asked in one test counts in the next."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.service.serving import EXACT, RunningService, opened, running

from tacita.service.options import ServeOptions


@pytest.fixture(scope="module")
def firms_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The 20 firms of figure 1, opened for questions that are answered exactly."""
    return opened(tmp_path_factory.mktemp("opened") / "firms", EXACT)


@pytest.fixture(scope="module")
def service(firms_folder: Path) -> Iterator[RunningService]:
    """A service with one data set, ``firms``, and no limits that tests meet by the way."""
    options = ServeOptions(
        folders=(firms_folder,), port=0, state=firms_folder.parent / "state", rate=1e5, burst=100_000
    )
    with running(options) as service:
        yield service
