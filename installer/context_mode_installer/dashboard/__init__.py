"""The dashboard: one local page over what is stored, read only. `server` speaks HTTP, `routes` says what is where."""
