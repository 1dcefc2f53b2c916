"""The MCP server: tools over the API for programs that work with a language model."""
