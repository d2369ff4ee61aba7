"""The MCP server on stdio: our own loop, standard library only (contract, section 7)."""
