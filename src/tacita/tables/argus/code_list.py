"""Labels of codes as tau-Argus has them (.cdl): a code and its label on each line."""

from __future__ import annotations

from pathlib import Path

from tacita.errors import InputError
from tacita.model.hierarchy.text_file import read_text


def read_code_list(path: Path) -> dict[str, str]:
    """Return the labels of a file; quotation marks and blanks around both do not count."""
    return parse_code_list(read_text(path, InputError, "a list of codes with labels (.cdl)"))


def parse_code_list(text: str) -> dict[str, str]:
    r"""Return the labels of a text.

    >>> parse_code_list(' 1,Groningen\n"2","Friesland, west"\n')
    {'1': 'Groningen', '2': 'Friesland, west'}
    """
    labels = {}
    for line in text.splitlines():
        code, found, label = line.partition("," if "," in line else ";")
        if found:
            labels[code.strip().strip('"').strip()] = label.strip().strip('"').strip()
    return labels
