"""Runs code outside the conversation: languages, environment, processes, captured output. Server side."""
