"""Stand-ins for the APIs of models, one a file."""
