"""``python -m tacita.language_server``: serve an editor."""

from tacita.language_server import serve

serve()
