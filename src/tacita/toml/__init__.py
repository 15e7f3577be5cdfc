"""Reading TOML files: checked access to their tables, and all faults in one message with their lines, in one form."""
