"""The catalog on the wire."""
