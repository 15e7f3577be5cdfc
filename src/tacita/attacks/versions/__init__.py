"""What a recipient of two versions of a file finds out: who was added, removed, changed, and what was suppressed once.

`changes` compares versions record by record, by the key of persons, which stays inside: what a recipient could do at
best. `counts` compares them without a key, by how often combinations of values occur: what every recipient can do.
`sensitive_sets` looks whether the values that are possible for a person shrink from one version to the next.
`links` puts two files together by the values that both show.
"""
