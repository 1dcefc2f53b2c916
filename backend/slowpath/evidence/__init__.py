"""What is stored and read: artifacts of every kind, metrics and their sources."""
