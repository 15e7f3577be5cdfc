"""Protecting the tables of a specification: cases, ways to protect, verdicts of attackers, and what comes of it.

A way (`ways/`) runs a method of its neighbours (`suppression/`, `rounding/` ...) and hands the result to an attacker.
"""
