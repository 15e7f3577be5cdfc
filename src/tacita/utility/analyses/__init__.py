"""Losses in the results that users get: models that must still hold, and indicators that must keep their value."""
