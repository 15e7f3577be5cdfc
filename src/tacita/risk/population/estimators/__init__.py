"""What a sample says about the population behind it: one estimator per file.

`size` says how large the population is. `spectrum` counts the classes of the sample by their size, which is all that
`zayatz`, `slide_negative_binomial` and `pitman` look at; `log_linear` looks at the cells themselves. `estimate` is what
they return. Measures that use them are one folder up.
"""
