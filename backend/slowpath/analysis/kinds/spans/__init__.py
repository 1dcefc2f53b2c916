"""Compare distributed traces: gaps between spans, calls per request, and their changes."""
