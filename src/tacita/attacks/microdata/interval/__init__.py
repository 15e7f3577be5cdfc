"""Attackers who take a released number for the original, and are content to come near it."""
