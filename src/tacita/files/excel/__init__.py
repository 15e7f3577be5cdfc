"""Workbooks: read with fastexcel (Excel old and new, binary, OpenDocument), written with xlsxwriter."""

from tacita.files.excel.reading import read
from tacita.files.excel.writing import write

__all__ = ["read", "write"]
