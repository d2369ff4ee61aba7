"""The `context-mode` command: setup, doctor, upgrade."""
