"""What tests of releases share: settings of their own, and pages without drawings, which take most of the time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tacita.settings import Settings
from tacita.views.markup import Html


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(state=tmp_path / "state")


@pytest.fixture(scope="module", autouse=True)
def _no_drawings(request: pytest.FixtureRequest) -> Iterator[None]:
    """Drawings are made in one test only, which asks for them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tacita.release.kinds.microdata.external_report.bars", lambda *_, **__: Html())
        patch.setattr("tacita.release.kinds.microdata.internal_report.grouped_bars", lambda *_, **__: Html())
        yield
