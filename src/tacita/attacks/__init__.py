"""Attackers, one per file. None shares code with what it attacks."""
