"""Noise: numbers are changed by random amounts whose distribution is known.

One method per file; `moments` estimates what the noise is in proportion to, `laplace` draws noise for differential
privacy from opendp. `after_microaggregation.md` gives the argument why noise after microaggregation is private.
"""
