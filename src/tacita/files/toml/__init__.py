"""Reading TOML files of a user: checked access to their tables, and all faults in one message with their lines."""
