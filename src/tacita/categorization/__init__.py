"""Attribute categorization (Algorithm 1 of the VADA-SA paper): experience, similarity, and evidence from the data.

`propose` is the seam: it takes attributes, profiles and the experience base and gives proposals with reasons. The rule
program of Algorithm 1 will stand behind the same door.
"""
