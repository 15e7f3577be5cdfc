"""The command line: one file per command, light to import; the work is imported when a command runs."""

from tacita.cli.main import main

__all__ = ["main"]
