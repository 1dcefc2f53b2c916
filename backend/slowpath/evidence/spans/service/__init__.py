"""Services of spans: ingest, merge and span sets."""
