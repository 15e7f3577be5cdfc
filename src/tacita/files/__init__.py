"""What comes in and what goes out: one format per file, and two front doors, `read` and `write`.

A format module has ``read(source, options, engine) -> Loaded`` and, where the format can be written,
``write(microdata, path, options) -> notes``. It is imported only when its format is met.
"""
