"""Attackers who link released records to people, by distance and by probability."""
