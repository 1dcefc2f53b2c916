"""What bisects are made of, as values: pure, and without a database."""
