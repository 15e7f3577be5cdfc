"""What would become known: judges of a request by everything that was answered before. Each is asked, none decides."""
