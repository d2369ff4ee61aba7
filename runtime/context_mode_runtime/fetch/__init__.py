"""Bringing texts in: web pages over a checked connection, files and folders from disk, both as plain text."""
