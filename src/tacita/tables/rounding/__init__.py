"""Rounding: controlled (with the sums kept), of small counts only, random."""
