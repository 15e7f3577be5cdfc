"""What the holder declares: filters with their cut points, measures with bounds, rules, limits; and its TOML file."""
