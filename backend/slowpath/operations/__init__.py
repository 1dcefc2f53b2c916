"""What administrators run: retention, storage usage and export."""
