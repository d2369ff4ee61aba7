"""The user, for an agent that asks: a small MCP server whose one tool allows every call and takes each first option.

Claude Code in print mode has no questions for its user unless such a tool is named (`--permission-prompt-tool`).
"""

from __future__ import annotations

import json
import sys
from typing import Any

SERVER, TOOL = "user", "answer"


def flags() -> tuple[str, ...]:
    """What goes onto the command line."""
    entry = {"type": "stdio", "command": sys.executable, "args": ["-IS", __file__], "alwaysLoad": True}
    config = json.dumps({"mcpServers": {SERVER: entry}})
    return ("--mcp-config", config, "--permission-prompt-tool", f"mcp__{SERVER}__{TOOL}")


def _allowed(arguments: dict[str, Any]) -> dict[str, Any]:
    given = arguments["input"]
    if "questions" in given:
        given = {**given, "answers": {one["question"]: one["options"][0]["label"] for one in given["questions"]}}
    text = json.dumps({"behavior": "allow", "updatedInput": given})
    return {"content": [{"type": "text", "text": text}]}


def _result(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if method == "initialize":
        info = {"name": SERVER, "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [{"name": TOOL, "description": "asks the user", "inputSchema": {"type": "object"}}]}
    return _allowed(params["arguments"]) if method == "tools/call" else None


def main() -> None:
    """Answers requests, one a line, until stdin ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        result = _result(asked["method"], asked.get("params") or {})
        answer = {"error": {"code": -32601, "message": "unknown"}} if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)


if __name__ == "__main__":
    main()
