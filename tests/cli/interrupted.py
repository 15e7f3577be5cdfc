"""A command that is interrupted in the middle of what it does: by an event, so that no clock decides when."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_SCRIPT = """
import contextlib, os, signal, sys
from tacita.cli import output

word, waiting = sys.argv.pop(1), [True]

@contextlib.contextmanager
def progress_shown():
    def report(step):
        if waiting and step.doing.startswith(word):
            waiting.clear()
            os.kill(os.getpid(), signal.SIGINT)
    yield report

output.progress_shown = progress_shown
from tacita.cli import main
main()
"""


def interrupted(folder: Path, word: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command that gets an interrupt when it first reports a step that begins with a word."""
    command = [sys.executable, "-c", _SCRIPT, word, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
