"""Protected tables that are released: the public folder, the internal one, and questions about both."""
