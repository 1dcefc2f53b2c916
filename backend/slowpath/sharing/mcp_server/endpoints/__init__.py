"""The MCP endpoint and its tools."""

from slowpath.sharing.mcp_server.endpoints.mcp import router

__all__ = ["router"]
