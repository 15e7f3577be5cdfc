"""Protected tables as files: CSV, Excel, Parquet, SDMX-CSV, and one HTML page."""
