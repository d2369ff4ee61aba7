"""One module a command: it returns a Result and knows how to show it."""
