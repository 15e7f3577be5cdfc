"""Continuous quasi-identifiers: nobody has equal values there, so nearness counts."""
