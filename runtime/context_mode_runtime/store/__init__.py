"""One SQLite database per project: sources and their chunks, search, journal, search budget, ledger."""
