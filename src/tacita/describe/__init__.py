"""What the data look like, and what their attributes are: the answer that a steward sees first.

`describe` holds the description and counts sample uniques; `profile` and `kinds` say what values look like. `propose`
gives each attribute a category, from `evidence`: names (`similarity`, `experience`), formats of values (`formats`) and
figures. `undecided` finds attributes without a category that may identify respondents.
"""
