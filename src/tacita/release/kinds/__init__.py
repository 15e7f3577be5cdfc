"""The kinds of releases: what each one hands out, what it claims, and how the claim is checked."""
