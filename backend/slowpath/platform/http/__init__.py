"""FastAPI plumbing that no feature owns: sessions of a request, paging, problems, headers, health."""
