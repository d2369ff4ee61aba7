"""The agents' specs: read, checked, made into a typed model, compiled for the hooks."""
