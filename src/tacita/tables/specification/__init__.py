"""What the steward wants, as one TOML file: values (`specification`, `rules`), reading with all faults, writing."""
