"""What runs beside the agent: hooks, MCP server, store and policy. Standard library only."""
