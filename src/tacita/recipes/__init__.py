"""Recipes: what is to be done to microdata, step by step, and which of several recipes is the best.

`recipe` is the value, `recipe_file` its TOML file, `methods` the catalogue of what a step can name, `carry_out` does
the steps (`engine_methods` in the engine, `clusters` for households, `kinds` keeps codes from being computed with).
`ground` says by what results are judged, `evaluation` measures losses and lets attackers try (`attacking`, `holdout`,
`truth`, `untouched`) and says which limits are not kept. `comparison` puts recipes beside each other, `exploration`
makes recipes to compare. A recipe with the same seed, run again on the same data, gives the same bytes.
"""
