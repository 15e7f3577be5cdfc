"""Patterns of large tables: a guide, detours in neighbourhoods, and coarse movements when time is up."""
