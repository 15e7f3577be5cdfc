"""The command line: one file per command, light to import; the work is imported when a command runs."""

from __future__ import annotations


def main() -> None:
    """Run the command line; who interrupts it while it is being loaded gets no traceback either."""
    import sys

    try:
        from tacita.cli.main import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


__all__ = ["main"]
