"""The user's rules and switches: loading, matching, judging."""
