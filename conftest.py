"""Every test and every example runs with a clean home: a user's journal and experience are out of reach."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

# The same examples in every run, so that a change is judged by itself; TACITA_FUZZ=1 looks for new ones.
# No example has a deadline, and none is too slow: a busy machine is no fault.
_patient = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("same", derandomize=True, **_patient)
settings.register_profile("fuzz", print_blob=True, **_patient)
settings.load_profile("fuzz" if os.environ.get("TACITA_FUZZ") else "same")

_numbers = itertools.count()

# Releases and ledgers force each file to the disk. Tests write to memory, where there is room, and wait for no disk.
_MEMORY, _ROOM = Path("/dev/shm"), 4 * 2**30
if os.access(_MEMORY, os.W_OK | os.X_OK) and shutil.disk_usage(_MEMORY).free > _ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))

# A job in the background hands down that interrupts are ignored; tests that interrupt need them to arrive.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With TACITA_LONG=1 run the tests on random examples alone, each with at least a hundred of them."""
    if not os.environ.get("TACITA_LONG"):
        return
    drawn = {item.obj for item in items if is_hypothesis_test(getattr(item, "obj", None))}  # type: ignore[attr-defined]
    kept = [item for item in items if getattr(item, "obj", None) in drawn or item.get_closest_marker("long")]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept
    for test in drawn:
        asked = test._hypothesis_internal_use_settings
        test._hypothesis_internal_use_settings = settings(asked, max_examples=max(100, asked.max_examples))


def pytest_collection_finish() -> None:
    """Spare the collector what lives until the end: every module, and thousands of tests."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def clean_home_of_fixtures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what fixtures of modules and sessions do apart from a user, and from earlier runs at the same path."""
    home = tmp_path_factory.getbasetemp() / "homes" / "fixtures"
    with pytest.MonkeyPatch.context() as patch:
        _move_home(home, patch)
        yield


@pytest.fixture(autouse=True)
def clean_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep journals and experience of tests apart from those of a user, and of each other."""
    # The factory would look through all homes before it numbers the next one: too long for thousands of tests.
    home = tmp_path_factory.getbasetemp() / "homes" / str(next(_numbers))
    _move_home(home, monkeypatch)
    return home


def _move_home(home: Path, patch: pytest.MonkeyPatch) -> None:
    home.mkdir(parents=True)
    for name in [name for name in os.environ if name.startswith("TACITA_") and name != "TACITA_SHARED"]:
        patch.delenv(name)
    patch.setenv("TACITA_STATE", str(home / "state"))
    patch.setenv("TACITA_EXPERIENCE", str(home / "experience.toml"))
