"""Services of comparison previews."""
