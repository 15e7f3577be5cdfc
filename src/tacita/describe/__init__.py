"""What the data looks like: a profile per attribute, sample uniques, and the answer that a steward sees first."""
