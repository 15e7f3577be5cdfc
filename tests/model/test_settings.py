import dataclasses
from pathlib import Path

import pytest

from tacita.errors import UsageError
from tacita.options import options_of
from tacita.settings import Settings


def test_settings_come_from_the_environment_and_arguments_win():
    environment = {"TACITA_MEMORY": "1500MB", "TACITA_THREADS": "3", "TACITA_SPILL": "/mnt/fast", "HOME": "/root"}
    settings = Settings.from_environment(environment, threads=2, memory=None)
    assert (settings.memory, settings.threads, settings.spill) == ("1500MB", 2, Path("/mnt/fast"))


def test_an_empty_variable_is_no_setting():
    assert Settings.from_environment({"TACITA_MEMORY": ""}) == Settings()


def test_a_path_may_begin_with_a_tilde():
    assert Settings.from_environment({"TACITA_EXPERIENCE": "~/e.toml"}).experience == Path.home() / "e.toml"


def test_a_misspelt_variable_names_the_nearest_one():
    with pytest.raises(UsageError) as fault:
        Settings.from_environment({"TACITA_THREAD": "3"})
    assert str(fault.value).startswith(
        "unknown environment variable TACITA_THREAD; did you mean 'TACITA_THREADS'?\n"
        "  what to do: unset it, or use one of TACITA_MEMORY, "
    )


@pytest.mark.parametrize("text", ["many", "-1", "1.5", "²"])
def test_threads_are_a_whole_number(text):
    with pytest.raises(UsageError) as fault:
        Settings.from_environment({"TACITA_THREADS": text})
    assert str(fault.value) == f"TACITA_THREADS is '{text}'\n  what to do: give a whole number"


def test_no_threads_are_too_few():
    with pytest.raises(UsageError) as fault:
        Settings(threads=0)
    assert str(fault.value).startswith("settings: threads is 0\n  what to do: give 1 to ")


@pytest.mark.parametrize("memory", ["1500MB", "4GB", "4 GiB", "0.5tb", "50%"])
def test_memory_is_an_amount(memory):
    assert Settings(memory=memory).memory == memory


@pytest.mark.parametrize("memory", ["", "lots", "4", "GB", "4GB; DROP"])
def test_anything_else_is_no_memory(memory):
    with pytest.raises(UsageError) as fault:
        Settings(memory=memory)
    assert str(fault.value) == (f"settings: memory is '{memory}'\n  what to do: write it like 1500MB, 4GB or 50%")


def test_a_change_is_a_new_value():
    settings = Settings(threads=1)
    assert settings.with_(threads=2).threads == 2
    assert settings.threads == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.threads = 2


def test_every_setting_says_what_it_is():
    described = options_of(Settings)
    assert all(described[field.name].meaning for field in dataclasses.fields(Settings))
