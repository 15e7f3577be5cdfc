"""What the steward wants, as one TOML file."""
