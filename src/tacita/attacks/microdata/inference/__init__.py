"""Attackers who learn values of people, or that people are in a file, without linking records."""
