"""Local suppression for measures that count look-alikes: which cells become labelled nulls, and why these.

`look_alikes` counts, `requirement` says how many are enough, `smallest` what may be suppressed in a record. `cover`,
`exact_cover` and `polish` look for the fewest nulls, `repair` goes record by record in an order of `routing`, and
`take_back` restores what was unnecessary; `suppress` puts them together, `account` tells it. `optimum` is the minimum.

Under the strict meaning of nulls (`strict`) records join classes: `equivalence_classes` finds those that are worth it,
`joining` and `joining_solved` choose, `strict_look_alikes` counts.
"""
