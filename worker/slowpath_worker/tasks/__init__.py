"""One module per feature; each handler gathers, analyses, records."""
