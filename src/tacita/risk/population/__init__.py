"""What a sample says about the population behind it: one estimator per file.

`size` says how large the population is and how often its members share a combination, `spectrum` counts the classes of
the sample by their size, which is all that `zayatz`, `slide_negative_binomial` and `pitman` look at. `log_linear`
looks at the cells themselves. `estimate` is what each of them returns. Measures that use them are one folder up.
"""
